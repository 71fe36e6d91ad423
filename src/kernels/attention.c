/* attention.c -- o = softmax(q k.T / sqrt(d)) v for every head of every sequence, and its gradient.
 *
 * q, k and v are [tokens,hidden]: the sequences of a batch one below the other, `seq` rows each (0: all rows
 * are one sequence), the heads side by side, d = hidden/heads columns each. So the results of three matmuls
 * go in as they are, one call does a whole batch, and a rank that holds some of the heads calls it with its
 * columns. causal=1: a token sees itself and those before it.
 *
 * The gradient computes the probabilities p again from q and k (as flash attention does: nothing of size seq
 * x seq is kept):
 *     dv = p.T do      ds = p (do v.T - rowsum(p (do v.T))) / sqrt(d)      dq = ds k      dk = ds.T q
 * where p (do v.T) is element by element. Step by step: do v.T is the gradient of p; softmax's gradient
 * (rows.c) makes ds of it; the scale of q k.T comes on top.
 *
 * Where the heads of a token lie, hidden = 8, heads = 2, seq = 3, two sequences:
 *
 *      row 0 ..  2     [ head 0: 4 columns | head 1: 4 columns ]     sequence 0
 *      row 3 ..  5     [ head 0            | head 1            ]     sequence 1
 *
 * A head of a sequence is thus a [3,4] matrix whose rows are 8 apart: the BLAS takes it where it is.
 *
 * All of it is f32 by the BLAS; other types and layouts are copied to f32 first and rounded once, as tensor
 * cores do. */
#include "kernels/common.h"
#include "base/memory.h"

#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { HEADS, SEQ, CAUSAL };

/* ---- shape and cost ---- */

static int64_t sequence(const struct kernel_call *call)
{
	return call->option[SEQ] > 0 ? (int64_t)call->option[SEQ] : call->in[0].layout.dim[0];
}

static enum status wrong_part(const struct kernel_call *call, int64_t whole, const char *what, int option)
{
	return fail(ST_SHAPE, "%s has %lld %s: %s=%g does not divide them", call->in[0].name,
	        (long long)whole, what, call->kernel->option[option].name, call->option[option]);
}

static enum status attention_check(struct kernel_call *call)
{
	const struct layout *q = &call->in[0].layout;
	enum status status = kernel_wants_floats(call);
	if (status == ST_OK)
		status = kernel_wants_same_shapes(call);
	if (status == ST_OK)
		status = kernel_wants_whole(call, HEADS, 1);
	if (status == ST_OK)
		status = kernel_wants_whole(call, SEQ, 0);
	if (status != ST_OK)
		return status;
	if (q->dims != 2)
		return fail(ST_SHAPE, "%s has %d dimensions: %s wants [tokens,hidden], heads side by side",
		        call->in[0].name, q->dims, call->kernel->name);
	if (fmod((double)q->dim[1], call->option[HEADS]) != 0)
		return wrong_part(call, q->dim[1], "columns", HEADS);
	if (call->option[SEQ] > 0 && fmod((double)q->dim[0], call->option[SEQ]) != 0)
		return wrong_part(call, q->dim[0], "rows", SEQ);
	if (q->dim[1] > INT_MAX || sequence(call) > INT_MAX)
		return fail(ST_RANGE, "%s: a dimension is above 2^31-1", call->kernel->name);
	return ST_OK;
}

static enum status attention_shape(struct kernel_call *call)
{
	enum status status = attention_check(call);
	return status != ST_OK ? status : kernel_out_like(call, 0);
}

static enum status attention_grad_shape(struct kernel_call *call)
{
	enum status status = attention_check(call);
	for (int i = 0; i < 3 && status == ST_OK; i++) {
		const struct layout *like = &call->in[i + 1].layout;
		status = kernel_out(call, i, (enum dtype)like->dtype, like->dims, like->dim);
	}
	return status;
}

/* `products` matrix products of [seq,d] x [d,seq] for each head of each sequence; causal: half of each */
static void products_cost(const struct kernel_call *call, double products, double *flops, double *bytes)
{
	const int64_t *dim = call->in[0].layout.dim;
	kernel_cost_move(call, flops, bytes);
	*flops = products * 2 * (double)dim[0] * (double)dim[1] * (double)sequence(call) *
	        (call->option[CAUSAL] != 0 ? 0.5 : 1);
}

static void attention_cost(const struct kernel_call *call, double *flops, double *bytes)
{
	products_cost(call, 2, flops, bytes);
}

static void attention_grad_cost(const struct kernel_call *call, double *flops, double *bytes)
{
	products_cost(call, 5, flops, bytes);
}

/* ---- operands as f32 with rows in one line ---- */

struct rows {
	float *data, *own;
	int ld;
};

static bool plain(const struct layout *layout)
{
	return layout->dtype == DT_F32 && (layout->stride[1] == 1 || layout->dim[1] == 1) &&
	        layout->stride[0] >= layout->dim[1] && layout->stride[0] <= INT_MAX;
}

/* Memory of its own, which the caller frees, filled with the tensor's elements if they are wanted */
static struct rows rows_copy(const struct kernel_tensor *tensor, bool filled)
{
	float *own = mem_alloc((size_t)layout_count(&tensor->layout) * sizeof *own);
	if (filled)
		kernel_floats(tensor, own);
	return (struct rows){own, own, (int)tensor->layout.dim[1]};
}

static struct rows rows_in(const struct kernel_tensor *tensor)
{
	return plain(&tensor->layout) ? (struct rows){tensor->data, NULL, (int)tensor->layout.stride[0]}
	                              : rows_copy(tensor, true);
}

static bool over_inputs(const struct kernel_call *call, const struct kernel_tensor *out)
{
	for (int i = 0; i < call->ins; i++)
		if (kernel_overlap(out, &call->in[i]))
			return true;
	return false;
}

/* The result's own memory when the BLAS can write there and no input lies in it */
static struct rows rows_out(const struct kernel_call *call, int out)
{
	const struct kernel_tensor *tensor = &call->out[out];
	if (!plain(&tensor->layout) || over_inputs(call, tensor))
		return rows_copy(tensor, call->add);
	return (struct rows){tensor->data, NULL, (int)tensor->layout.stride[0]};
}

/* ---- one head of one sequence: n tokens, d columns ---- */

struct attention_head {
	int n, d;
	bool causal;
	float scale;
	float *p, *ds; /* [n,n] */
};

/* c := scale a b + beta c, with c [m,n] and a b summed over k; ta and tb transpose a and b */
static void product(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, float scale, const float *a,
        int lda, const float *b, int ldb, float beta, float *c, int ldc)
{
	cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, scale, a, lda, b, ldb, beta, c, ldc);
}

/* p = softmax(q k.T / sqrt(d)); what a token does not see is 0 */
static void probabilities(const struct attention_head *h, const float *q, int ldq, const float *k, int ldk)
{
	product(CblasNoTrans, CblasTrans, h->n, h->n, h->d, h->scale, q, ldq, k, ldk, 0, h->p, h->n);
	for (int i = 0; i < h->n; i++) {
		float *row = h->p + (size_t)i * (size_t)h->n;
		kernel_softmax_row(row, h->causal ? i + 1 : h->n, h->n);
	}
}

/* ds := p (ds - rowsum(p ds)) on a row of n. */
LOOP_OF(softmax_back_row, (const float *p, float *ds, int n), (p, ds, n))
{
	float sum = 0;
	for (int j = 0; j < n; j++)
		sum += p[j] * ds[j];
	for (int j = 0; j < n; j++)
		ds[j] = p[j] * (ds[j] - sum);
}

static void softmax_back(const struct attention_head *h)
{
	for (int i = 0; i < h->n; i++) {
		size_t at = (size_t)i * (size_t)h->n;
		int seen = h->causal ? i + 1 : h->n;
		softmax_back_row(h->p + at, h->ds + at, seen);
		memset(h->ds + at + seen, 0, (size_t)(h->n - seen) * sizeof *h->ds);
	}
}

static struct attention_head head_make(const struct kernel_call *call)
{
	int n = (int)sequence(call), d = (int)(call->in[0].layout.dim[1] / (int64_t)call->option[HEADS]);
	size_t square = (size_t)n * (size_t)n * sizeof(float);
	return (struct attention_head){.n = n,
	        .d = d,
	        .causal = call->option[CAUSAL] != 0,
	        .scale = (float)(1 / sqrt((double)d)),
	        .p = mem_alloc(square),
	        .ds = mem_alloc(call->outs > 1 ? square : 0)};
}

static float *at(
        const struct rows *rows, const struct attention_head *h, int64_t sequence_number, int64_t head)
{
	return rows->data + sequence_number * h->n * rows->ld + head * h->d;
}

/* in: q k v of all heads; o of this one := softmax(q k.T / sqrt(d)) v + beta o */
static void forward(const struct attention_head *h, const struct rows in[], const struct rows *out, int64_t s,
        int64_t head, float beta)
{
	probabilities(h, at(&in[0], h, s, head), in[0].ld, at(&in[1], h, s, head), in[1].ld);
	product(CblasNoTrans, CblasNoTrans, h->n, h->d, h->n, 1, h->p, h->n, at(&in[2], h, s, head), in[2].ld,
	        beta, at(out, h, s, head), out->ld);
}

/* in: do q k v; out: dq dk dv */
static void backward(const struct attention_head *h, const struct rows in[], const struct rows out[],
        int64_t s, int64_t head)
{
	const float *d_o = at(&in[0], h, s, head), *q = at(&in[1], h, s, head), *k = at(&in[2], h, s, head),
	            *v = at(&in[3], h, s, head);
	int n = h->n, d = h->d;
	probabilities(h, q, in[1].ld, k, in[2].ld);
	product(CblasTrans, CblasNoTrans, n, d, n, 1, h->p, n, d_o, in[0].ld, 0, at(&out[2], h, s, head),
	        out[2].ld);
	product(CblasNoTrans, CblasTrans, n, n, d, 1, d_o, in[0].ld, v, in[3].ld, 0, h->ds, n);
	softmax_back(h);
	product(CblasNoTrans, CblasNoTrans, n, d, n, h->scale, h->ds, n, k, in[2].ld, 0,
	        at(&out[0], h, s, head), out[0].ld);
	product(CblasTrans, CblasNoTrans, n, d, n, h->scale, h->ds, n, q, in[1].ld, 0,
	        at(&out[1], h, s, head), out[1].ld);
}

/* Forward and backward, one head of one sequence after another; p and ds are used again for each. */
static void attend(const struct kernel_call *call)
{
	struct rows in[4], out[3];
	struct attention_head h = head_make(call);
	int64_t sequences = call->in[0].layout.dim[0] / sequence(call), heads = (int64_t)call->option[HEADS];

	for (int i = 0; i < call->ins; i++)
		in[i] = rows_in(&call->in[i]);
	for (int i = 0; i < call->outs; i++)
		out[i] = rows_out(call, i);
	for (int64_t i = 0; i < sequences * heads; i++)
		if (call->outs == 1)
			forward(&h, in, out, i / heads, i % heads, call->add ? 1 : 0);
		else
			backward(&h, in, out, i / heads, i % heads);
	for (int i = 0; i < call->outs; i++) {
		if (out[i].own)
			kernel_from_floats(&call->out[i], out[i].own);
		mem_free(out[i].own);
	}
	for (int i = 0; i < call->ins; i++)
		mem_free(in[i].own);
	mem_free(h.p);
	mem_free(h.ds);
}

#define OPTIONS                                                                                    \
	{                                                                                          \
		[HEADS] = {"heads", 1, "they lie side by side in the columns", KO_NUMBER},         \
		[SEQ] = {"seq", 0, "rows of a sequence; 0: all", KO_NUMBER},                       \
		[CAUSAL] = {"causal", 0, "1: a token sees itself and those before it", KO_NUMBER}, \
	}

const struct kernel kernel_attention = {
        .name = "attention",
        .usage = "o = attention q k v [heads=1] [seq=ROWS] [causal=0|1]",
        .help = "softmax(q k.T / sqrt(hidden/heads)) v for each head of each sequence; q k v "
                "[tokens,hidden], sequences one below the other, heads side by side",
        .torch = "o = F.scaled_dot_product_attention(q, k, v, is_causal=True)",
        .cuda = "flash_fwd_kernel<<<blocks, threads, 0, stream>>>",
        .example = "tensor q[8,4] k[8,4] v[8,4] = randn\no = attention q k v heads=2 seq=4 causal=1",
        KERNEL_TAKES(3, 1),
        .option = OPTIONS,
        .shape = attention_shape,
        .cost = attention_cost,
        .run = attend,
};
const struct kernel kernel_attention_grad = {
        .name = "attention_grad",
        .usage = "dq dk dv = attention_grad do q k v [heads=1] [seq=ROWS] [causal=0|1]",
        .help = "the gradients of attention from do and its inputs; the probabilities are computed again, "
                "nothing of seq x seq is kept",
        .torch = "dq, dk, dv = torch.autograd.grad(o, (q, k, v), do)",
        .cuda = "flash_bwd_kernel<<<blocks, threads, 0, stream>>>",
        .example = "tensor do[8,4] q[8,4] k[8,4] v[8,4] = randn\ndq dk dv = attention_grad do q k v heads=2 "
                   "seq=4 causal=1",
        KERNEL_TAKES(4, 3),
        .option = OPTIONS,
        .shape = attention_grad_shape,
        .cost = attention_grad_cost,
        .run = attend,
};

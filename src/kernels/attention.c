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
#include "base/memory.h"
#include "kernels/blas.h"
#include "kernels/common.h"
#include "kernels/exponential.h"

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

static enum status attention_shape(struct kernel_call *call)
{
	const struct layout *q = &call->in[0].layout;
	enum status status = ST_OK;
	if (q->dims != 2)
		return fail(ST_SHAPE, "%s has %d dimensions: %s wants [tokens,hidden], heads side by side",
		        call->in[0].name, q->dims, call->kernel->name);
	if (fmod((double)q->dim[1], call->option[HEADS]) != 0)
		return wrong_part(call, q->dim[1], "columns", HEADS);
	if (call->option[SEQ] > 0 && fmod((double)q->dim[0], call->option[SEQ]) != 0)
		return wrong_part(call, q->dim[0], "rows", SEQ);
	if (q->dim[1] > INT_MAX || sequence(call) > INT_MAX)
		return fail(ST_RANGE, "%s: a dimension is above 2^31-1", call->kernel->name);
	/* o is like q, dq dk dv are like what stands behind do */
	for (int i = 0; i < call->outs && status == ST_OK; i++) {
		const struct layout *like = &call->in[call->outs > 1 ? i + 1 : 0].layout;
		status = kernel_out(call, i, (enum dtype)like->dtype, like->dims, like->dim);
	}
	return status;
}

/* Matrix products of [seq,d] x [d,seq] for each head of each sequence; causal: half of each */
static void attention_cost(const struct kernel_call *call, double *flops, double *bytes)
{
	const int64_t *dim = call->in[0].layout.dim;
	int products = call->outs > 1 ? 5 : 2;
	(void)bytes;
	*flops = products * 2 * (double)dim[0] * (double)dim[1] * (double)sequence(call) *
	        (call->option[CAUSAL] != 0 ? 0.5 : 1);
}

/* ---- one head of one sequence: n tokens, d columns ---- */

struct attention_head {
	int n, d;
	bool causal;
	float scale;
	struct matrix p, ds; /* [n,n] */
	float *largest;      /* [n]: of each row of p */
};

/* How many of row r's n elements are computed: those it sees, and on to a multiple of 16 (vectors without a
 * rest) */
INLINE int64_t computed(int64_t r, int64_t n, bool causal)
{
	return causal ? least_of(n, parts_of(r + 1, 16) * 16) : n;
}

enum { PARTS = 8 };

/* A NaN may get lost. In parts, which a vector has side by side: part j has the elements j, j+8, j+16 ... */
INLINE float largest_of(const float *row, int64_t count)
{
	int64_t whole = count / PARTS * PARTS;
	float part[PARTS], most = row[0];
	for (int j = 0; j < PARTS; j++)
		part[j] = row[0];
	for (int64_t i = 0; i < whole; i += PARTS)
		for (int j = 0; j < PARTS; j++)
			part[j] = row[i + j] > part[j] ? row[i + j] : part[j];
	for (int64_t i = whole; i < count; i++)
		most = row[i] > most ? row[i] : most;
	for (int j = 0; j < PARTS; j++)
		most = part[j] > most ? part[j] : most;
	return most;
}

/* The rows of p [n,n] become their softmax; causal: of row r the first r + 1 alone, what is behind them
 * becomes 0. exp of what is left when the largest is taken off: nothing above 1, so nothing overflows. A NaN
 * that is lost by then comes back: its exp is one, and so is the sum.
 *
 * Three loops over the rows: in each a row need not wait for the one before it, and the processor computes
 * several at once. The sum runs in parts, as the largest does. */
LOOP_OF(softmax_rows, (float *p, float *largest, int64_t n, bool causal), (p, largest, n, causal))
{
	for (int64_t r = 0; r < n; r++) {
		int64_t count = computed(r, n, causal);
		for (int64_t i = causal ? r + 1 : n; i < count; i++)
			p[r * n + i] = -INFINITY; /* whose exp is 0 */
		largest[r] = largest_of(p + r * n, count);
	}
	for (int64_t r = 0; r < n; r++) {
		int64_t count = computed(r, n, causal);
		float *row = p + r * n;
		for (int64_t i = 0; i < count; i++)
			row[i] = (float)exponential((double)row[i] - (double)largest[r]);
	}
	for (int64_t r = 0; r < n; r++) {
		int64_t count = computed(r, n, causal), whole = count / PARTS * PARTS;
		float *row = p + r * n;
		double part[PARTS] = {0}, sum = 0;
		for (int64_t i = 0; i < whole; i += PARTS)
			for (int j = 0; j < PARTS; j++)
				part[j] += row[i + j];
		for (int64_t i = whole; i < count; i++)
			part[i - whole] += row[i];
		for (int j = 0; j < PARTS; j++)
			sum += part[j];
		float inverse = (float)(1 / sum);
		for (int64_t i = 0; i < count; i++)
			row[i] *= inverse;
		memset(row + count, 0, (size_t)(n - count) * sizeof *row);
	}
}

static struct matrix transposed(struct matrix matrix)
{
	matrix.trans = CblasTrans;
	return matrix;
}

/* p = softmax(q k.T / sqrt(d)); what a token does not see is 0 */
static void probabilities(const struct attention_head *h, struct matrix q, struct matrix k)
{
	matrix_product(h->n, h->n, h->d, h->scale, q, transposed(k), 0, h->p);
	softmax_rows(h->p.data, h->largest, h->n, h->causal);
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
		softmax_back_row(h->p.data + at, h->ds.data + at, seen);
		memset(h->ds.data + at + seen, 0, (size_t)(h->n - seen) * sizeof *h->ds.data);
	}
}

/* p and ds are square in the sequence's length, and the only memory that is: one of each for all heads. The
 * caller frees them and `largest`. */
static struct attention_head head_make(const struct kernel_call *call)
{
	int n = (int)sequence(call), d = (int)(call->in[0].layout.dim[1] / (int64_t)call->option[HEADS]);
	size_t square = (size_t)n * (size_t)n * sizeof(float);
	return (struct attention_head){.n = n,
	        .d = d,
	        .causal = call->option[CAUSAL] != 0,
	        .scale = (float)(1 / sqrt((double)d)),
	        .p = {mem_alloc(square), NULL, n, CblasNoTrans},
	        .ds = {mem_alloc(call->outs > 1 ? square : 0), NULL, n, CblasNoTrans},
	        .largest = mem_alloc((size_t)n * sizeof(float))};
}

/* The head's part of all of them */
static struct matrix at(struct matrix matrix, const struct attention_head *h, int64_t s, int64_t head)
{
	matrix.data += s * h->n * matrix.ld + head * h->d;
	return matrix;
}

/* in: q k v; o := softmax(q k.T / sqrt(d)) v + beta o */
static void forward(const struct attention_head *h, const struct matrix in[], struct matrix o, float beta)
{
	probabilities(h, in[0], in[1]);
	matrix_product(h->n, h->d, h->n, 1, h->p, in[2], beta, o);
}

/* in: do q k v; out: dq dk dv */
static void backward(const struct attention_head *h, const struct matrix in[], const struct matrix out[])
{
	struct matrix d_o = in[0], q = in[1], k = in[2], v = in[3];
	int n = h->n, d = h->d;
	probabilities(h, q, k);
	/* dv = p.T do;  ds = do v.T, the gradient of p, which softmax_back makes that of the scores */
	matrix_product(n, d, n, 1, transposed(h->p), d_o, 0, out[2]);
	matrix_product(n, n, d, 1, d_o, transposed(v), 0, h->ds);
	softmax_back(h);
	/* dq = ds k and dk = ds.T q: the scores were q k.T, scaled */
	matrix_product(n, d, n, h->scale, h->ds, k, 0, out[0]);
	matrix_product(n, d, n, h->scale, transposed(h->ds), q, 0, out[1]);
}

/* Forward and backward, one head of one sequence after another; p and ds are used again for each. */
static void attend(const struct kernel_call *call)
{
	struct matrix in[4], out[3], one_in[4], one_out[3];
	struct attention_head h = head_make(call);
	int64_t sequences = call->in[0].layout.dim[0] / sequence(call), heads = (int64_t)call->option[HEADS];

	for (int i = 0; i < call->ins; i++)
		in[i] = matrix_in(&call->in[i], false);
	for (int i = 0; i < call->outs; i++)
		out[i] = matrix_out(call, i);
	for (int64_t i = 0; i < sequences * heads; i++) {
		for (int k = 0; k < call->ins; k++)
			one_in[k] = at(in[k], &h, i / heads, i % heads);
		for (int k = 0; k < call->outs; k++)
			one_out[k] = at(out[k], &h, i / heads, i % heads);
		if (call->outs == 1)
			forward(&h, one_in, one_out[0], call->add ? 1 : 0);
		else
			backward(&h, one_in, one_out);
	}
	for (int i = 0; i < call->outs; i++)
		matrix_free(&out[i], &call->out[i]);
	for (int i = 0; i < call->ins; i++)
		matrix_free(&in[i], NULL);
	mem_free(h.p.data);
	mem_free(h.ds.data);
	mem_free(h.largest);
}

#define OPTIONS                                                                      \
	[HEADS] = {"heads", 1, "they lie side by side in the columns", KO_WHOLE, 1}, \
	[SEQ] = {"seq", 0, "rows of a sequence; 0: all", KO_WHOLE, 0},               \
	[CAUSAL] = {"causal", 0, "1: a token sees itself and those before it", KO_NUMBER}

const struct kernel kernels_attention[] = {
        {
                .name = "attention",
                .usage = "o = attention q k v [heads=1] [seq=ROWS] [causal=0|1]",
                .help = "softmax(q k.T / sqrt(hidden/heads)) v for each head of each sequence; q k v "
                        "[tokens,hidden], sequences one below the other, heads side by side",
                .torch = "o = F.scaled_dot_product_attention(q, k, v, is_causal=True)",
                .cuda = "flash_fwd_kernel<<<blocks, threads, 0, stream>>>",
                .example = "tensor q[8,4] k[8,4] v[8,4] = randn\no = attention q k v heads=2 seq=4 causal=1",
                KERNEL_TAKES(3, 1),
                .option = {OPTIONS},
                .arguments = ARGUMENTS_ALIKE,
                .shape = attention_shape,
                .cost = attention_cost,
                .run = attend,
        },
        {
                .name = "attention_grad",
                .usage = "dq dk dv = attention_grad do q k v [heads=1] [seq=ROWS] [causal=0|1]",
                .help = "the gradients of attention from do and its inputs; the probabilities are computed "
                        "again, nothing of seq x seq is kept",
                .torch = "dq, dk, dv = torch.autograd.grad(o, (q, k, v), do)",
                .cuda = "flash_bwd_kernel<<<blocks, threads, 0, stream>>>",
                .example = "tensor do[8,4] q[8,4] k[8,4] v[8,4] = randn\ndq dk dv = attention_grad do q k v "
                           "heads=2 seq=4 causal=1",
                KERNEL_TAKES(4, 3),
                .option = {OPTIONS},
                .arguments = ARGUMENTS_ALIKE,
                .shape = attention_shape,
                .cost = attention_cost,
                .run = attend,
        },
        {0},
};

/* attention.c -- o = softmax(q k.T / sqrt(d)) v for every head in every sequence, its gradient,
 * and both by blocks of keys for context parallelism.
 *
 * q, k and v are [tokens,hidden]: a batch's sequences stacked, `seq` rows each (0: all rows are
 * one sequence), with the heads side by side, d = hidden/heads columns each. causal=1: a token
 * sees itself and those before it.
 *
 * The gradient recomputes the probabilities p from q and k:
 *     dv = p.T do    ds = p (do v.T - rowsum(p (do v.T))) / sqrt(d)    dq = ds k    dk = ds.T q
 * p (do v.T) is an element-wise product.
 *
 * A token's heads, hidden = 8, heads = 2, seq = 3, two sequences:
 *
 *      row 0 ..  2     [ head 0: 4 columns | head 1: 4 columns ]     sequence 0
 *      row 3 ..  5     [ head 0            | head 1            ]     sequence 1
 *
 * Blocks: q and k may be parts of the sequence with different lengths; query= and key= are their
 * start positions. The second result, lse [tokens,heads], is the log of the softmax's sum.
 * attention_merge combines two key blocks (Milakov and Gimelshein, arXiv:1805.02867):
 *     o = o exp(lse - l) + o1 exp(lse1 - l)      l = log(exp(lse) + exp(lse1))
 * The gradient of a block needs o and lse over all keys; they give p and rowsum(p (do v.T)).
 *
 * Everything is f32 by the BLAS (blas.c). */
#include "base/memory.h"
#include "kernels/attention_head.h"
#include "kernels/blas.h"
#include "kernels/common.h"
#include "kernels/exponential.h"

#include <limits.h>
#include <math.h>

enum { HEADS, SEQ, CAUSAL, QUERY, KEY };

/* ---- shape and cost ---- */

static bool is_gradient(const struct kernel_call *call)
{
	return call->kernel->outs > 1;
}

/* Returns q; k and v follow it. In the gradient do precedes it. */
static const struct kernel_tensor *operands(const struct kernel_call *call)
{
	return call->in + is_gradient(call);
}

struct attention_sizes attention_sizes(const struct kernel_call *call)
{
	const struct layout *q = &operands(call)[0].layout, *k = &operands(call)[1].layout;
	int64_t heads = (int64_t)call->option[HEADS], seq = (int64_t)call->option[SEQ],
	        sequences = seq > 0 ? q->dim[0] / seq : 1;
	return (struct attention_sizes){.queries = seq > 0 ? seq : q->dim[0],
	        .keys = sequences ? k->dim[0] / sequences : 0,
	        .sequences = sequences,
	        .heads = heads,
	        .d = q->dim[1] / heads,
	        .shift = (int64_t)call->option[QUERY] - (int64_t)call->option[KEY],
	        .causal = call->option[CAUSAL] != 0};
}

static enum status wrong_part(const struct kernel_call *call, int64_t whole, const char *what, int option)
{
	return fail(ST_SHAPE, "%s has %lld %s: %s=%g does not divide them", operands(call)[0].name,
	        (long long)whole, what, call->kernel->option[option].name, call->option[option]);
}

/* k and v have one shape; do and o have q's. k's tokens are divided among q's sequences. */
static enum status shapes_of_operands(const struct kernel_call *call)
{
	const struct kernel_tensor *q = operands(call), *k = q + 1, *v = q + 2;
	struct attention_sizes of = attention_sizes(call);
	if (!layout_same_shape(&k->layout, &v->layout))
		return kernel_shape_failure(call, k, v, "the same shape");
	if (k->layout.dims != 2 || k->layout.dim[1] != q->layout.dim[1])
		return kernel_shape_failure(call, q, k, "as many columns");
	if (k->layout.dim[0] != of.keys * of.sequences)
		return fail(ST_SHAPE, "%s has %lld sequences: they do not divide the %lld rows of %s",
		        q->name, (long long)of.sequences, (long long)k->layout.dim[0], k->name);
	for (int i = 0; i < call->ins; i++)
		if (is_gradient(call) && (i == 0 || i == 4) &&
		        !layout_same_shape(&call->in[i].layout, &q->layout))
			return kernel_shape_failure(call, &call->in[i], q, "the same shape");
	return ST_OK;
}

static enum status shape_of_lse(
        const struct kernel_call *call, const struct kernel_tensor *lse, int64_t tokens)
{
	const struct layout *layout = &lse->layout;
	if (layout->dtype != DT_F32)
		return fail(ST_DTYPE, "%s is %s: the log of a sum of exponentials is f32", lse->name,
		        dtype_name((enum dtype)layout->dtype));
	if (layout->dims == 2 && layout->dim[0] == tokens && layout->dim[1] == (int64_t)call->option[HEADS])
		return ST_OK;
	return fail(ST_SHAPE, "%s is %s: %s needs a number for each token and head, [%lld,%g]", lse->name,
	        shape_text(layout).text, call->kernel->name, (long long)tokens, call->option[HEADS]);
}

static enum status attention_shape(struct kernel_call *call)
{
	const struct layout *q = &operands(call)[0].layout;
	if (q->dims != 2)
		return fail(ST_SHAPE, "%s has %d dimensions: %s needs [tokens,hidden], heads side by side",
		        operands(call)[0].name, q->dims, call->kernel->name);
	if (fmod((double)q->dim[1], call->option[HEADS]) != 0)
		return wrong_part(call, q->dim[1], "columns", HEADS);
	if (call->option[SEQ] > 0 && fmod((double)q->dim[0], call->option[SEQ]) != 0)
		return wrong_part(call, q->dim[0], "rows", SEQ);
	struct attention_sizes of = attention_sizes(call);
	enum status status = shapes_of_operands(call);
	if (status == ST_OK)
		status = blas_ready();
	if (status == ST_OK && call->ins == 6)
		status = shape_of_lse(call, &call->in[5], q->dim[0]);
	if (status == ST_OK && (q->dim[1] > INT_MAX || of.queries > INT_MAX || of.keys > INT_MAX))
		status = fail(ST_RANGE, "%s: a dimension is above 2^31-1", call->kernel->name);
	for (int i = 0; i < call->kernel->outs && status == ST_OK; i++) {
		const struct layout *like = &operands(call)[i].layout;
		status = kernel_out(call, i, (enum dtype)like->dtype, like->dims, like->dim);
	}
	if (status == ST_OK && call->outs > call->kernel->outs)
		status = kernel_out(call, 1, DT_F32, 2, (int64_t[]){q->dim[0], (int64_t)call->option[HEADS]});
	return status;
}

/* Returns the number of visible (query, key) pairs in one sequence. Causal: the area under the
 * diagonal, with diagonal pairs counted half. */
static double pairs_seen(const struct attention_sizes *of)
{
	double n = (double)of->queries, m = (double)of->keys, shift = (double)of->shift;
	if (!of->causal)
		return n * m;
	/* queries from `first` on see some keys, from `whole` on all */
	double first = fmin(fmax(-shift, 0), n), whole = fmin(fmax(m - shift, first), n);
	return (whole - first) * (shift + (first + whole) / 2) + (n - whole) * m;
}

/* Counts [queries,d] x [d,keys] products for each head and sequence, visible pairs only. A fully
 * masked block only writes its results. */
static void attention_cost(const struct kernel_call *call, double *flops, double *bytes)
{
	struct attention_sizes of = attention_sizes(call);
	int products = is_gradient(call) ? 5 : 2;
	*flops = products * 2 * (double)operands(call)[0].layout.dim[1] * (double)of.sequences *
	        pairs_seen(&of);
	if (*flops > 0)
		return;
	*bytes = 0;
	for (int i = 0; i < call->outs; i++)
		*bytes += (double)layout_bytes(&call->out[i].layout) * !call->add;
}

/* ---- all heads of all sequences ---- */

/* Returns one head of sequence s. */
static struct matrix part(struct matrix matrix, int64_t s, int64_t rows, int64_t head, int64_t columns)
{
	matrix.data += s * rows * matrix.ld + head * columns;
	return matrix;
}

/* Writes the results of a masked or empty block: 0, and -inf for lse. */
static void fill_masked(const struct kernel_call *call)
{
	for (int i = 0; i < call->outs; i++) {
		double value[LANE_CHUNK];
		struct lane lane = lane_of(&call->out[i]);
		int64_t count = layout_count(&call->out[i].layout);
		for (int k = 0; k < LANE_CHUNK; k++)
			value[k] = i < call->kernel->outs ? 0 : -INFINITY;
		for (int64_t from = 0; from < count && !call->add; from += LANE_CHUNK)
			lane_write(&lane, from, least_of(count - from, LANE_CHUNK), value);
	}
}

/* Forward or backward, one head in one sequence at a time; p and ds are reused. */
static void attend_heads(const struct kernel_call *call, const struct attention_head *h,
        const struct matrix in[], const struct matrix out[])
{
	int64_t n = h->of.queries, m = h->of.keys, d = h->of.d, heads = h->of.heads;
	for (int64_t i = 0; i < h->of.sequences * heads; i++) {
		int64_t s = i / heads, head = i % heads;
		int first = is_gradient(call);
		struct matrix one[6], result[3], lse = {0};
		/* [do] q k v, and o lse for a block's gradient */
		for (int k = 0; k < call->ins; k++)
			one[k] = part(
			        in[k], s, k == first + 1 || k == first + 2 ? m : n, head, k == 5 ? 1 : d);
		if (is_gradient(call)) {
			for (int k = 0; k < 3; k++)
				result[k] = part(out[k], s, k ? m : n, head, d);
			attention_head_backward(h, one, result, call->ins == 6 ? one + 4 : NULL);
		} else {
			if (call->outs > 1)
				lse = part(out[1], s, n, head, 1);
			attention_head_forward(h, one, part(out[0], s, n, head, d), call->add ? 1 : 0,
			        call->outs > 1 ? &lse : NULL);
		}
	}
}

static void attend(const struct kernel_call *call)
{
	struct matrix in[6], out[3];
	struct attention_sizes of = attention_sizes(call);
	if (of.queries == 0 || of.keys == 0 || (of.causal && of.queries + of.shift <= 0)) {
		fill_masked(call);
		return;
	}
	struct attention_head h = attention_head_make(&of, is_gradient(call));
	for (int i = 0; i < call->ins; i++)
		in[i] = matrix_in(&call->in[i], false);
	for (int i = 0; i < call->outs; i++)
		out[i] = matrix_out(call, i);
	attend_heads(call, &h, in, out);
	for (int i = 0; i < call->outs; i++)
		matrix_free(&out[i], &call->out[i]);
	for (int i = 0; i < call->ins; i++)
		matrix_free(&in[i], NULL);
	attention_head_free(&h);
}

/* ---- merging two blocks ---- */

enum { MERGE_O, MERGE_LSE, MERGE_O1, MERGE_LSE1 };

static enum status merge_shape(struct kernel_call *call)
{
	const struct kernel_tensor *o = &call->in[MERGE_O], *lse = &call->in[MERGE_LSE];
	if (!layout_same_shape(&o->layout, &call->in[MERGE_O1].layout))
		return kernel_shape_failure(call, o, &call->in[MERGE_O1], "the same shape");
	if (!layout_same_shape(&lse->layout, &call->in[MERGE_LSE1].layout))
		return kernel_shape_failure(call, lse, &call->in[MERGE_LSE1], "the same shape");
	if (o->layout.dims != 2 || lse->layout.dims != 2 || lse->layout.dim[0] != o->layout.dim[0] ||
	        lse->layout.dim[1] == 0 || o->layout.dim[1] % lse->layout.dim[1] != 0)
		return kernel_shape_failure(call, o, lse, "[tokens,hidden] and [tokens,heads]");
	return ST_OK;
}

/* Computes one token's weights [heads] for o and o1, and the merged lse. If no key was seen, o
 * stays. */
LOOP_OF(merge_weights, (int64_t heads, double *lse, const double *lse1, double *w, double *w1),
        (heads, lse, lse1, w, w1))
{
	for (int64_t h = 0; h < heads; h++) {
		double most = lse[h] > lse1[h] ? lse[h] : lse1[h], base = most == -INFINITY ? 0 : most;
		w[h] = exponential(lse[h] - base);
		w1[h] = exponential(lse1[h] - base);
		double sum = w[h] + w1[h];
		lse[h] = most == -INFINITY ? most : most + log(sum);
		w[h] = most == -INFINITY ? 1 : w[h] / sum;
		w1[h] /= most == -INFINITY ? 1 : sum;
	}
}

static void attention_merge(const struct kernel_call *call)
{
	int64_t tokens = call->in[MERGE_O].layout.dim[0], hidden = call->in[MERGE_O].layout.dim[1],
	        heads = call->in[MERGE_LSE].layout.dim[1], d = hidden / heads;
	double *room = mem_alloc((size_t)(2 * hidden + 4 * heads) * sizeof *room), *o = room,
	       *o1 = o + hidden;
	double *lse = o1 + hidden, *lse1 = lse + heads, *w = lse1 + heads, *w1 = w + heads;
	struct lane lane[4];
	for (int i = 0; i < 4; i++)
		lane[i] = lane_of(&call->in[i]);
	for (int64_t t = 0; t < tokens; t++) {
		lane_read(&lane[MERGE_O], t * hidden, hidden, o);
		lane_read(&lane[MERGE_O1], t * hidden, hidden, o1);
		lane_read(&lane[MERGE_LSE], t * heads, heads, lse);
		lane_read(&lane[MERGE_LSE1], t * heads, heads, lse1);
		merge_weights(heads, lse, lse1, w, w1);
		for (int64_t h = 0; h < heads; h++)
			for (int64_t c = h * d; c < h * d + d; c++)
				o[c] = o[c] * w[h] + o1[c] * w1[h];
		lane_write(&lane[MERGE_O], t * hidden, hidden, o);
		lane_write(&lane[MERGE_LSE], t * heads, heads, lse);
	}
	mem_free(room);
}

#define OPTIONS                                                                                         \
	[HEADS] = {"heads", 1, "the number of heads, side by side in the columns", KO_WHOLE, 1},        \
	[SEQ] = {"seq", 0, "rows of q in a sequence; 0: all rows are one", KO_WHOLE, 0},                \
	[CAUSAL] = {"causal", 0, "1: a token sees itself and those before it", KO_NUMBER, 0},           \
	[QUERY] = {"query", 0, "causal: the position of q's first token in the sequence", KO_WHOLE, 0}, \
	[KEY] = {"key", 0, "causal: the position of k's first token in the sequence", KO_WHOLE, 0}

const struct kernel kernels_attention[] = {
        {
                KERNEL_ROW("attention", "flash_fwd_kernel<<<blocks, threads, 0, stream>>>", 3, 1),
                .usage = "o [lse] = attention q k v [heads=1] [seq=ROWS] [causal=0|1] [query=] [key=]",
                .help = "softmax(q k.T / sqrt(hidden/heads)) v for each head in each sequence; q k v "
                        "[tokens,hidden], sequences stacked, heads side by side. If k and v are only one "
                        "block of the sequence, attention_merge also needs lse [tokens,heads], the log of "
                        "the softmax's sum",
                .torch = "o = F.scaled_dot_product_attention(q, k, v)   # heads apart: [heads,seq,width]; "
                         "causal=1: is_causal=True",
                .example = "tensor q[8,4] k[8,4] v[8,4] = randn\no = attention q k v heads=2 seq=4 causal=1\n"
                           "# the last 4 tokens see the first 4, which are k's\n"
                           "o1 lse1 = attention q[4:8] k[0:4] v[0:4] causal=1 query=4",
                .wants_columns = true,
                .more_outs = 1,
                .option = {OPTIONS},
                .arguments = ARGUMENTS_FLOAT,
                .shape = attention_shape,
                .cost = attention_cost,
                .model = 1,
                .run = attend,
        },
        {
                KERNEL_ROW("attention_grad", "flash_bwd_kernel<<<blocks, threads, 0, stream>>>", 4, 3),
                .usage = "dq dk dv = attention_grad do q k v [o lse] [heads= seq= causal= query= key=]",
                .help = "attention's gradients from do and its inputs; recomputes the probabilities, so no"
                        " seq x seq tensor is kept. If k and v are only one block of the sequence, o and "
                        "lse must be those of all blocks",
                .torch = "dq, dk, dv = torch.autograd.grad(o, (q, k, v), do)",
                .example = "tensor do[8,4] q[8,4] k[8,4] v[8,4] = randn\ndq dk dv = attention_grad do q k v "
                           "heads=2 seq=4 causal=1",
                .wants_columns = true,
                .more_ins = 2,
                .option = {OPTIONS},
                .arguments = ARGUMENTS_FLOAT,
                .shape = attention_shape,
                .cost = attention_cost,
                .model = 0.8, /* one of the five products repeats the forward pass */
                .run = attend,
        },
        {
                KERNEL_ROW("attention_merge", "merge_attn_states<<<blocks, threads, 0, stream>>>", 4, 0),
                .usage = "attention_merge o lse o1 lse1",
                .help = "merges the attention to another key block, o1 and lse1, into o and lse; each is "
                        "weighted by its share of the softmax's sum",
                .torch = "o -= torch.sigmoid(lse1 - lse) * (o - o1); lse = torch.logaddexp(lse, lse1)",
                .example = "tensor q[4,4] k[8,4] v[8,4] = randn\no lse = attention q k[0:4] v[0:4]\n"
                           "o1 lse1 = attention q k[4:8] v[4:8]\nattention_merge o lse o1 lse1",
                .wants_columns = true,
                .writes = 1 << MERGE_O | 1 << MERGE_LSE,
                .arguments = ARGUMENTS_FLOAT,
                .shape = merge_shape,
                .operations = 8,
                .run = attention_merge,
        },
        {0},
};

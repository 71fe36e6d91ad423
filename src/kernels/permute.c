/* permute.c -- binsort permute unpermute sort_chunks: rows on their way to experts and back.
 *
 * binsort, a stable counting sort, gives each token's choices (topk) their positions when they are
 * grouped by expert; permute moves the rows there; unpermute moves them back and sums each token's
 * rows. Two tokens with two choices each, three experts:
 *
 *      ids          to           n        xs = permute x to rows=4      y = unpermute ys to
 *      x0   2 0     x0   2 0     0: 1     row 0   x0    expert 0        y0 = ys2 + ys0
 *      x1   2 1     x1   3 1     1: 1     row 1   x1    expert 1        y1 = ys3 + ys1
 *                                2: 2     row 2   x0    expert 2
 *                                         row 3   x1    expert 2
 *
 * As matrices, permute and unpermute are transposes, so each is the other's gradient. With a
 * capacity C, expert e has C rows from C*e on; tokens beyond that are dropped (-1), unused rows
 * are 0 (Lepikhin et al. 2020, GShard, arXiv:2006.16668).
 *
 * sort_chunks sorts rows ordered by rank, then expert, by expert, then rank (Megatron-LM's
 * sort_chunks_by_idxs). */
#include "kernels/common.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static enum status wants_i32(const struct kernel_call *call, int in)
{
	const struct kernel_tensor *tensor = &call->in[in];
	if (tensor->layout.dtype == DT_I32)
		return ST_OK;
	return fail(ST_DTYPE, "%s is %s: %s takes whole numbers, i32, there", tensor->name,
	        dtype_name((enum dtype)tensor->layout.dtype), call->kernel->name);
}

static enum status wants_matrix(const struct kernel_call *call, int in)
{
	const struct kernel_tensor *tensor = &call->in[in];
	if (tensor->layout.dims == 2)
		return ST_OK;
	return fail(ST_SHAPE, "%s has %d dimension%s: %s needs two, [rows,columns]", tensor->name,
	        tensor->layout.dims, tensor->layout.dims == 1 ? "" : "s", call->kernel->name);
}

/* ---- binsort ---- */

enum { BINS, CAPACITY };

static enum status binsort_shape(struct kernel_call *call)
{
	const struct layout *ids = &call->in[0].layout;
	int64_t bins = (int64_t)call->option[BINS];
	enum status status = wants_i32(call, 0);
	if (status == ST_OK && call->option[BINS] * fmax(call->option[CAPACITY], 1) > INT32_MAX)
		status = fail(ST_RANGE, "binsort: bins=%g capacity=%g: more rows than i32 can number",
		        call->option[BINS], call->option[CAPACITY]);
	if (status == ST_OK)
		status = kernel_out(call, 0, DT_I32, ids->dims, ids->dim);
	return status == ST_OK ? kernel_out(call, 1, DT_I32, 1, &bins) : status;
}

static struct kernel_indices bin_numbers(const struct kernel_call *call)
{
	return (struct kernel_indices){
	        .argument = 0, .end = (int64_t)call->option[BINS], .unused = -1, .names = "a bin"};
}

/* `next` is each bin's next row, at first its start. */
static void binsort(const struct kernel_call *call)
{
	int64_t bins = (int64_t)call->option[BINS], capacity = (int64_t)call->option[CAPACITY],
	        count = layout_count(&call->in[0].layout);
	struct lane ids = lane_of(&call->in[0]), to = lane_of(&call->out[0]), n = lane_of(&call->out[1]);
	double *wanted = mem_alloc((size_t)bins * sizeof *wanted);
	int64_t *next = mem_alloc((size_t)bins * sizeof *next);

	for (int64_t i = 0; i < count; i++) {
		int64_t bin = kernel_index(&ids, i, bins);
		if (bin >= 0)
			wanted[bin]++;
	}
	for (int64_t bin = 1; bin < bins; bin++)
		next[bin] = capacity ? bin * capacity : next[bin - 1] + (int64_t)wanted[bin - 1];
	for (int64_t i = 0; i < count; i++) {
		int64_t bin = kernel_index(&ids, i, bins);
		bool drops = bin < 0 || (capacity && next[bin] == (bin + 1) * capacity);
		double place = drops ? -1 : (double)next[bin]++;
		lane_write(&to, i, 1, &place);
	}
	lane_write(&n, 0, bins, wanted);
	mem_free(next);
	mem_free(wanted);
}

/* ---- permute, unpermute ---- */

/* `to` has k consecutive numbers for each token row. */
static int64_t choices(const struct layout *to)
{
	return to->dim[0] ? layout_count(to) / to->dim[0] : 0;
}

static enum status permuted_shape(struct kernel_call *call, int64_t rows)
{
	enum status status = wants_matrix(call, 0);
	if (status == ST_OK)
		status = kernel_wants_float(call, 0);
	if (status == ST_OK)
		status = wants_i32(call, 1);
	int64_t dim[2] = {rows, call->in[0].layout.dim[1]};
	return status == ST_OK ? kernel_out(call, 0, (enum dtype)call->in[0].layout.dtype, 2, dim) : status;
}

static enum status permute_shape(struct kernel_call *call)
{
	const struct kernel_tensor *x = &call->in[0], *to = &call->in[1];
	enum status status = permuted_shape(call, (int64_t)call->option[0]);
	if (status == ST_OK && to->layout.dim[0] != x->layout.dim[0])
		return kernel_shape_failure(call, x, to, "one row of numbers for each row");
	return status;
}

static enum status unpermute_shape(struct kernel_call *call)
{
	return permuted_shape(call, call->in[1].layout.dim[0]);
}

static struct kernel_indices permuted_rows(const struct kernel_call *call)
{
	bool gathers = call->kernel->shape == unpermute_shape;
	return (struct kernel_indices){.argument = 1,
	        .end = gathers ? call->in[0].layout.dim[0] : call->out[0].layout.dim[0],
	        .unused = -1,
	        .names = gathers ? "a row of ys" : "a row of xs"};
}

static void permute(const struct kernel_call *call)
{
	kernel_add_rows(call, choices(&call->in[1].layout));
}

static void unpermute(const struct kernel_call *call)
{
	const struct layout *x = &call->in[0].layout, *y = &call->out[0].layout;
	int64_t columns = x->dim[1], rows = x->dim[0], k = choices(&call->in[1].layout);
	struct lane in = lane_of(&call->in[0]), to = lane_of(&call->in[1]), out = lane_of(&call->out[0]);
	double *sum = mem_alloc((size_t)(2 * columns) * sizeof *sum), *row = sum + columns;

	for (int64_t i = 0; i < y->dim[0]; i++) {
		memset(sum, 0, (size_t)columns * sizeof *sum);
		for (int64_t j = 0; j < k; j++) {
			int64_t r = kernel_index(&to, i * k + j, rows);
			if (r < 0)
				continue;
			lane_read(&in, r * columns, columns, row);
			for (int64_t c = 0; c < columns; c++)
				sum[c] += row[c];
		}
		kernel_put(call, &out, i * columns, columns, sum);
	}
	mem_free(sum);
}

/* Counts one row per choice, not one per token. */
static void permute_cost(const struct kernel_call *call, double *flops, double *bytes)
{
	double rows = (double)layout_count(&call->in[1].layout) * (double)call->in[0].layout.dim[1] *
	        dtype_bytes((enum dtype)call->in[0].layout.dtype);
	bool gathers = call->kernel->run == unpermute;
	(void)flops;
	*bytes = (double)layout_bytes(&call->in[1].layout) + (gathers ? rows : 0) +
	        (gathers ? 0 : (double)layout_bytes(&call->in[0].layout)) +
	        (double)layout_bytes(&call->out[0].layout) * (call->add ? 2 : 1);
}

/* ---- sort_chunks ---- */

static enum status sort_chunks_shape(struct kernel_call *call)
{
	const struct layout *x = &call->in[0].layout;
	enum status status = wants_i32(call, 1);
	if (status == ST_OK)
		status = wants_matrix(call, 1);
	return status == ST_OK ? kernel_out(call, 0, (enum dtype)x->dtype, x->dims, x->dim) : status;
}

/* n = [2 1]     x    a a b | c d d      n[0,0] = 2 rows a, n[0,1] = 1 row b, ...
 *     [1 2]     y    a a c | b d d      by columns of n
 * If n counts fewer rows than x has, the rest are NaN. */
static void sort_chunks(const struct kernel_call *call)
{
	const struct layout *x = &call->in[0].layout, *n = &call->in[1].layout;
	int64_t across = n->dim[1], chunks = layout_count(n), rows = x->dim[0],
	        columns = rows ? layout_count(x) / rows : 0, place = 0;
	struct lane in = lane_of(&call->in[0]), counts = lane_of(&call->in[1]), out = lane_of(&call->out[0]);
	double *row = mem_alloc((size_t)columns * sizeof *row);
	int64_t *from = mem_alloc((size_t)(chunks + 1) * sizeof *from);

	for (int64_t k = 0; k < chunks; k++)
		from[k + 1] = from[k] + most_of(kernel_index(&counts, k, rows + 1), 0);
	for (int64_t k = 0; k < chunks; k++) {
		int64_t chunk = k % n->dim[0] * across + k / n->dim[0];
		for (int64_t r = from[chunk]; r < from[chunk + 1] && r < rows && place < rows; r++) {
			lane_read(&in, r * columns, columns, row);
			kernel_put(call, &out, place++ * columns, columns, row);
		}
	}
	for (int64_t c = 0; c < columns; c++)
		row[c] = NAN;
	for (; place < rows; place++)
		kernel_put(call, &out, place * columns, columns, row);
	mem_free(from);
	mem_free(row);
}

const struct kernel kernels_permute[] = {
        {
                KERNEL_ROW("binsort", "cub::DeviceRadixSort::SortPairs", 1, 2),
                .usage = "to n = binsort ids bins=NUMBER [capacity=0]",
                .help = "to is each number's index in a stable sort by value, and n [bins] each value's "
                        "count. With a capacity C, value e has the indices from C*e, and numbers after its"
                        " C-th get -1",
                .torch = "n = torch.bincount(ids.flatten(), minlength=bins); to = "
                         "ids.flatten().argsort(stable=True).argsort().view_as(ids)",
                .example = "tensor ids[4,2] i32 = iota scale=2\nto n = binsort ids bins=16",
                .option = {{"bins", NAN, "the number of values, counted from 0", KO_WHOLE, 1},
                        {"capacity", 0, "places per bin (0: no limit)", KO_WHOLE, 0}},
                .shape = binsort_shape,
                .indices = bin_numbers,
                .operations = 8,
                .run = binsort,
        },
        {
                KERNEL_LAUNCHED("permute", "rows", 2, 1),
                .usage = "xs = permute x to rows=NUMBER",
                .help = "adds row i of x [n,m] to the rows of xs [rows,m] that `to` [n] or [n,k] (i32, as "
                        "binsort gives it) names for row i; -1 is skipped. It is unpermute's gradient",
                .torch = "xs = torch.zeros(rows, m).index_add_(0, to.flatten(), x.repeat_interleave(k, 0))",
                .example = "tensor x[4,8] = randn\ntensor to[4] i32 = iota\nxs = permute x to rows=4",
                .option = {{"rows", NAN, "rows of the result", KO_WHOLE, 0}},
                .shape = permute_shape,
                .indices = permuted_rows,
                .cost = permute_cost,
                .run = permute,
        },
        {
                KERNEL_LAUNCHED("unpermute", "rows", 2, 1),
                .usage = "y = unpermute ys to",
                .help = "row i of y is the sum of the rows of ys that `to` [n] or [n,k] (i32) names for "
                        "row i. It is permute's inverse, and its gradient",
                .torch = "y = ys[to.flatten()].view(n, k, m).sum(1)",
                .example = "tensor ys[8,4] = randn\ntensor to[4,2] i32 = iota\ny = unpermute ys to",
                .shape = unpermute_shape,
                .indices = permuted_rows,
                .cost = permute_cost,
                .operations = 1,
                .run = unpermute,
        },
        {
                KERNEL_LAUNCHED("sort_chunks", "rows", 2, 1),
                .usage = "y = sort_chunks x n",
                .help = "reorders chunks of rows: in x they have n[0,0], n[0,1] ... n[1,0] ... rows (i32),"
                        " row by row of n; y has them column by column of n: (0,0), (1,0) ... (0,1) ... "
                        "`sort_chunks y n.T` is the inverse, and the gradient",
                .torch = "c = x.split(n.flatten().tolist()); y = torch.cat([c[i*b+j] for j in range(b) for i "
                         "in range(a)])",
                .example = "tensor x[4,8] = randn\ntensor n[2,2] i32 = ones\ny = sort_chunks x n",
                .shape = sort_chunks_shape,
                .run = sort_chunks,
        },
        {0},
};

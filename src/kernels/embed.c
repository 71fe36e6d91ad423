/* embed.c -- embed and its gradient: table rows by id; colsum: the sum of each column, a bias's
 * gradient.
 *
 * An id outside the table is reported (kernel_find_index); it gives a row of NaN and adds to no
 * gradient.
 *
 *      table        ids        x = embed table ids       dtable = embed_grad dx ids rows=4
 *      row 0   a    2          c                         row 0   dx1
 *      row 1   b    0          a                         row 1   0
 *      row 2   c    2          c                         row 2   dx0 + dx2
 *      row 3   d                                         row 3   0
 */
#include "kernels/common.h"
#include "base/memory.h"

#include <math.h>

/* Argument 0 is [rows,columns]; ids, if any, are row numbers. The result is [rows,columns]. */
static enum status rows_of_columns(struct kernel_call *call, int64_t rows)
{
	const struct kernel_tensor *x = &call->in[0], *ids = &call->in[1];
	if (x->layout.dims != 2)
		return fail(ST_SHAPE, "%s has %d dimensions: %s needs two, [rows,columns]", x->name,
		        x->layout.dims, call->kernel->name);
	enum status status = kernel_wants_float(call, 0);
	if (status == ST_OK && call->ins > 1 && ids->layout.dtype != DT_I32)
		return fail(ST_DTYPE, "%s is %s: %s takes numbers of rows in i32", ids->name,
		        dtype_name((enum dtype)ids->layout.dtype), call->kernel->name);
	int64_t dim[2] = {rows, x->layout.dim[1]};
	return status == ST_OK ? kernel_out(call, 0, (enum dtype)x->layout.dtype, 2, dim) : status;
}

/* ---- embed ---- */

static enum status embed_shape(struct kernel_call *call)
{
	return rows_of_columns(call, layout_count(&call->in[1].layout));
}

static void embed_cost(const struct kernel_call *call, double *flops, double *bytes)
{
	(void)flops;
	*bytes = (double)layout_bytes(&call->in[1].layout) +
	        (double)layout_bytes(&call->out[0].layout) * (call->add ? 3 : 2);
}

/* ids may have any shape: its elements in C order give the result's rows. */
static void embed(const struct kernel_call *call)
{
	int64_t rows = call->in[0].layout.dim[0], columns = call->in[0].layout.dim[1],
	        count = layout_count(&call->in[1].layout);
	struct lane table = lane_of(&call->in[0]), ids = lane_of(&call->in[1]), out = lane_of(&call->out[0]);
	double *row = mem_alloc((size_t)columns * sizeof *row);

	for (int64_t i = 0; i < count; i++) {
		int64_t r = kernel_index(&ids, i, rows);
		if (r >= 0)
			lane_read(&table, r * columns, columns, row);
		for (int64_t c = 0; c < columns && r < 0; c++)
			row[c] = NAN;
		kernel_put(call, &out, i * columns, columns, row);
	}
	mem_free(row);
}

/* ---- sums of rows: embed_grad and colsum ---- */

static enum status embed_grad_shape(struct kernel_call *call)
{
	const struct kernel_tensor *dx = &call->in[0], *ids = &call->in[1];
	enum status status = rows_of_columns(call, (int64_t)call->option[0]);
	if (status == ST_OK && layout_count(&ids->layout) != dx->layout.dim[0])
		return fail(ST_SHAPE,
		        "%s has %lld rows, %s has %lld numbers: embed_grad needs one for each row", dx->name,
		        (long long)dx->layout.dim[0], ids->name, (long long)layout_count(&ids->layout));
	return status;
}

static struct kernel_indices table_rows(const struct kernel_call *call)
{
	bool gathers = call->kernel->shape == embed_shape;
	return (struct kernel_indices){.argument = 1,
	        .end = gathers ? call->in[0].layout.dim[0] : call->out[0].layout.dim[0],
	        .unused = NAN,
	        .names = "a row of the table"};
}

/* The result is one row, without a row dimension. */
static enum status colsum_shape(struct kernel_call *call)
{
	enum status status = rows_of_columns(call, 1);
	return status == ST_OK
	        ? kernel_out(call, 0, (enum dtype)call->in[0].layout.dtype, 1, &call->in[0].layout.dim[1])
	        : status;
}

static void add_rows(const struct kernel_call *call)
{
	kernel_add_rows(call, 1);
}

const struct kernel kernels_embed[] = {
        {
                KERNEL_LAUNCHED("embed", "tokens", 2, 1),
                .usage = "x = embed table ids",
                .help = "the rows of table [rows,columns] that ids (i32) name: one for each id",
                .torch = "x = F.embedding(ids, table)",
                .example = "tensor table[8,4] = randn\ntensor ids[5] i32 = iota\nx = embed table ids",
                .shape = embed_shape,
                .indices = table_rows,
                .cost = embed_cost,
                .run = embed,
        },
        {
                KERNEL_LAUNCHED("embed_grad", "rows", 2, 1),
                .usage = "dtable = embed_grad dx ids rows=NUMBER",
                .help = "embed's gradient with respect to its table: each row of dx added to the row that "
                        "its id names",
                .torch = "dtable = torch.zeros(rows, d).index_add_(0, ids, dx)",
                .example =
                        "tensor dx[5,4] = randn\ntensor ids[5] i32 = iota\ndtable = embed_grad dx ids rows=8",
                .option = {{"rows", NAN, "rows of the table", KO_WHOLE, 1}},
                .shape = embed_grad_shape,
                .indices = table_rows,
                .operations = 1,
                .run = add_rows,
        },
        {
                KERNEL_ROW("colsum", "cublasSgemv", 1, 1),
                .usage = "y = colsum x",
                .help = "the sum of each column: [n,m] gives [m], a bias's gradient",
                .torch = "y = x.sum(0)",
                .example = "tensor x[4,8] = randn\ny = colsum x",
                .shape = colsum_shape,
                .operations = 1,
                .run = add_rows,
        },
        {0},
};

/* plan_rows.c -- launches of row kernels: the families rows and embed, crossentropy, and
 * reductions to one number (rows.cu, embed.cu, loss.cu) */
#include "base/arithmetic.h"
#include "cuda/kernels/launch.h"

enum { BLOCKS = 4096, PARTS = 1024, SHORT = 1024 };

/* Returns the type of all operands with such rows if rows have groups of 16 bytes and nothing is
 * added; else no dtype. */
static int type_of(const struct rows *rows)
{
	const struct strided *operand[] = {&rows->in[0], &rows->in[1], &rows->out};
	int type = rows->in[0].dtype, group = 16 / (int)dtype_bytes((enum dtype)type);
	bool alike = !rows->add && type != DT_I32 && rows->columns % group == 0;
	for (int i = 0; i < 3 && alike; i++) {
		const struct strided *of = operand[i];
		int last = of->dims - 1;
		bool places = i == 1 && of->dtype == DT_I32; /* ids, classes */
		if (last < 0 || places || of->dim[last] != rows->columns)
			continue;
		alike = of->dtype == type && of->stride[last] == 1 && (intptr_t)of->data % 16 == 0;
		for (int d = 0; d < last; d++)
			alike = alike && of->stride[d] % group == 0;
	}
	return alike ? type : DT_COUNT;
}

static struct rows rows_of(const struct kernel_call *call, const struct layout *layout)
{
	int64_t columns = layout->dim[layout->dims - 1];
	struct rows rows = {.out = strided_of(&call->out[0]),
	        .rows = layout_rows(layout),
	        .columns = columns,
	        .eps = call->option[0],
	        .add = call->add,
	        .divisor = 1};
	for (int i = 0; i < call->ins; i++)
		rows.in[i] = strided_of(&call->in[i]);
	rows.type = type_of(&rows);
	return rows;
}

/* One team per row: a warp for short rows, else a block. If there are more rows than BLOCKS
 * blocks hold, a team takes several. */
static void add_teams(struct launch_plan *plan, const char *function, const struct rows *rows)
{
	int team = rows->columns <= SHORT ? 32 : THREADS, teams = THREADS / team;
	launch_add(plan, function, least_of(parts_of(rows->rows, teams), BLOCKS), team, teams, rows,
	        sizeof *rows);
}

void plan_rows(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct rows rows = rows_of(call, &call->in[0].layout);
	add_teams(plan, function, &rows);
}

static void add_parts(struct launch_plan *plan, struct rows rows, int64_t count, double divisor)
{
	rows.rows = count;
	rows.divisor = divisor;
	launch_add(plan, "loss_sum_of_parts", 1, THREADS, 1, &rows, sizeof rows);
}

/* Contiguous elements are addressed without divisions. */
static void in_one_line(struct strided *strided, const struct layout *layout)
{
	if (!layout_contiguous(layout))
		return;
	strided->dims = 1;
	strided->dim[0] = layout_count(layout);
	strided->stride[0] = 1;
}

void plan_total(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct rows rows = rows_of(call, &call->in[0].layout);
	int64_t count = rows.columns * rows.rows, blocks = least_of(parts_of(count, 8 * THREADS), PARTS);
	rows.columns = count;
	for (int i = 0; i < call->ins; i++)
		in_one_line(&rows.in[i], &call->in[i].layout);
	rows.parts = launch_workspace(plan, blocks * (int64_t)sizeof *rows.parts);
	launch_add(plan, function, blocks, THREADS, 1, &rows, sizeof rows);
	add_parts(plan, rows, blocks, call->ins > 1 ? (double)count : 1);
}

void plan_mse_grad(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	plan_elements_with(call, function,
	        (double[ELEMENTS_OPTIONS]){2.0 / (double)layout_count(&call->in[0].layout)}, plan);
}

/* Logits and targets. If the mean is over the rows that count, or their number is a result, a
 * launch counts them first. */
static struct rows rows_of_targets(const struct kernel_call *call, struct launch_plan *plan)
{
	struct rows rows = rows_of(call, &call->in[0].layout), count;
	bool given = call->option[1] > 0, classes = call->in[1].layout.dtype == DT_I32;
	rows.ignore = call->option[0];
	rows.divisor = given ? call->option[1] : (double)rows.rows;
	count = rows;
	count.counted = launch_workspace(plan, sizeof *count.counted);
	if (call->outs > 1)
		count.out = strided_of(&call->out[1]);
	count.count = call->outs > 1;
	if (call->outs > 1 || (classes && !given))
		launch_add(plan, "loss_rows_that_count", 1, THREADS, 1, &count, sizeof count);
	rows.counted = classes && !given ? count.counted : NULL;
	return rows;
}

void plan_crossentropy(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct rows rows = rows_of_targets(call, plan);
	rows.parts = launch_workspace(plan, rows.rows * (int64_t)sizeof *rows.parts);
	add_teams(plan, function, &rows);
	add_parts(plan, rows, rows.rows, rows.divisor);
}

void plan_crossentropy_grad(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct rows rows = rows_of_targets(call, plan);
	add_teams(plan, function, &rows);
}

void plan_embed(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct rows rows = rows_of(call, &call->out[0].layout);
	rows.count = call->in[0].layout.dim[0];
	add_teams(plan, function, &rows);
}

void plan_embed_grad(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct rows rows = rows_of(call, &call->out[0].layout);
	rows.count = call->in[0].layout.dim[0];
	in_one_line(&rows.in[1], &call->in[1].layout);
	launch_add(plan, function, rows.rows, THREADS, 1, &rows, sizeof rows);
}

void plan_colsum(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct rows rows = rows_of(call, &call->in[0].layout);
	launch_add(plan, function, parts_of(rows.columns, 32), 32, 16, &rows, sizeof rows);
}

/* diff.c -- two worlds operation by operation: a row for each name, over all ranks
 *
 *      operation      times   base     wide      each   base      wide
 *      matmul y               8        8                2.00 ms   1.00 ms   x 0.50
 *      allreduce g            4        -                1.50 ms   - */
#include "base/memory.h"
#include "base/names.h"
#include "trace/diff.h"
#include "trace/lanes.h"
#include "trace/table.h"

#include <math.h>
#include <stdlib.h>

struct name_sum {
	name_id name;
	size_t count[2], ended[2];
	double ns[2];
};
struct name_sums {
	struct names *names;
	struct name_sum *sum;
	size_t count;
};

static enum status add_side(struct name_sums *sums, const struct diff_side *side, int which)
{
	const struct world *world = side->trace.world;
	struct text label = {0};
	enum status status = ST_OK;
	for (op_id id = 1; id <= world->op_count && status == ST_OK; id++) {
		const struct record *record = op_record(world, id);
		struct times t = backend_times(side->trace.backend, id);
		if (!trace_in(&side->trace, id, side->section) ||
		        !(trace_is_work(record->kind) || record->kind == OP_HOST))
			continue;
		text_clear(&label);
		op_label(world, id, &label);
		name_id name = names_make(sums->names, text_string(&label), label.count);
		while (sums->count < (size_t)name) {
			name_id next = (name_id)sums->count + 1;
			*MEM_ADD(&sums->sum, &sums->count) = (struct name_sum){.name = next};
		}
		struct name_sum *sum = &sums->sum[name - 1];
		sum->count[which]++;
		if (t.start != TIME_UNKNOWN && t.end != TIME_UNKNOWN) {
			sum->ended[which]++;
			sum->ns[which] += (double)(t.end - t.start);
		}
		if (id % 4096 == 0)
			status = trace_step(&side->trace, 4096);
	}
	text_release(&label);
	return status;
}

/* The largest difference of their sums first, then in the order of first use */
static int furthest_first(const void *a, const void *b)
{
	const struct name_sum *x = a, *y = b;
	double p = fabs(x->ns[0] - x->ns[1]), q = fabs(y->ns[0] - y->ns[1]);
	if (p != q)
		return p > q ? -1 : 1;
	return x->name < y->name ? -1 : 1;
}

static bool differs(const struct name_sum *sum)
{
	return sum->count[0] != sum->count[1] || sum->ns[0] != sum->ns[1];
}

static void put_row(struct table *table, const struct name_sums *sums, const struct name_sum *sum)
{
	double each[2];
	table_cell(table, "%s", names_text(sums->names, sum->name));
	for (int i = 0; i < 2; i++)
		if (sum->count[i])
			table_cell(table, "%zu", sum->count[i]);
		else
			table_cell(table, "-");
	for (int i = 0; i < 2; i++) {
		each[i] = sum->ended[i] ? sum->ns[i] / (double)sum->ended[i] : 0;
		if (sum->ended[i])
			table_time(table, (int64_t)(each[i] + 0.5));
		else
			table_cells(table, sum->count[i] ? "waits" : "-");
	}
	if (each[0] > 0 && each[1] > 0)
		table_cell(table, "x %.2f", each[1] / each[0]);
	table_row(table);
}

enum status trace_diff_operations(const struct diff_side side[2], int width, struct text *out)
{
	enum { ROWS_MOST = 20 };
	struct name_sums sums = {.names = names_create()};
	struct table table = {.align = "lr"};
	size_t apart = 0;
	enum status status = add_side(&sums, &side[0], 0);
	if (status == ST_OK)
		status = add_side(&sums, &side[1], 1);
	for (size_t i = 0; i < sums.count; i++)
		apart += differs(&sums.sum[i]);
	if (status == ST_OK && !apart) {
		text_add(out, "every operation takes as long in both\n");
	} else if (status == ST_OK) {
		qsort(sums.sum, sums.count, sizeof *sums.sum, furthest_first);
		table_line(&table, "operations of all ranks", "times", "", "each", "", "");
		for (size_t i = 0, shown = 0; i < sums.count && shown < ROWS_MOST; i++)
			if (differs(&sums.sum[i])) {
				put_row(&table, &sums, &sums.sum[i]);
				shown++;
			}
		table_print(&table, width, out);
		if (apart > ROWS_MOST)
			text_add(out, "   ... and %zu more\n", apart - ROWS_MOST);
		if (sums.count > apart)
			text_add(out, "   %zu name%s as long and as often in both\n", sums.count - apart,
			        sums.count - apart == 1 ? " is" : "s are");
	}
	table_release(&table);
	names_free(sums.names);
	mem_free(sums.sum);
	return status;
}

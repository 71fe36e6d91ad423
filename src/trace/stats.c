/* stats.c -- the figures of each rank, with equal ranks in one column; the figures of two sections
 * or worlds side by side
 *
 *      ranks            0-2        3               diff             slow      quick
 *      time             3.20 ms    3.90 ms         time             2.00 ms   1.00 ms   x 0.50
 *      busy default     81%        66%             operations       4         4         x 1.00 */
#include "base/memory.h"
#include "trace/figures.h"
#include "trace/lanes.h"
#include "trace/table.h"
#include "base/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 6 };

struct columns {
	struct blocks seen;
	struct figures *figures;
	size_t came, count;
};

/* Measured figures are hardly ever equal. They count as equal within 1 % of the time, or one
 * percentage point. */
static bool figures_alike(const struct figures *a, const struct figures *b)
{
	const struct figure *time = figures_find(a, "time");
	bool same = a->count == b->count;
	for (size_t i = 0; i < a->count && same; i++) {
		const struct figure *x = &a->figure[i], *y = &b->figure[i];
		double off = x->kind == FIGURE_TIME && time ? 0.01 * time->value
		        : x->kind == FIGURE_PART            ? 0.01
		                                            : 0;
		same = strcmp(x->name, y->name) == 0 && x->known == y->known &&
		        fabs(x->value - y->value) <= off;
	}
	return same;
}

/* Returns the rank's time plus its streams' work, by which a slow rank differs most from
 * others. */
static double busy_of(const struct figures *figures)
{
	const struct figure *time = figures_find(figures, "time");
	double sum = 1;
	for (size_t i = 0; i < figures->count; i++)
		if (strncmp(figures->figure[i].name, "busy ", 5) == 0)
			sum += figures->figure[i].value;
	return time ? time->value * sum : 0;
}

static enum status add_rank(
        const struct trace *trace, int section, int rank, struct columns *columns, struct text *line)
{
	struct figures figures = {0};
	size_t before = columns->seen.count;
	enum status status = figures_of_rank(trace, section, rank, &figures);

	text_clear(line);
	for (size_t i = 0; i < figures.count; i++) {
		text_add(line, "%s ", figures.figure[i].name);
		figure_text(&figures.figure[i], line);
		text_add(line, "\n");
	}
	bool joined = false;
	for (size_t i = 0; status == ST_OK && trace->backend->measures && i < columns->came && !joined; i++) {
		joined = figures_alike(&columns->figures[i], &figures);
		if (joined)
			ranks_add(&columns->seen.block[i].ranks, rank);
	}
	if (status == ST_OK && !joined)
		blocks_add(&columns->seen, rank, line)->weight = busy_of(&figures);
	if (columns->seen.count > before)
		*MEM_ADD(&columns->figures, &columns->came) = figures;
	else
		figures_release(&figures);
	return status;
}

static void put_figure(struct table *table, const struct figures *figures, const char *name)
{
	const struct figure *figure = figures_find(figures, name);
	if (figure)
		figure_text(figure, &table->cells);
	table_cell(table, "%s", figure ? "" : "-");
}

/* Measured: a cause that would be shown as 0 % in all columns has no row. */
static bool is_seen(const struct trace *trace, const struct figures *figures, size_t count, const char *name)
{
	bool seen = !trace->backend->measures || strncmp(name, "stall ", 6) != 0;
	for (size_t i = 0; i < count && !seen; i++) {
		const struct figure *figure = figures_find(&figures[i], name);
		seen = figure && figure->value >= 0.005;
	}
	return seen;
}

static void fill_columns(const struct trace *trace, const struct columns *columns, struct table *table)
{
	struct figures names = {0}, shown[COLUMNS_MOST];

	text_clear(&table->cells);
	table_cell(table, "ranks");
	for (size_t i = 0; i < columns->count; i++) {
		shown[i] = columns->figures[columns->seen.block[i].came];
		figures_join(&names, &shown[i]);
		table_ranks(table, &columns->seen.block[i].ranks);
		table_end(table);
	}
	table_row(table);
	for (size_t k = 0; k < names.count; k++) {
		if (!is_seen(trace, shown, columns->count, names.figure[k].name))
			continue;
		table_cell(table, "%s", names.figure[k].name);
		for (size_t i = 0; i < columns->count; i++)
			put_figure(table, &shown[i], names.figure[k].name);
		table_row(table);
	}
	figures_release(&names);
}

static void print_columns(const struct trace *trace, struct columns *columns, int width, struct text *out)
{
	struct table table = {.align = "lr"};

	blocks_sort(&columns->seen);
	columns->count = columns->seen.count < COLUMNS_MOST ? columns->seen.count : COLUMNS_MOST;
	fill_columns(trace, columns, &table);
	while (columns->count > 1 && table_width(&table) > width) {
		columns->count--;
		fill_columns(trace, columns, &table);
	}
	table_print(&table, width, out);
	if (columns->seen.count > columns->count)
		text_add(out, "   ... and %zu more sets of ranks\n", columns->seen.count - columns->count);
}

/* Prints the bubble if stages send to each other; nothing while an operation has no end. */
static enum status print_bubble(const struct trace *trace, int section, struct text *out)
{
	bool found = false;
	double part = 0;

	for (op_id id = 1; id <= trace->world->op_count && !found; id++)
		found = trace_in(trace, id, section) && trace_is_stage_transfer(trace->world, id);
	enum status status = found ? metric_bubble(trace, section, 0, &part) : ST_OK;
	if (status == ST_OK && found)
		text_add(out, "   bubble of the schedule %.1f%%\n", 100 * part);
	return status == ST_WAITS ? ST_OK : status;
}

/* Prints MFU, and HFU if it is larger; nothing without matrix products, or if one has no end. */
static enum status print_mfu(const struct trace *trace, int section, struct text *out)
{
	double model = 0, all = 0;
	enum status status = metric_mfu(trace, section, false, &model);
	if (status == ST_OK)
		status = metric_mfu(trace, section, true, &all);
	if (status == ST_OK && all > 0) {
		text_add(out, "   model FLOPs utilization (mfu) %.1f%%", 100 * model);
		if (all > model)
			text_add(out, ", hardware (hfu) %.1f%%", 100 * all);
		text_add(out, "\n");
	}
	return status == ST_WAITS ? ST_OK : status;
}

static enum status one_section(const struct trace *whole, int section, int width, struct text *out)
{
	struct iterations iterations;
	const struct trace steady = trace_steady(whole, section, &iterations), *trace = &steady;
	struct columns columns = {0};
	struct text line = {0};
	enum status status = ST_OK;

	for (int rank = 0; rank < trace->world->n && status == ST_OK; rank++)
		if (trace_tells(trace, rank))
			status = add_rank(trace, section, rank, &columns, &line);
	text_add(out, "%s", section_name(trace, section));
	iterations_text(&iterations, out);
	text_add(out, "\n");
	if (status == ST_OK)
		print_columns(trace, &columns, width, out);
	if (status == ST_OK)
		status = print_bubble(trace, section, out);
	if (status == ST_OK)
		status = print_mfu(trace, section, out);
	if (status == ST_OK)
		status = trace_predicted(trace, section, width, out);
	text_release(&line);
	for (size_t i = 0; i < columns.came; i++)
		figures_release(&columns.figures[i]);
	mem_free(columns.figures);
	blocks_release(&columns.seen);
	return status;
}

enum status trace_stats(const struct trace *trace, int section, int width, struct text *out)
{
	enum status status = ST_OK;
	int64_t digit = 1; /* the last digit shown of the time, ns */
	int used = 0;

	if (trace_says_nothing(trace, section, out))
		return ST_OK;
	for (size_t s = 0; section < 0 && s < trace->world->section_count && status == ST_OK; s++)
		used += section_used(trace, s);
	for (size_t s = 0; used > 1 && s < trace->world->section_count && status == ST_OK; s++)
		if (section_used(trace, s))
			status = one_section(trace, s, width, out);
	if (status == ST_OK)
		status = one_section(trace, section, width, out);
	struct window window = trace_time(trace, section);
	while (digit < 10000 && (window.to - window.from) / digit >= 1000)
		digit *= 10;
	if (status == ST_OK)
		trace_put_uncertainty(trace, digit, out);
	return status;
}

enum status trace_figures(const struct trace *whole, int section, trace_figure *take, void *self)
{
	struct iterations iterations;
	const struct trace steady = trace_steady(whole, section, &iterations);
	enum status status = ST_OK;
	for (int rank = 0; rank < steady.world->n && status == ST_OK; rank++) {
		struct figures figures = {0};
		if (trace_tells(&steady, rank))
			status = figures_of_rank(&steady, section, rank, &figures);
		for (size_t i = 0; i < figures.count && status == ST_OK; i++)
			if (figures.figure[i].known)
				take(self, rank, figures.figure[i].name, figures.figure[i].value);
		figures_release(&figures);
	}
	return status;
}

/* A ratio makes sense for times, bytes and counts, not for parts. */
static void put_pair(struct table *table, const struct figures *a, const struct figures *b, const char *name)
{
	const struct figure *x = figures_find(a, name), *y = figures_find(b, name);

	table_cell(table, "%s", name);
	put_figure(table, a, name);
	put_figure(table, b, name);
	if (x && y && x->known && y->known && x->value > 0 && x->kind != FIGURE_PART)
		table_cell(table, "x %.2f", y->value / x->value);
	table_row(table);
}

enum status trace_diff_figures(const struct diff_side side[2], int width, struct text *out)
{
	struct figures x = {0}, y = {0}, names = {0};
	struct table table = {.align = "lr"};
	if (trace_empty(&side[0].trace, side[0].section) && trace_empty(&side[1].trace, side[1].section)) {
		text_add(out, "nothing has run in either\n");
		return ST_OK;
	}
	enum status status = figures_of_section(&side[0].trace, side[0].section, &x);

	if (status == ST_OK)
		status = figures_of_section(&side[1].trace, side[1].section, &y);
	figures_join(&names, &x);
	figures_join(&names, &y);
	table_line(&table, "", side[0].name, side[1].name);
	for (size_t i = 0; i < names.count; i++)
		if (is_seen(&side[0].trace, (struct figures[]){x, y}, 2, names.figure[i].name))
			put_pair(&table, &x, &y, names.figure[i].name);
	if (status == ST_OK)
		table_print(&table, width, out);
	table_release(&table);
	figures_release(&x);
	figures_release(&y);
	figures_release(&names);
	return status;
}

enum status trace_diff(const struct trace *trace, int a, int b, int width, struct text *out)
{
	const struct diff_side side[2] = {
	        {*trace, a, section_name(trace, a)}, {*trace, b, section_name(trace, b)}};
	return trace_diff_figures(side, width, out);
}

/* ---- two worlds operation by operation: a row for each name, over all ranks
 *
 *      operations of all ranks  times         each
 *      matmul y                     8  8   2.00 ms  1.00 ms  x 0.50
 *      allreduce g                  4  -   1.50 ms        - */

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
			text_add(out, "   %zu name%s the same number and time in both\n", sums.count - apart,
			        sums.count - apart == 1 ? " has" : "s have");
	}
	table_release(&table);
	names_free(sums.names);
	mem_free(sums.sum);
	return status;
}

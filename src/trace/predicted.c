/* predicted.c -- measured and simulated times by kind of operation
 *
 *      predicted        operations  each measured  predicted   error  median
 *      matmul                   24        1.23 ms    1.20 ms   -2.4%    3.1%
 *      copy to the GPU          12         480 us     512 us   +6.7%    6.5%
 *      launch                   72         3.1 us       4 us  +29.0%
 *      time                               12.3 ms    11.9 ms   -3.3%
 *
 * error: relative error of the sums, above 0 if the simulator takes too long. median: that of
 * single operations' absolute errors. */
#include "trace/figures.h"
#include "backend/cost.h"
#include "machine/fit.h"
#include "trace/lanes.h"
#include "trace/table.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 12, FEW = 3 /* no median of less */ };

struct foretold_kind {
	char name[48];
	double measured, predicted;
	double *error; /* |predicted - measured| / measured, of each */
	size_t count;
};
struct prediction {
	struct foretold_kind *kind, launches;
	size_t kinds;
	bool queued;
};

static void name_of(const struct world *world, const struct record *record, char *name, size_t room)
{
	static const char *const ways[] = {[COPY_TO_DEVICE] = " to the GPU",
	        [COPY_TO_HOST] = " to the host",
	        [COPY_FROM_DISK] = " from disk",
	        [COPY_TO_DISK] = " to disk",
	        [COPY_ON_DEVICE] = " on the GPU",
	        [COPY_ON_HOST] = " on the host"};
	bool copies = record->kind == OP_COPY;
	snprintf(name, room, "%s%s%s", names_text(world->names, record->title),
	        copies && copy_is_pageable(record) ? ", pageable," : "",
	        copies ? ways[copy_way(record)] : "");
}

static struct foretold_kind *kind_of(struct prediction *all, const char *name)
{
	for (size_t i = 0; i < all->kinds; i++)
		if (strcmp(all->kind[i].name, name) == 0)
			return &all->kind[i];
	struct foretold_kind *kind = MEM_ADD(&all->kind, &all->kinds);
	*kind = (struct foretold_kind){0};
	snprintf(kind->name, sizeof kind->name, "%s", name);
	return kind;
}

static void kind_add(struct foretold_kind *kind, double measured, double predicted)
{
	kind->measured += measured;
	kind->predicted += predicted;
	*MEM_ADD(&kind->error, &kind->count) = fabs(predicted - measured) / measured;
}

static void add_operation(const struct trace *trace, op_id id, struct prediction *all)
{
	const struct record *record = op_record(trace->world, id);
	struct times t = backend_times(trace->backend, id), p;
	char name[sizeof all->kind->name];
	all->queued |= t.projected;
	if (t.projected || t.sent_nothing || !trace->backend->predicted(trace->backend, id, &p))
		return;
	if (t.launch > 0 && p.launch > 0)
		kind_add(&all->launches, t.launch, p.launch);
	if (!trace_is_work(record->kind) || t.divided || p.end == TIME_UNKNOWN || t.end <= t.start)
		return;
	name_of(trace->world, record, name, sizeof name);
	kind_add(kind_of(all, name), t.end - t.start, p.end - p.start);
}

static int by_measured(const void *a, const void *b)
{
	const struct foretold_kind *x = a, *y = b;
	return x->measured != y->measured ? (x->measured < y->measured) - (x->measured > y->measured)
	                                  : strcmp(x->name, y->name);
}

static void put_pair(struct table *table, double measured, double predicted)
{
	table_time(table, llround(measured));
	table_time(table, llround(predicted));
	table_cell(table, "%+.1f%%", 100 * (predicted - measured) / measured);
}

static void put_kind(struct table *table, struct foretold_kind *kind)
{
	if (!kind->count)
		return;
	double n = (double)kind->count;
	table_cell(table, "%s", kind->name);
	table_cell(table, "%zu", kind->count);
	put_pair(table, kind->measured / n, kind->predicted / n);
	if (kind->count >= FEW)
		table_cell(table, "%.1f%%", 100 * fit_median(kind->error, kind->count));
	table_row(table);
}

/* A backend with the predicted times of the operations that have run */
struct foretold {
	struct backend backend; /* first: its functions find the rest by it */
	struct backend *measured;
};

static void foretold_times(struct backend *backend, op_id id, struct times *times)
{
	struct backend *measured = ((struct foretold *)backend)->measured;
	if (!measured->predicted(measured, id, times))
		measured->times(measured, id, times);
}

static enum status put_time(struct table *table, const struct trace *trace, int section)
{
	struct foretold foretold = {.backend = *trace->backend, .measured = trace->backend};
	struct trace other = {.world = trace->world,
	        .backend = &foretold.backend,
	        .budget = trace->budget,
	        .first = trace->first};
	int64_t measured, predicted;
	foretold.backend.times = foretold_times;
	enum status status = metric_longest(trace, section, &measured, NULL);
	if (status == ST_OK)
		status = metric_longest(&other, section, &predicted, NULL);
	if (status == ST_OK && measured > 0) {
		table_cells(table, "time", "");
		put_pair(table, measured, predicted);
		table_row(table);
	}
	return status == ST_WAITS ? ST_OK : status;
}

static enum status print_prediction(
        const struct trace *trace, int section, int width, struct prediction *all, struct text *out)
{
	struct table table = {.align = "lr"};
	enum status status = ST_OK;
	table_line(&table, "predicted", "operations", "each measured", "predicted", "error", "median");
	if (all->kinds)
		qsort(all->kind, all->kinds, sizeof *all->kind, by_measured);
	for (size_t i = 0; i < all->kinds && i < ROWS_MOST; i++)
		put_kind(&table, &all->kind[i]);
	put_kind(&table, &all->launches);
	if (!all->queued)
		status = put_time(&table, trace, section);
	table_print(&table, width, out);
	if (all->kinds > ROWS_MOST)
		text_add(out, "   ... and %zu more kinds\n", all->kinds - ROWS_MOST);
	return status;
}

enum status trace_predicted(const struct trace *trace, int section, int width, struct text *out)
{
	struct prediction all = {.launches = {.name = "launch"}};
	enum status status = ST_OK;
	if (!trace->backend->predicted)
		return ST_OK;
	for (op_id id = 1; id <= trace->world->op_count; id++)
		if (trace_counts(trace, id, section))
			add_operation(trace, id, &all);
	if (all.kinds)
		status = print_prediction(trace, section, width, &all, out);
	for (size_t i = 0; i < all.kinds; i++)
		mem_free(all.kind[i].error);
	mem_free(all.launches.error);
	mem_free(all.kind);
	return status;
}

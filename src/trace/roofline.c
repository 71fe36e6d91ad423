/* roofline.c -- kernels compared with the machine's peak of FLOP/s and memory bandwidth
 *
 *    FLOP/s |        _______ peak               a kernel is bound by the longest of
 *           |      /    x  matmul: by flops         flops / (peak x efficiency)
 *           |    /                                  bytes / memory bandwidth
 *           |  / x  relu: by bytes                  the latency of any kernel
 *           +------------------- flops / byte  (Williams, Waterman, Patterson, CACM 52(4) 2009) */
#include "backend/cost.h"
#include "base/memory.h"
#include "kernels/kernel.h"
#include "trace/lanes.h"
#include "trace/sharing.h"
#include "trace/table.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MOST = 40 };

/* All kernels of one name and type that ran on one rank. Times in ns; at_peak: the time of their
 * flops at the peak */
struct kernel_use {
	name_id title;
	enum dtype dtype;
	bool spins;
	int64_t count, ns, lost;
	double flops, bytes, at_peak;
	double by_flops, by_bytes, by_latency;
};
struct kernel_uses {
	struct kernel_use *use;
	size_t count;
};

static double peak_of(const struct machine *machine, enum dtype dtype)
{
	return dtype == DT_F16 || dtype == DT_BF16 ? machine->peak_half : machine->peak_f32;
}

static void add_use(const struct trace *trace, op_id id, const struct times *t, struct kernel_use *use)
{
	const struct record *record = op_record(trace->world, id);
	const struct machine *machine = trace->world->machine;
	enum dtype dtype = (enum dtype)record->dtype;
	use->count++;
	use->ns += t->end - t->start;
	use->lost += trace_lost(trace, id, t);
	use->flops += record->flops;
	use->bytes += (double)record->bytes;
	use->at_peak += record->flops * 1e9 / peak_of(machine, dtype);
	use->by_flops += record->flops * 1e9 / machine_flop_rate(machine, dtype);
	use->by_bytes += (double)record->bytes * 1e9 / machine->memory_rate;
	use->by_latency += machine->kernel_latency;
}

static bool ran(const struct trace *trace, op_id id, int section, struct times *t)
{
	if (!trace_in(trace, id, section) || !trace_computes(trace->world, id))
		return false;
	*t = backend_times(trace->backend, id);
	return t->end != TIME_UNKNOWN && !t->sent_nothing;
}

static struct kernel_use *use_of(struct kernel_uses *uses, const struct record *record)
{
	for (size_t i = 0; i < uses->count; i++)
		if (uses->use[i].title == record->title && uses->use[i].dtype == (enum dtype)record->dtype)
			return &uses->use[i];
	struct kernel_use *use = MEM_ADD(&uses->use, &uses->count);
	*use = (struct kernel_use){
	        .title = record->title, .dtype = (enum dtype)record->dtype, .spins = record_is_spin(record)};
	return use;
}

/* The longest first; equal ones by name, because numbers of names depend on the order of typing */
static int by_time(const void *a, const void *b, void *names)
{
	const struct kernel_use *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->title != y->title ? strcmp(names_text(names, x->title), names_text(names, y->title))
	                            : (int)x->dtype - (int)y->dtype;
}

static enum status uses_of_rank(const struct trace *trace, int section, int rank, struct kernel_uses *uses)
{
	const struct world *world = trace->world;
	struct times t;
	size_t steps = 0;
	uses->count = 0;
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program, steps++)
		if (ran(trace, id, section, &t))
			add_use(trace, id, &t, use_of(uses, op_record(world, id)));
	if (uses->count)
		qsort_r(uses->use, uses->count, sizeof *uses->use, by_time, world->names);
	return trace_step(trace, steps);
}

struct columns_shown {
	bool rates, bound, lost; /* lost: only if a rank lost time */
};

/* The columns' unit: TFLOP/s and GB/s, for a small machine GFLOP/s and MB/s */
struct rate_unit {
	double size;
	const char *name;
};
static struct rate_unit unit_of(const struct machine *machine, bool bytes)
{
	if (bytes)
		return machine->memory_rate >= 100e9 ? (struct rate_unit){1e9, "GB/s"}
		                                     : (struct rate_unit){1e6, "MB/s"};
	return machine->peak_f32 >= 1e12 ? (struct rate_unit){1e12, "TFLOP/s"}
	                                 : (struct rate_unit){1e9, "GFLOP/s"};
}

static const char *bound_by(const struct kernel_use *use)
{
	if (use->by_flops >= use->by_bytes && use->by_flops >= use->by_latency)
		return "flops";
	return use->by_bytes >= use->by_latency ? "bytes" : "latency";
}

/* A spin has a time, but no other figures. */
static void put_use(const struct trace *trace, const struct kernel_use *use, struct columns_shown shown,
        struct table *row)
{
	bool works = !use->spins && use->ns > 0;
	table_cells(
	        row, names_text(trace->world->names, use->title), use->spins ? "" : dtype_name(use->dtype));
	table_cell(row, "%lld", (long long)use->count);
	table_time(row, use->ns);
	for (int bytes = 0; bytes < 2; bytes++) {
		double rate = (bytes ? use->bytes : use->flops) / (double)use->ns * 1e9,
		       at_peak = bytes ? use->by_bytes : use->at_peak;
		if (works && shown.rates)
			table_cell(row, "%.4g", rate / unit_of(trace->world->machine, bytes).size);
		else if (shown.rates)
			table_end(row);
		if (works)
			table_cell(row, "%.0f%%", 100 * at_peak / (double)use->ns);
		else
			table_end(row);
	}
	if (shown.bound)
		table_cells(row, works ? bound_by(use) : "");
	if (shown.lost)
		table_cells(row, use->lost ? time_words(use->lost).text : "");
	table_row(row);
}

static void put_head(
        const struct machine *machine, struct columns_shown shown, bool lost, struct table *table)
{
	table_cells(table, "ranks", "kernel", "type", "times", "time");
	for (int bytes = 0; bytes < 2; bytes++) {
		if (shown.rates)
			table_cells(table, unit_of(machine, bytes).name);
		table_cells(table, bytes ? "memory" : "peak");
	}
	if (shown.bound)
		table_cells(table, "bound by");
	if (shown.lost && lost)
		table_cells(table, "lost");
	table_row(table);
}

static enum status blocks_of(
        const struct trace *trace, int section, struct columns_shown shown, struct blocks *blocks, bool *lost)
{
	struct kernel_uses uses = {0};
	struct table rows = {0};
	enum status status = ST_OK;
	*lost = false;
	for (int rank = 0; rank < trace->world->n && status == ST_OK; rank++) {
		if (!trace_tells(trace, rank))
			continue;
		status = uses_of_rank(trace, section, rank, &uses);
		text_clear(&rows.cells);
		int64_t took = 0;
		for (size_t i = 0; i < uses.count; i++) {
			put_use(trace, &uses.use[i], shown, &rows);
			*lost |= uses.use[i].lost > 0;
			took += uses.use[i].ns;
		}
		if (uses.count)
			blocks_add(blocks, rank, &rows.cells)->weight = (double)took;
	}
	mem_free(uses.use);
	table_release(&rows);
	return status;
}

static enum status roofline_table(
        const struct trace *trace, int section, struct columns_shown shown, struct table *table)
{
	struct blocks blocks = {0};
	bool lost;
	enum status status = blocks_of(trace, section, shown, &blocks, &lost);
	text_clear(&table->cells);
	if (blocks.count)
		put_head(trace->world->machine, shown, lost, table);
	table_blocks(table, &blocks, BLOCKS_MOST);
	return status;
}

enum status trace_roofline(const struct trace *whole, int section, int width, struct text *out)
{
	struct iterations iterations;
	const struct trace trace = trace_steady(whole, section, &iterations);
	const struct machine *machine = whole->world->machine;
	struct table table = {.align = "lllr"};
	enum status status = ST_OK;
	static const struct columns_shown shapes[] = {{.rates = true, .bound = true, .lost = true},
	        {.bound = true, .lost = true}, {.bound = true}, {0}};
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes && status == ST_OK; i++) {
		status = roofline_table(&trace, section, shapes[i], &table);
		if (table_width(&table) <= width)
			break;
	}
	text_add(out, "kernels and the machine's limits");
	iterations_text(&iterations, out);
	text_add(out, "\n");
	if (!table.cells.count) {
		text_add(out, "   no kernel has run\n");
	} else {
		table_print(&table, width, out);
		text_add(out, "   peaks: f32 ");
		number_text((struct number){machine->peak_f32, UNIT_FLOP_RATE}, out);
		text_add(out, ", f16 and bf16 ");
		number_text((struct number){machine->peak_half, UNIT_FLOP_RATE}, out);
		text_add(out, ", memory ");
		number_text((struct number){machine->memory_rate, UNIT_BYTE_RATE}, out);
		text_add(out, "\n");
	}
	table_release(&table);
	return status;
}

enum status metric_roofline(
        const struct trace *trace, int section, int rank, const char *kernel, struct roofline *roofline)
{
	const struct world *world = trace->world;
	name_id title = names_find(world->names, kernel, strlen(kernel));
	struct kernel_use sum = {0};
	struct times t;
	for (op_id id = title ? world->first[rank] : 0; id; id = world->ops[id].next_program) {
		const struct record *record = op_record(world, id);
		if (record->title != title || record->kind != OP_KERNEL || !trace_in(trace, id, section))
			continue;
		if (ran(trace, id, section, &t))
			add_use(trace, id, &t, &sum);
		else if (!trace_on_host(world, id) && backend_times(trace->backend, id).end == TIME_UNKNOWN)
			return trace_never_ends(trace, id);
	}
	*roofline = (struct roofline){0};
	if (!sum.count)
		return fail(ST_NAME, "no kernel '%s' has run on rank %d in this section", kernel, rank);
	if (sum.ns > 0)
		*roofline = (struct roofline){
		        .flops = sum.at_peak / (double)sum.ns, .bytes = sum.by_bytes / (double)sum.ns};
	return trace_step(trace, (size_t)sum.count);
}

/* Returns the ns that one rank's matrix products in forward and backward passes take at the peak.
 * all: also those of recomputation and the optimizer */
static double at_peak(const struct trace *trace, int section, int rank, bool all)
{
	const struct world *world = trace->world;
	double ns = 0;
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
		const struct record *record = op_record(world, id);
		const struct kernel *kernel = record->kind == OP_KERNEL ? record->kernel : NULL;
		double part = kernel ? kernel->model : 0;
		bool again = record->colour == 'R' || record->colour == 'O';
		if (part == 0 || (again && !all) || trace_on_host(world, id) || !trace_in(trace, id, section))
			continue;
		ns += record->flops * (all ? 1 : part) * 1e9 /
		        peak_of(world->machine, (enum dtype)record->dtype);
	}
	return ns;
}

enum status metric_mfu(const struct trace *whole, int section, bool all, double *part)
{
	struct iterations iterations;
	const struct trace trace = trace_steady(whole, section, &iterations);
	double ns = 0;
	int64_t time;
	int ranks;
	enum status status = metric_longest(&trace, section, &time, &ranks);
	*part = 0;
	for (int rank = 0; rank < trace.world->n && status == ST_OK; rank++)
		ns += at_peak(&trace, section, rank, all);
	if (status == ST_OK && time > 0)
		*part = ns / ((double)time * ranks);
	return status;
}

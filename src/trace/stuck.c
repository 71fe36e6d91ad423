/* stuck.c -- which ranks wait for which, and whether a line could resolve it
 *
 *      ranks 0,1 wait for a line on rank 2
 *         ranks  hangs in  waits for  last done  next in world
 *         0,1    sync      rank 2     matmul y   allreduce y
 *         2                           matmul y   nothing */
#include "base/memory.h"
#include "collectives/algorithm.h"
#include "trace/lanes.h"
#include "trace/table.h"
#include "waits/search.h"
#include "waits/waits.h"

#include <string.h>

/* Of a rank: the operation that it hangs in, and the match that this one depends on */
struct hang {
	op_id on, root;
};

static void put_row(const struct trace *trace, const struct waits *waits, int rank, const struct hang *hang,
        int group, struct table *rows)
{
	struct text *cells = &rows->cells;
	struct ranks absent;

	if (hang->on) {
		const struct op *on = &trace->world->ops[hang->on];
		waits_label(waits, hang->on, -1, cells);
		if (on->stream != STREAM_HOST)
			text_add(cells, " on %s", trace_lane_name(trace, rank, on->stream));
	}
	table_end(rows);
	if (hang->root) {
		waits_absent(waits, hang->root, &absent);
		ranks_drop(&absent, rank);
		if (!ranks_empty(&absent))
			trace_put_ranks(&absent, cells);
	}
	table_end(rows);
	if (waits->rank[rank].last)
		op_label(trace->world, waits->rank[rank].last, cells);
	table_cell(rows, "%s", waits->rank[rank].last ? "" : "nothing");
	op_id next = group < 0 || waits->rank[rank].crashed ? 0 : waits->rank[rank].first;
	while (next &&
	        (waits_finished(waits, next) || op_record(trace->world, next)->group != group ||
	                !trace->world->ops[next].match))
		next = trace->world->ops[next].next_program;
	if (next)
		waits_label(waits, next, -1, cells);
	table_cell(rows, "%s", next ? "" : waits->rank[rank].crashed ? "nothing: it has crashed" : "nothing");
	table_row(rows);
}

static void put_table(const struct trace *trace, const struct waits *waits, const struct hang *hang,
        const struct ranks *shown, int width, struct text *out)
{
	const struct world *world = waits->world;
	struct table table = {.align = "l"}, rows = {0};
	struct blocks blocks = {0};
	int group = -1;

	/* the last column is about one group: the first one that a rank hangs in */
	FOR_RANKS (r, shown)
		if (group < 0 && hang[r].root)
			group = op_record(world, hang[r].root)->group;
	FOR_RANKS (r, shown) {
		text_clear(&rows.cells);
		put_row(trace, waits, r, &hang[r], group, &rows);
		blocks_add(&blocks, r, &rows.cells);
	}
	table_cells(&table, "ranks", "hangs in", "waits for", "last done");
	table_cell(&table, "next in %s",
	        group < 0 ? "line" : names_text(world->names, world->groups[group].name));
	table_row(&table);
	table_blocks(&table, &blocks, SIZE_MAX);
	table_print(&table, width, out);
	table_release(&rows);
}

static void put_mismatch(const struct waits *waits, struct text *out)
{
	const struct world *world = waits->world;
	const struct record *record = op_record(world, waits->mismatch);

	op_text(world, waits->mismatch, out);
	text_add(out, " in %s does not match: ", names_text(world->names, world->groups[record->group].name));
	world_mismatch(world, waits->mismatch, algorithm_name, out);
}

static void put_reason(const struct waits *waits, void (*put)(const struct waits *waits, struct text *out),
        int width, struct text *out)
{
	struct text words = {0};
	put(waits, &words);
	text_wrapped(out, text_string(&words), 3, width);
	text_release(&words);
}

/* "ranks 0,1 wait for a line on rank 2", and the other reasons: a crash, a mismatch, a circle */
static void put_headline(const struct waits *waits, const struct ranks *waiting, const struct ranks *missing,
        bool stuck, int width, struct text *out)
{
	if (stuck)
		text_add(out, "stuck: ");
	trace_put_ranks(waiting, out);
	text_add(out, "%s", ranks_count(waiting) == 1 ? " waits" : " wait");
	if (!ranks_empty(missing)) {
		text_add(out, " for a line on ");
		trace_put_ranks(missing, out);
	}
	text_add(out, "%s\n", stuck && ranks_empty(missing) ? ", and no line can help" : "");
	if (waits->crash.op)
		text_add(out, "   rank %d has crashed, and others wait for it\n", waits->crash.rank);
	if (waits->mismatch)
		put_reason(waits, put_mismatch, width, out);
	if (waits->search.cycle_count)
		put_reason(waits, waits_put_circle, width, out);
}

/* For each match in which ranks hang: the first collective at which one rank is a call ahead of
 * another, and the members that trace_brings_differ names. */
static void put_members(const struct trace *trace, const struct hang *hang, const struct ranks *waiting,
        int width, struct text *out)
{
	enum { NAMED = 4 };
	uint32_t shown[NAMED];
	int count = 0;

	FOR_RANKS (r, waiting) {
		op_id root = hang[r].root;
		uint32_t brings = root ? trace_brings_differ(trace->world, root) : 0, match = brings;
		if (root && op_record(trace->world, root)->kind == OP_COLLECTIVE)
			match = trace->world->ops[root].match;
		int k = 0;
		while (k < count && shown[k] != match)
			k++;
		if (!match || k < count || count == NAMED)
			continue;
		shown[count++] = match;
		uint32_t shifted = trace->world->matches[match].p2p ? 0 : world_shifted(trace->world, match);
		struct text words = {0};
		if (shifted)
			trace_put_swap(trace, shifted, width, out);
		if (brings)
			trace_put_brings(trace, brings, &words);
		if (words.count)
			text_wrapped(out, text_string(&words), 3, width);
		text_release(&words);
	}
}

static void find_waiting(struct waits *waits, struct hang *hang, struct ranks *waiting)
{
	struct backend *backend = waits->backend;

	for (int rank = 0; rank < waits->world->n; rank++) {
		if (!backend->waiting(backend, rank, &hang[rank].on))
			continue;
		ranks_add(waiting, rank);
		if (!hang[rank].on || waits_finished(waits, hang[rank].on))
			hang[rank].on = waits->rank[rank].first;
		if (!hang[rank].on)
			continue;
		hang[rank].root = waits_root(waits, hang[rank].on);
		wait_follow(&waits->search, hang[rank].on);
	}
}

bool trace_stuck(const struct trace *trace, int width, bool ended, struct text *out)
{
	struct waits waits;
	struct hang *hang = mem_alloc(trace->world->n * sizeof *hang);
	struct ranks shown, waiting = {0}, missing = {0};

	waits_make(&waits, trace->world, trace->backend);
	find_waiting(&waits, hang, &waiting);
	for (size_t i = 0; i < waits.missing_count; i++)
		ranks_add(&missing, waits.missing[i].rank);
	bool stuck = !ranks_empty(&waiting) && (ended || waits_stuck(&waits));
	if (ranks_empty(&waiting)) {
		text_add(out, "no rank waits for another\n");
	} else {
		put_headline(&waits, &waiting, &missing, stuck, width, out);
		put_members(trace, hang, &waiting, width, out);
		shown = waiting;
		ranks_or(&shown, &missing);
		if (waits.crash.op)
			ranks_add(&shown, waits.crash.rank);
		put_table(trace, &waits, hang, &shown, width, out);
	}
	waits_release(&waits);
	mem_free(hang);
	return stuck;
}

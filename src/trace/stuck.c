/* stuck.c -- who waits for whom, in words, and whether a line could still mend it
 *
 *      2 ranks wait for a line on rank 2
 *         ranks  hangs in  waits for  last done  next in world
 *         0,1    sync      2          matmul y   allreduce y
 *         2                           matmul y   nothing
 */
#include "trace/knot.h"
#include "trace/table.h"
#include "base/memory.h"

#include <string.h>

enum { NAMED_MOST = 8 }; /* ranks of a circle */

static const char *rank_word(const struct ranks *set)
{
	return ranks_count(set) == 1 ? "rank" : "ranks";
}

static void put_ranks(const struct ranks *set, struct text *out)
{
	text_add(out, "%s ", rank_word(set));
	ranks_text(set, out);
}

/* The group of the meeting that a rank hangs on: what the last column is about. -1: none. */
static int group_of(const struct world *world, op_id id)
{
	return id ? op_record(world, id)->group : -1;
}

/* The first unfinished collective or transfer of the rank in that group, or 0. */
static op_id next_in_group(const struct knot *knot, int rank, int group)
{
	const struct world *world = knot->trace->world;
	for (op_id id = knot->first[rank]; id; id = world->ops[id].next_program)
		if (!knot_finished(knot, id) && op_record(world, id)->group == group && world->ops[id].meet)
			return id;
	return 0;
}

struct hang {
	op_id on, root;
}; /* of a rank: what the backend says, and the meeting behind it */

static void put_row(const struct knot *knot, int rank, const struct hang *hang, int group, struct table *rows)
{
	const struct trace *trace = knot->trace;
	struct text cell = {0};
	struct ranks absent;

	if (hang->on) {
		const struct op *on = &trace->world->ops[hang->on];
		trace_label(trace, hang->on, &cell);
		if (on->stream != STREAM_HOST)
			text_add(&cell, " on %s", trace_lane_name(trace, rank, on->stream));
	}
	table_cell(rows, "%s", text_string(&cell));
	text_clear(&cell);
	if (hang->root) {
		knot_absent(knot, hang->root, &absent);
		ranks_drop(&absent, rank);
		if (!ranks_empty(&absent))
			put_ranks(&absent, &cell);
	}
	table_cell(rows, "%s", text_string(&cell));
	text_clear(&cell);
	if (knot->last[rank])
		trace_label(trace, knot->last[rank], &cell);
	table_cell(rows, "%s", knot->last[rank] ? text_string(&cell) : "nothing");
	text_clear(&cell);
	op_id next = group < 0 || knot->crashed[rank] ? 0 : next_in_group(knot, rank, group);
	if (next)
		trace_label(trace, next, &cell);
	table_cell(rows, "%s",
	        next                          ? text_string(&cell)
	                : knot->crashed[rank] ? "nothing: it has crashed"
	                                      : "nothing");
	table_row(rows);
	rows->cells.broken = rows->cells.broken || cell.broken;
	text_release(&cell);
}

/* The table: waiting ranks, and those that they wait for. */
static enum status put_table(const struct knot *knot, const struct hang *hang, const struct ranks *shown,
        int width, struct text *out)
{
	const struct world *world = knot->trace->world;
	struct table table = {.align = "l"}, rows = {0};
	struct blocks blocks = {0};
	enum status status = ST_OK;
	int group = -1;

	FOR_RANKS (r, shown)
		if (group < 0)
			group = group_of(world, hang[r].root);
	FOR_RANKS (r, shown) {
		text_clear(&rows.cells);
		put_row(knot, r, &hang[r], group, &rows);
		status = status == ST_OK ? blocks_add(&blocks, r, &rows.cells) : status;
	}
	table_cell(&table, "ranks");
	table_cell(&table, "hangs in");
	table_cell(&table, "waits for");
	table_cell(&table, "last done");
	table_cell(&table, "next in %s",
	        group < 0 ? "line" : names_text(world->names, world->groups[group].name));
	table_row(&table);
	for (size_t i = 0; i < blocks.count; i++)
		table_rows(&table, &blocks.block[i].ranks, blocks.block[i].rows);
	if (status == ST_OK)
		status = table_print(&table, width, out);
	table_release(&table);
	table_release(&rows);
	blocks_release(&blocks);
	return status;
}

/* "rank 0 (send a) waits for rank 1 (send b) waits for rank 0": of each rank, the operation that waits for
 * another one. */
static void put_circle(const struct knot *knot, struct text *out)
{
	const struct world *world = knot->trace->world;
	size_t count = knot->circle_count;
	int first = -1, named = 0;

	text_add(out, "a circle: ");
	for (size_t i = 0; i < count; i++) {
		int rank = world->ops[knot->circle[i]].rank;
		if (world->ops[knot->circle[(i + 1) % count]].rank == rank)
			continue;
		first = first < 0 ? rank : first;
		if (++named == NAMED_MOST + 1)
			text_add(out, "... waits for ");
		if (named > NAMED_MOST)
			continue;
		text_add(out, "rank %d (", rank);
		trace_label(knot->trace, knot->circle[i], out);
		text_add(out, ") waits for ");
	}
	if (first >= 0)
		text_add(out, "rank %d", first);
	else
		text_add(out, "rank %d waits for itself", world->ops[knot->circle[0]].rank);
}

static void put_mismatch(const struct knot *knot, struct text *out)
{
	const struct world *world = knot->trace->world;
	const struct op *op = &world->ops[knot->mismatch];
	const struct record *record = op_record(world, knot->mismatch);

	op_text(world, knot->mismatch, out);
	text_add(out, " in %s does not match: ", names_text(world->names, world->groups[record->group].name));
	for (int i = 0; i < (record->kind == OP_P2P ? record->parts : 1); i++) {
		const struct meet *meet =
		        &world->meets[record->kind == OP_P2P ? world->part_meets[op->meet + (uint32_t)i]
		                                             : op->meet];
		if (meet->mismatch) {
			world_mismatch(world, meet, out);
			break;
		}
	}
}

/* In words, wrapped and indented under the headline */
static void put_reason(const struct knot *knot, void (*put)(const struct knot *knot, struct text *out),
        int width, struct text *out)
{
	struct text words = {0};
	put(knot, &words);
	text_wrapped(out, text_string(&words), 3, width);
	out->broken = out->broken || words.broken;
	text_release(&words);
}

static void put_headline(
        const struct knot *knot, const struct ranks *waiting, bool stuck, int width, struct text *out)
{
	if (stuck)
		text_add(out, "stuck: ");
	put_ranks(waiting, out);
	text_add(out, "%s", ranks_count(waiting) == 1 ? " waits" : " wait");
	if (!ranks_empty(&knot->lacking)) {
		text_add(out, " for a line on ");
		put_ranks(&knot->lacking, out);
	}
	text_add(out, "%s\n", stuck && ranks_empty(&knot->lacking) ? ", and no line can mend it" : "");
	if (knot->crash >= 0)
		text_add(out, "   rank %d has crashed and is waited for\n", knot->crash);
	if (knot->mismatch)
		put_reason(knot, put_mismatch, width, out);
	if (knot->circle_count)
		put_reason(knot, put_circle, width, out);
}

static enum status find_waiting(struct knot *knot, struct hang *hang, struct ranks *waiting)
{
	struct backend *backend = knot->trace->backend;
	enum status status = ST_OK;

	for (int rank = 0; rank < knot->trace->world->n && status == ST_OK; rank++) {
		if (!backend->waiting(backend, rank, &hang[rank].on))
			continue;
		ranks_add(waiting, rank);
		if (!hang[rank].on || knot_finished(knot, hang[rank].on))
			hang[rank].on = knot->first[rank];
		if (!hang[rank].on)
			continue;
		hang[rank].root = knot_root(knot, hang[rank].on);
		status = knot_follow(knot, hang[rank].on);
	}
	return status;
}

enum status trace_stuck(const struct trace *trace, int width, bool ended, struct text *out, bool *stuck,
        struct ranks *waiting)
{
	struct knot knot;
	struct hang *hang = mem_alloc((size_t)trace->world->n * sizeof *hang);
	enum status status = knot_make(&knot, trace);
	struct ranks shown;

	*stuck = false;
	*waiting = (struct ranks){{0}};
	if (!hang)
		status = ST_MEMORY;
	if (status == ST_OK)
		status = find_waiting(&knot, hang, waiting);
	if (status == ST_OK && ranks_empty(waiting)) {
		text_add(out, "nobody waits for another rank\n");
	} else if (status == ST_OK) {
		*stuck = ended || knot.circle_count || knot.mismatch || knot.crash >= 0;
		put_headline(&knot, waiting, *stuck, width, out);
		shown = *waiting;
		ranks_or(&shown, &knot.lacking);
		if (knot.crash >= 0)
			ranks_add(&shown, knot.crash);
		status = put_table(&knot, hang, &shown, width, out);
	}
	if (out->broken)
		status = ST_MEMORY;
	knot_release(&knot);
	mem_free(hang);
	return status;
}

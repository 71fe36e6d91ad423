/* waits.c -- the wait-for graph of operations that have no end in the projection
 *
 * An unfinished operation waits for the first of these that applies and is unfinished:
 *   not issued                   the operation that blocks its host (or the host has crashed)
 *   not first in its stream      the stream's head
 *   a sync for everything        the heads of all streams; any other wait or sync: its target
 *   a collective out of turn     the group's earlier collective on its rank
 *   held back (rule 7)           the operation of a blocking stream that the backend blames
 *   a collective or transfer     the other members that have not arrived
 *
 * A deadlock is a cycle. A wait for a rank that has not queued its part is no cycle, because the
 * line may come. A mismatch and a crash never end.
 *
 *     rank 0: send a to 1; recv b from 1      send(0) -> send(1): rank 1's receive comes after it
 *     rank 1: send b to 0; recv a from 0      send(1) -> send(0): a cycle */
#include "waits/waits.h"
#include "collectives/algorithm.h"
#include "base/memory.h"

#include <string.h>

enum { NAMED_LINES = 4, NAMED_RANKS = 8 }; /* that messages name, at most */

/* ---- unfinished operations */

/* Reads one rank in program order. turn_of: by group, the first unfinished collective */
static void read_rank(struct waits *waits, int rank, op_id *turn_of)
{
	const struct world *world = waits->world;
	op_id head_of[STREAMS_MAX + 2] = {0};
	struct rank_waits *own = &waits->rank[rank];

	memset(turn_of, 0, world->group_count * sizeof *turn_of);
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
		const struct record *record = op_record(world, id);
		uint8_t stream = world->ops[id].stream;
		bool ended = backend_times(waits->backend, id).end != TIME_UNKNOWN;
		own->crashed |= record->kind == OP_CRASH && ended;
		if (ended) {
			if (record->kind != OP_FILL && record->kind != OP_SEGMENT)
				own->last = id;
			continue;
		}
		if (!own->first)
			own->first = id;
		if (op_kind_is_host(record->kind) && !own->blocked)
			own->blocked = id;
		if (!head_of[stream])
			head_of[stream] = id;
		waits->head[id] = head_of[stream];
		if (record->kind == OP_COLLECTIVE) {
			if (!turn_of[record->group])
				turn_of[record->group] = id;
			waits->turn[id] = turn_of[record->group];
		}
	}
}

/* ---- edges */

/* Returns the operation of the same rank that `id` waits for, or 0 if it waits only for other
 * ranks: the first reason of the list above, because later ones are not known yet. */
static op_id own_reason(const struct waits *waits, op_id id, const struct times *t)
{
	const struct op *op = &waits->world->ops[id];
	bool host = op_kind_is_host(op_record(waits->world, id)->kind), issued = t->issue != TIME_UNKNOWN;

	if (!issued && waits->rank[op->rank].crashed)
		return 0;
	if (!issued && waits->rank[op->rank].blocked != id)
		return waits->rank[op->rank].blocked;
	if (!host && waits->head[id] != id)
		return waits->head[id];
	if (op->target == OP_EVERYTHING)
		return waits->rank[op->rank].first != id ? waits->rank[op->rank].first : 0;
	if (op->target && !waits_finished(waits, op->target))
		return op->target;
	if (waits->turn[id] && waits->turn[id] != id)
		return waits->turn[id];
	return t->ready == TIME_UNKNOWN && t->blame && !waits_finished(waits, t->blame) ? t->blame : 0;
}

static void add_missing_line(struct waits *waits, op_id id, int rank)
{
	if (waits->rank[rank].crashed) {
		if (!waits->crash.op)
			waits->crash = (struct missing_line){id, rank};
		return;
	}
	*MEM_ADD(&waits->missing, &waits->missing_count) = (struct missing_line){id, rank};
}

static void edges_of_match(struct waits *waits, op_id id, const struct match *match)
{
	if (match->mismatch) {
		waits->mismatch = waits->mismatch ? waits->mismatch : id;
		return;
	}
	for (int i = 0; i < match->n; i++) {
		op_id member = match->member[i];
		int rank = match->ranks[i];
		if (member == id)
			continue;
		if (member && backend_times(waits->backend, member).ready == TIME_UNKNOWN)
			wait_for(&waits->search, member);
		else if (!member && waits->rank[rank].blocked && !waits->rank[rank].crashed)
			wait_for(&waits->search, waits->rank[rank].blocked);
		else if (!member)
			add_missing_line(waits, id, rank);
	}
}

static void edges_of(struct wait_search *search, uint32_t id)
{
	struct waits *waits = search->self;
	const struct world *world = waits->world;
	const struct op *op = &world->ops[id];
	struct times t = backend_times(waits->backend, id);
	op_id own = own_reason(waits, id, &t);

	if (waits_finished(waits, id))
		return;
	if (op->target == OP_EVERYTHING && t.issue != TIME_UNKNOWN) {
		for (op_id at = world->first[op->rank]; at && at != id; at = world->ops[at].next_program)
			if (waits->head[at] == at)
				wait_for(search, at);
	} else if (own) {
		wait_for(search, own);
	} else if (t.issue == TIME_UNKNOWN && waits->rank[op->rank].crashed) {
		add_missing_line(waits, id, op->rank);
	} else {
		FOR_MATCHES (of, world, id)
			edges_of_match(waits, id, of.match);
	}
}

void waits_make(struct waits *waits, const struct world *world, struct backend *backend)
{
	size_t ops = world->op_count + 1;
	op_id *turn_of = mem_alloc((world->group_count + 1) * sizeof *turn_of);

	*waits = (struct waits){.world = world, .backend = backend};
	waits->head = mem_alloc(ops * sizeof *waits->head);
	waits->turn = mem_alloc(ops * sizeof *waits->turn);
	waits->rank = mem_alloc(world->n * sizeof *waits->rank);
	waits->search = (struct wait_search){.self = waits, .edges_of = edges_of, .colour = mem_alloc(ops)};
	for (int rank = 0; rank < world->n; rank++)
		read_rank(waits, rank, turn_of);
	mem_free(turn_of);
}

void waits_release(struct waits *waits)
{
	mem_free(waits->head);
	mem_free(waits->turn);
	mem_free(waits->rank);
	mem_free(waits->missing);
	mem_free(waits->search.colour);
	wait_search_release(&waits->search);
	*waits = (struct waits){0};
}

void waits_forget(struct waits *waits)
{
	memset(waits->search.colour, WAIT_UNSEEN, waits->world->op_count + 1);
	waits->search.cycle_count = waits->missing_count = 0;
	waits->mismatch = 0;
	waits->crash = (struct missing_line){0};
}

op_id waits_root(const struct waits *waits, op_id id)
{
	for (int steps = 0; steps < 1000; steps++) {
		struct times t = backend_times(waits->backend, id);
		op_id reason = own_reason(waits, id, &t);
		if (!reason)
			break;
		id = reason;
	}
	return id;
}

void waits_absent(const struct waits *waits, op_id id, struct ranks *absent)
{
	*absent = (struct ranks){0};
	FOR_MATCHES (of, waits->world, id)
		for (int i = 0; i < of.match->n; i++) {
			op_id member = of.match->member[i];
			if (!member || backend_times(waits->backend, member).ready == TIME_UNKNOWN)
				ranks_add(absent, of.match->ranks[i]);
		}
}

/* ---- words */

/* Returns true if a member other than `id` is missing or not ready: that of `rank`, or any for
 * -1. */
static bool match_lacks(const struct waits *waits, const struct match *match, op_id id, int rank)
{
	for (int i = 0; i < match->n; i++) {
		op_id member = match->member[i];
		if (member != id && (rank < 0 || match->ranks[i] == rank) &&
		        (!member || backend_times(waits->backend, member).ready == TIME_UNKNOWN))
			return true;
	}
	return false;
}

void waits_label(const struct waits *waits, op_id id, int rank, struct text *out)
{
	const struct world *world = waits->world;
	const struct record *record = op_record(world, id);
	int part = -1;

	FOR_MATCHES (of, world, id)
		if (part < 0 && match_lacks(waits, of.match, id, rank))
			part = of.part;
	const char *sends = op_called(world, id, false), *gets = op_called(world, id, true);
	if (record->kind != OP_P2P || record->parts < 2 || part < 0 || sends == gets) {
		op_label(world, id, out);
		return;
	}
	text_add(out, "%s %s", record->part[part].direction == P2P_SEND ? sends : gets,
	        names_text(world->names, part_operand(record, part)->name));
}

void waits_put_circle(const struct waits *waits, struct text *out)
{
	const struct world *world = waits->world;
	const uint32_t *cycle = waits->search.cycle;
	size_t count = waits->search.cycle_count;
	int first = -1, named = 0;

	text_add(out, "a circle: ");
	for (size_t i = 0; i < count; i++) {
		int rank = world->ops[cycle[i]].rank, next = world->ops[cycle[(i + 1) % count]].rank;
		if (next == rank)
			continue;
		first = first < 0 ? rank : first;
		if (++named == NAMED_RANKS + 1)
			text_add(out, "... waits for ");
		if (named > NAMED_RANKS)
			continue;
		text_add(out, "rank %d (", rank);
		waits_label(waits, cycle[i], next, out);
		text_add(out, ") waits for ");
	}
	if (first >= 0)
		text_add(out, "rank %d", first);
	else
		text_add(out, "rank %d waits for itself", world->ops[cycle[0]].rank);
}

enum status waits_refusal(const struct waits *waits)
{
	struct text words = {0};
	bool stuck = waits_stuck(waits) || !waits->missing_count;

	if (waits->mismatch) {
		world_mismatch(waits->world, waits->mismatch, algorithm_name, &words);
		text_add(&words, " (rank %d)", waits->world->ops[waits->mismatch].rank);
	} else if (waits->crash.op) {
		waits_label(waits, waits->crash.op, waits->crash.rank, &words);
		text_add(&words, " waits for rank %d, which has crashed", waits->crash.rank);
	} else if (waits->search.cycle_count) {
		waits_put_circle(waits, &words);
	} else if (waits->missing_count) {
		for (size_t i = 0; i < waits->missing_count && i < NAMED_LINES; i++) {
			text_add(&words, i ? "; " : "");
			waits_label(waits, waits->missing[i].op, waits->missing[i].rank, &words);
			text_add(&words, " waits for a line on rank %d", waits->missing[i].rank);
		}
		if (waits->missing_count > NAMED_LINES)
			text_add(&words, "; and %zu more", waits->missing_count - NAMED_LINES);
	} else {
		text_add(&words, "no rank can continue");
	}
	enum status status = stuck ? fail(ST_STUCK, "stuck: %s", text_string(&words))
	                           : fail(ST_WAITS, "%s", text_string(&words));
	text_release(&words);
	return status;
}

/* ---- the operation that waiting ranks depend on now: one at work, or not begun
 *
 *     rank 0   sync compute                   its host waits
 *                '---> wait io  (compute's head) ---> copy h -> x  (io's head)         returned
 *     rank 1   sync ---> allreduce y ---> rank 0's part, not begun ---> its head:       returned
 *
 * The graph is that in waits.h, but only final ends count. */

/* A backend that reports only the final times of another */
struct past {
	struct backend backend;
	struct backend *of;
};

static void past_times(struct backend *backend, op_id id, struct times *times)
{
	struct past *past = (struct past *)(void *)backend;
	past->of->times(past->of, id, times);
	if (times->projected)
		times->end = TIME_UNKNOWN;
}

static op_id late_member(const struct waits *waits, op_id id)
{
	FOR_MATCHES (of, waits->world, id)
		for (int i = 0; i < of.match->n; i++) {
			op_id member = of.match->member[i];
			if (member && !waits_finished(waits, member) && waits->head[member] != member)
				return member;
		}
	return 0;
}

/* Returns the operation that `id` waits for; 0 if none: it is at work. */
static op_id next_wait(const struct waits *waits, op_id id)
{
	const struct op *op = &waits->world->ops[id];
	if (waits->head[id] != id)
		return waits->head[id];
	if (op->target == OP_EVERYTHING)
		return waits->rank[op->rank].first != id ? waits->rank[op->rank].first : 0;
	if (op->target && op->target <= waits->world->op_count && !waits_finished(waits, op->target))
		return op->target;
	return late_member(waits, id);
}

op_id waits_now(const struct world *world, struct backend *backend)
{
	struct past past = {.backend.times = past_times, .of = backend};
	struct waits waits;
	op_id id = 0;
	waits_make(&waits, world, &past.backend);
	for (int rank = 0; rank < world->n && !id; rank++)
		id = waits.rank[rank].blocked;
	for (int rank = 0; rank < world->n && !id; rank++)
		id = waits.rank[rank].first;
	for (int steps = 0; id && steps < 1000; steps++) {
		op_id on = next_wait(&waits, id);
		if (!on)
			break;
		id = on;
	}
	waits_release(&waits);
	return id;
}

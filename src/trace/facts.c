/* facts.c -- facts about one operation, for pictures and tables */
#include "backend/cost.h"
#include "base/arithmetic.h"
#include "base/number.h"
#include "trace/lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const trace_causes[] = {
#define X(symbol, letter, name) name,
        CAUSES(X)
#undef X
                [CAUSE_COUNT] = "slowed",
};
const char trace_letters[] = {
#define X(symbol, letter, name) letter,
        CAUSES(X)
#undef X
};

/* A step of the budget is about 20 operations; all processes count alike. */
enum status trace_step(const struct trace *trace, size_t operations)
{
	enum { OPERATIONS_A_STEP = 20 };
	struct budget *budget = trace->budget;
	if (!budget)
		return ST_OK;
	budget->steps -= 1 + operations / OPERATIONS_A_STEP;
	if (budget->steps > 0 || !budget->more || budget->more(budget))
		return ST_OK;
	return fail(ST_INTERRUPTED, "interrupted");
}

bool trace_is_work(enum op_kind kind)
{
	return kind == OP_KERNEL || kind == OP_COPY || trace_communicates(kind);
}

bool trace_on_host(const struct world *world, op_id id)
{
	const struct op *op = &world->ops[id];
	return world_stream(world, op->rank, op->stream)->host;
}

bool trace_by_host(const struct world *world, op_id id)
{
	const struct record *record = op_record(world, id);
	bool host_memory = record->operands > 0;
	if (record->kind == OP_COPY) {
		enum copy_way way = copy_way(record);
		return way == COPY_FROM_DISK || way == COPY_TO_DISK || way == COPY_ON_HOST;
	}
	for (int i = 0; i < record->operands; i++)
		host_memory = host_memory && space_is_host((enum space)record->operand[i].space);
	return record->kind == OP_KERNEL && (host_memory || trace_on_host(world, id));
}

bool trace_computes(const struct world *world, op_id id)
{
	return op_record(world, id)->kind == OP_KERNEL && !trace_by_host(world, id);
}

/* A stage transfer belongs to a micro-batch's phase. Stages lie along the axis pp of a mesh; in a
 * group without an axis all ranks may be stages. */
bool trace_is_stage_transfer(const struct world *world, op_id id)
{
	const struct record *record = op_record(world, id);
	if (record->kind != OP_P2P || record->microbatch < 0 || !record->phase)
		return false;
	const struct group *axis = &world->groups[trace_axis_of(world, world->ops[id].rank, record->group)];
	return !axis->axis || strcmp(names_text(world->names, axis->name), "pp") == 0;
}

bool trace_is_stage_receive(const struct world *world, op_id id)
{
	const struct record *record = op_record(world, id);
	if (!trace_is_stage_transfer(world, id))
		return false;
	for (int i = 0; i < record->parts; i++)
		if (record->part[i].direction == P2P_RECV)
			return true;
	return false;
}

op_id trace_sender(const struct world *world, op_id id, int part)
{
	const struct op *op = &world->ops[id];
	if (op_record(world, id)->part[part].direction != P2P_RECV || !op->match)
		return 0;
	return part_match(world, id, part)->member[0];
}

bool trace_meets(const struct world *world, op_id id, op_id other)
{
	if (op_record(world, id)->kind != op_record(world, other)->kind)
		return false;
	if (op_record(world, id)->kind == OP_COLLECTIVE)
		return world->ops[id].match == world->ops[other].match;
	FOR_MATCHES (of, world, id)
		if (of.match->p2p && (of.match->member[0] == other || of.match->member[1] == other))
			return true;
	return false;
}

static op_id other_than(const struct world *world, const struct match *match, op_id id)
{
	int own = 0;
	while (own < match->n && match->member[own] != id)
		own++;
	for (int i = 0; i < match->n; i++)
		if (match->member[i] && i != own && !world_agree(world, match, own, i))
			return match->member[i];
	return 0;
}

/* Returns when the member at that place is ready; after a backup= collective, no earlier than that
 * one's end on this rank. */
static int64_t comes_at(const struct trace *trace, const struct match *match, int place)
{
	const struct world *world = trace->world;
	op_id member = match->member[place],
	      before = match->before && !match->p2p ? world->matches[match->before].member[place] : 0;
	int64_t ready = member ? backend_times(trace->backend, member).ready : TIME_UNKNOWN;
	return before && op_record(world, before)->backup
	        ? most_of(ready, backend_times(trace->backend, before).end)
	        : ready;
}

/* For a match that has started, the backend has noted the last participant, so that a thousand
 * members need not be asked. Otherwise it is the one with the latest `ready`. */
int64_t trace_arrival(const struct trace *trace, op_id id, const struct times *t, op_id *last)
{
	const struct world *world = trace->world;
	int64_t arrival = t->ready;
	bool backup = op_record(world, id)->backup > 0;

	*last = 0;
	if (t->start != TIME_UNKNOWN && t->blame && t->blame != id && trace_meets(world, id, t->blame)) {
		*last = t->blame;
		return most_of(backend_times(trace->backend, t->blame).ready, arrival);
	}
	FOR_MATCHES (of, world, id) {
		for (int i = 0; i < of.match->n; i++) {
			op_id member = of.match->member[i];
			if (member == id)
				continue;
			int64_t ready = comes_at(trace, of.match, i);
			/* a member that was left out came while the collective ran */
			if (ready > arrival && !(backup && ready > t->start)) {
				arrival = ready;
				*last = member;
			}
		}
		if (of.match->mismatch) {
			arrival = TIME_UNKNOWN;
			op_id other = other_than(world, of.match, id);
			*last = other ? other : *last;
		}
	}
	return arrival;
}

int64_t trace_last_partner(const struct trace *trace, op_id id, op_id *last)
{
	int64_t latest = backend_times(trace->backend, id).start;
	*last = 0;
	FOR_MATCHES (of, trace->world, id)
		for (int i = 0; of.match->p2p && i < of.match->n; i++) {
			op_id member = of.match->member[i];
			int64_t ready =
			        member && member != id ? backend_times(trace->backend, member).ready : 0;
			if (ready == TIME_UNKNOWN || ready <= latest)
				continue;
			latest = ready;
			*last = member;
		}
	return latest;
}

bool trace_mismatch(const struct world *world, op_id id)
{
	FOR_MATCHES (of, world, id)
		if (of.match->mismatch)
			return true;
	return false;
}

int trace_missing_rank(const struct world *world, op_id id)
{
	FOR_MATCHES (of, world, id)
		for (int i = 0; i < of.match->n; i++)
			if (!of.match->member[i])
				return of.match->ranks[i];
	return -1;
}

int span_waits_for(const struct world *world, const struct span *span)
{
	if (span->blame)
		return world->ops[span->blame].rank;
	return span->op ? trace_missing_rank(world, span->op) : -1;
}

void trace_put_uncertainty(const struct trace *trace, int64_t shown, struct text *out)
{
	double off = backend_uncertainty(trace->backend);
	if (off > shown)
		text_add(out, "   times \xc2\xb1%s\n", time_words((int64_t)off).text);
}

void trace_put_ranks(const struct ranks *set, struct text *out)
{
	text_add(out, ranks_count(set) == 1 ? "rank " : "ranks ");
	ranks_text(set, out);
}

void trace_put_op(const struct world *world, op_id id, const char *of, struct text *out)
{
	op_label(world, id, out);
	text_add(out, " %s rank %d", of, world->ops[id].rank);
}

const char *trace_lane_name(const struct trace *trace, int rank, int stream)
{
	return names_text(trace->world->names, world_stream(trace->world, rank, stream)->name);
}

/* True if the next stream is "load1" after "load0": the same letters, the next number. */
static bool is_next_thread(const struct trace *trace, int rank, int stream)
{
	const struct stream *a = world_stream(trace->world, rank, stream),
	                    *b = world_stream(trace->world, rank, stream + 1);
	if (!a || !b || !a->host || !b->host)
		return false;
	const char *one = names_text(trace->world->names, a->name),
	           *other = names_text(trace->world->names, b->name);
	size_t letters = strcspn(one, "0123456789");
	return one[letters] && strncmp(one, other, letters) == 0 &&
	        strtol(one + letters, NULL, 10) + 1 == strtol(other + letters, NULL, 10);
}

int trace_last_thread(const struct trace *trace, int rank, int stream)
{
	enum { EACH_TOLD = 4 };
	int last = stream;

	while (is_next_thread(trace, rank, last))
		last++;
	return last - stream < EACH_TOLD ? stream : last;
}

void trace_lanes_name(const struct trace *trace, int rank, int first, int last, struct text *out)
{
	const char *name = trace_lane_name(trace, rank, last);
	text_add(out, "%s", trace_lane_name(trace, rank, first));
	if (last != first)
		text_add(out, "-%s", name + strcspn(name, "0123456789"));
}

enum colour trace_colour(const struct record *record)
{
	static const uint8_t phases[] = {['F'] = COLOUR_FORWARD,
	        ['R'] = COLOUR_FORWARD,
	        ['B'] = COLOUR_BACKWARD,
	        ['W'] = COLOUR_WEIGHT,
	        ['O'] = COLOUR_OPTIMIZER};
	size_t phase = (unsigned char)record->colour;

	if (record->kind == OP_KERNEL)
		return phase < sizeof phases && phases[phase] ? phases[phase] : COLOUR_KERNEL;
	if (record->kind == OP_COPY)
		return COLOUR_COPY;
	return trace_communicates(record->kind) ? COLOUR_COMM : COLOUR_HOSTWORK;
}

int64_t trace_clock_after(const struct trace *trace, op_id id)
{
	if (!id)
		return 0;
	struct times t = backend_times(trace->backend, id);
	return op_kind_is_host((enum op_kind)op_record(trace->world, id)->kind) ? t.end : t.issue;
}

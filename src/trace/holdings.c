/* holdings.c -- lists: device holders, and flows over links, cached during a query
 *
 *      rank 0    | default: matmul y 0 .. 4 | io: matmul z 2 .. 5
 *                | comm: allreduce 1 .. 6, from its own arrival on | */
#include "trace/holdings.h"
#include "trace/lanes.h"
#include "trace/sharing.h"
#include "backend/cost.h"
#include "base/arithmetic.h"
#include "base/memory.h"

#include <string.h>

bool holds_as_kernel(const struct record *record)
{
	return (record->kind == OP_KERNEL && !record_is_spin(record)) ||
	        (record->kind == OP_COPY && copy_way(record) == COPY_ON_DEVICE);
}

/* Returns when a collective holds multiprocessors: it is ready, and the previous one on this rank
 * is over, or on the others if that went on without this rank. */
static int64_t holds_from(const struct trace *trace, op_id id, const struct times *t)
{
	const struct world *world = trace->world;
	const struct op *op = &world->ops[id];
	if (op_record(world, id)->kind != OP_COLLECTIVE)
		return t->start;
	const struct match *match = &world->matches[op->match], *before = &world->matches[match->before];
	int place = match->before ? world->groups[match->group].place_of[op->rank] : -1;
	bool own = place >= 0 && before->member[place];
	int64_t turn = own ? backend_times(trace->backend, before->member[place]).end : 0;
	bool without = turn == TIME_UNKNOWN || turn >= t->start;
	for (int i = 0; without && i < before->n; i++)
		if (before->member[i])
			turn = least_of(turn, backend_times(trace->backend, before->member[i]).end);
	return least_of(t->end, most_of(t->ready, turn));
}

static bool is_flow(const struct record *record)
{
	return record->kind == OP_COLLECTIVE || record->kind == OP_P2P || record->kind == OP_ONE_SIDED ||
	        (record->kind == OP_COPY && copy_way(record) < COPY_ENGINES);
}

int64_t flows_from(const struct world *world, op_id id, const struct times *t)
{
	return t->start == TIME_UNKNOWN
	        ? t->start
	        : least_of(t->end, t->start + (int64_t)op_record(world, id)->latency_ns);
}

/* A list is made in two passes: counting by stream in first[s + 1], then appending, which moves
 * first[s] to the end of stream s, where stream s + 1 begins. */
static void make_room(struct holdings *list)
{
	for (int s = 0; s <= STREAMS_MAX; s++)
		list->first[s + 1] += list->first[s];
	list->count = list->first[STREAMS_MAX + 1];
	list->at = mem_resize(list->at, (list->count + 1) * sizeof *list->at);
}

static void holding_put(struct holdings *list, const struct op *op, struct holding holding)
{
	list->at[list->first[op->stream]++] = holding;
}

static void holdings_close(struct holdings *list)
{
	memmove(list->first + 1, list->first, (STREAMS_MAX + 1) * sizeof *list->first);
	list->first[0] = 0;
}

static bool takes_device(const struct record *record)
{
	return holds_as_kernel(record) || record->kind == OP_COLLECTIVE;
}

static void load_device(struct holdings *list, const struct trace *trace, int rank)
{
	const struct world *world = trace->world;
	memset(list->first, 0, sizeof list->first);
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program)
		list->first[world->ops[id].stream + 1] += takes_device(op_record(world, id));
	make_room(list);
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
		if (!takes_device(op_record(world, id)))
			continue;
		struct times t = backend_times(trace->backend, id);
		holding_put(list, &world->ops[id], (struct holding){id, holds_from(trace, id, &t), t.end});
	}
	holdings_close(list);
}

const struct holdings *device_of(struct sharers *sharing, int rank)
{
	if (!sharing->device || sharing->device_rank != rank) {
		if (!sharing->device)
			sharing->device = mem_alloc(sizeof *sharing->device);
		load_device(sharing->device, sharing->trace, rank);
	}
	sharing->device_rank = rank;
	return sharing->device;
}

/* Loads all ranks at once, since a collective needs most. One-sided operations reach ranks without
 * an operation there, so they have a list. */
static void load_flows(struct sharers *sharing)
{
	const struct world *world = sharing->trace->world;
	sharing->flows = mem_alloc((size_t)world->n * sizeof *sharing->flows);
	for (op_id id = 1; id <= world->op_count; id++) {
		const struct record *record = op_record(world, id);
		if (!is_flow(record))
			continue;
		sharing->flows[world->ops[id].rank].first[world->ops[id].stream + 1]++;
		if (record->kind == OP_ONE_SIDED)
			*MEM_ADD(&sharing->one_sided, &sharing->one_sided_count) = id;
	}
	for (int rank = 0; rank < world->n; rank++)
		make_room(&sharing->flows[rank]);
	for (op_id id = 1; id <= world->op_count; id++) {
		const struct op *op = &world->ops[id];
		if (!is_flow(op_record(world, id)))
			continue;
		struct times t = backend_times(sharing->trace->backend, id);
		holding_put(&sharing->flows[op->rank], op,
		        (struct holding){id, flows_from(world, id, &t), t.end});
	}
	for (int rank = 0; rank < world->n; rank++)
		holdings_close(&sharing->flows[rank]);
}

const struct holdings *flows_of(struct sharers *sharing, int rank)
{
	if (!sharing->flows)
		load_flows(sharing);
	return &sharing->flows[rank];
}

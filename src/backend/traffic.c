/* traffic.c -- bytes that a rank has sent over its links
 *
 * A transfer counts on the sender's links, a get on those of the rank that it reads, and a copy on
 * the bus or disk. A collective counts the sends of its algorithm (collectives/cost.c). */
#include "backend/traffic.h"
#include "backend/cost.h"
#include "collectives/collective.h"

#include <string.h>

static void traffic_count_collective(const struct world *world, const struct op *op, double *sent)
{
	const struct record *record = &world->records[op->record];
	const struct match *match = &world->matches[op->match];
	if (!record->operands)
		return;
	int64_t size = dtype_bytes((enum dtype)record->operand[0].layout.dtype);
	const struct collective_message message = {.collective = record->collective,
	        .algorithm = record->taken,
	        .root = record->root,
	        .elements = record->bytes / size,
	        .size = size,
	        .split = record->split.n ? &record->split : NULL};
	collective_sent(world->machine, (struct cost_group){match->n, match->ranks}, &message,
	        world->groups[match->group].place_of[op->rank], sent);
}

static void traffic_count_op(const struct world *world, op_id id, double *sent)
{
	const struct op *op = &world->ops[id];
	const struct record *record = op_record(world, id);
	if (record->kind == OP_COLLECTIVE) {
		traffic_count_collective(world, op, sent);
	} else if (record->kind == OP_COPY && copy_link(copy_way(record)) < LINK_KINDS) {
		sent[copy_link(copy_way(record))] += record->bytes;
	} else if (record->kind == OP_ONE_SIDED && record->part[0].direction != ONE_SIDED_GET) {
		machine_count_sent(world->machine, op->rank, record->part[0].peer, record->bytes, sent);
	} else if (record->kind == OP_P2P) {
		for (int i = 0; i < record->parts; i++)
			if (record->part[i].direction == P2P_SEND)
				machine_count_sent(world->machine, op->rank, record->part[i].peer,
				        layout_bytes(&part_operand(record, i)->layout), sent);
	}
}

bool traffic_goes(struct backend *backend, op_id id)
{
	struct times times = backend_times(backend, id);
	return times.end != TIME_UNKNOWN && !times.sent_nothing;
}

static bool traffic_counts(
        struct backend *backend, const struct world *world, op_id id, const struct counted *which)
{
	const struct record *record = op_record(world, id);
	if (id < which->first || (which->section >= 0 && record->section != which->section) ||
	        (which->groups && (record->group < 0 || !which->groups[record->group])) ||
	        (which->stream && world->ops[id].stream != which->stream) ||
	        (which->object && record->object != which->object))
		return false;
	return traffic_goes(backend, id);
}

void traffic_of(const struct world *world, int rank, op_id id, double *sent)
{
	if (world->ops[id].rank == rank)
		traffic_count_op(world, id, sent);
	else
		machine_count_sent(
		        world->machine, rank, world->ops[id].rank, op_record(world, id)->bytes, sent);
}

void traffic_sent(
        struct backend *backend, const struct world *world, int rank, struct counted counted, double *sent)
{
	const op_id *gets = world->gets;
	memset(sent, 0, LINK_KINDS * sizeof *sent);
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program)
		if (traffic_counts(backend, world, id, &counted))
			traffic_of(world, rank, id, sent);
	for (size_t i = 0; i < world->get_count; i++) {
		const struct record *record = op_record(world, gets[i]);
		if (record->part[0].peer == rank && traffic_counts(backend, world, gets[i], &counted))
			traffic_of(world, rank, gets[i], sent);
	}
}

/* traffic.c -- bytes that a rank has sent over its links, as `traffic` and the metric `sent` count them
 *
 * A transfer counts on the sender's links, a get on those of the rank that it reads; a collective's bytes on those that
 * lead to the next member; a copy on the bus or the disk. */
#include "backend/traffic.h"
#include "backend/cost.h"

#include <string.h>

static void count_path(const struct machine *machine, int from, int to, double bytes, double *sent)
{
	struct path path = {0};
	if (from == to)
		return;
	machine_path(machine, from, to, &path);
	for (int i = 0; i < path.count; i++)
		if (path.link[i] / LINK_KINDS == from)
			sent[path.link[i] % LINK_KINDS] += bytes;
}

static void count_op(const struct world *world, op_id id, double *sent)
{
	const struct op *op = &world->ops[id];
	const struct record *record = op_record(world, id);
	if (record->kind == OP_COLLECTIVE) {
		/* all of the rank's bytes, as if they went to the next member */
		const struct match *match = &world->matches[op->match];
		int next = (world->groups[match->group].place_of[op->rank] + 1) % match->n;
		count_path(world->machine, op->rank, match->ranks[next], record->sent_bytes, sent);
	} else if (record->kind == OP_COPY && copy_link(copy_way(record)) < LINK_KINDS) {
		sent[copy_link(copy_way(record))] += record->bytes;
	} else if (record->kind == OP_ONE_SIDED && record->part[0].direction != ONE_SIDED_GET) {
		count_path(world->machine, op->rank, record->part[0].peer, record->bytes, sent);
	} else if (record->kind == OP_P2P) {
		for (int i = 0; i < record->parts; i++)
			if (record->part[i].direction == P2P_SEND)
				count_path(world->machine, op->rank, record->part[i].peer,
				        layout_bytes(&part_operand(record, i)->layout), sent);
	}
}

bool traffic_goes(struct backend *backend, op_id id)
{
	struct times times = backend_times(backend, id);
	return times.end != TIME_UNKNOWN && !times.sent_nothing;
}

static bool counts(struct backend *backend, const struct world *world, op_id id, const struct counted *which)
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
		count_op(world, id, sent);
	else
		count_path(world->machine, rank, world->ops[id].rank, op_record(world, id)->bytes, sent);
}

void traffic_sent(
        struct backend *backend, const struct world *world, int rank, struct counted counted, double *sent)
{
	size_t count;
	const op_id *gets = world_gets(world, &count);
	memset(sent, 0, LINK_KINDS * sizeof *sent);
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program)
		if (counts(backend, world, id, &counted))
			traffic_of(world, rank, id, sent);
	for (size_t i = 0; i < count; i++) {
		const struct record *record = op_record(world, gets[i]);
		if (record->part[0].peer == rank && counts(backend, world, gets[i], &counted))
			traffic_of(world, rank, gets[i], sent);
	}
}

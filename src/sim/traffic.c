/* traffic.c -- bytes that a rank has sent over its links, as `traffic` and the metric `sent` count them
 *
 * A transfer counts on the sender's links; a collective's bytes on those that lead to the next member; a copy
 * on the bus. */
#include "sim/inside.h"

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

static void count_op(const struct world *world, const struct op *op, double *sent)
{
	const struct record *record = &world->records[op->record];
	if (record->kind == OP_COLLECTIVE) { /* all of a rank's bytes, as if they went to the next member */
		const struct match *match = &world->matches[op->match];
		int next = (world->groups[match->group].place_of[op->rank] + 1) % match->n;
		count_path(world->machine, op->rank, match->ranks[next], record->sent_bytes, sent);
	} else if (record->kind == OP_COPY && copy_way(record) == COPY_TO_HOST)
		sent[LINK_UP] += record->bytes;
	else if (record->kind == OP_COPY && copy_way(record) == COPY_TO_DEVICE)
		sent[LINK_DOWN] += record->bytes;
	else if (record->kind == OP_P2P)
		for (int i = 0; i < record->parts; i++)
			if (record->part[i].direction == P2P_SEND)
				count_path(world->machine, op->rank, record->part[i].peer,
				        layout_bytes(&part_operand(record, i)->layout), sent);
}

void sim_sent(struct backend *backend, int rank, int section, double *sent)
{
	const struct world *world = engine_of(backend)->world;
	struct times times;
	memset(sent, 0, LINK_KINDS * sizeof *sent);
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
		const struct op *op = &world->ops[id];
		if (section >= 0 && world->records[op->record].section != section)
			continue;
		sim_times(backend, id, &times);
		if (times.end != TIME_UNKNOWN && !(op->flags & OPF_ABORTED))
			count_op(world, op, sent);
	}
}

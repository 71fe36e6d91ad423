/* traffic.c -- bytes that a rank has sent over its links, as `traffic` and the metric `sent` count them
 *
 * A transfer counts on the sender's links, a get on those of the rank that it reads; a collective's bytes on those that
 * lead to the next member; a copy on the bus or the disk. */
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
	/* Of a collective all of a rank's bytes, as if they went to the next member; none of who is left out
	 * by backup= */
	if (record->kind == OP_COLLECTIVE && op->flags & OPF_LATE)
		return;
	if (record->kind == OP_COLLECTIVE) {
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

/* The operation as it has ended, or will; NULL: it does not count */
static const struct op *counted(struct backend *backend, op_id id, int section, const bool *groups)
{
	const struct world *world = engine_of(backend)->world;
	const struct record *record = op_record(world, id);
	if ((section >= 0 && record->section != section) ||
	        (groups && (record->group < 0 || !groups[record->group])))
		return NULL;
	const struct op *op = sim_op(backend, id);
	return op->end != TIME_UNKNOWN && !(op->flags & OPF_ABORTED) ? op : NULL;
}

void sim_sent(struct backend *backend, int rank, int section, const bool *groups, double *sent)
{
	const struct engine *e = engine_of(backend);
	const struct world *world = e->world;
	memset(sent, 0, LINK_KINDS * sizeof *sent);
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
		const struct op *op = counted(backend, id, section, groups);
		if (op)
			count_op(world, op, sent);
	}
	for (size_t i = 0; i < e->log->get_count; i++) {
		op_id id = e->log->gets[i];
		const struct record *record = op_record(world, id);
		if (record->part[0].peer == rank && counted(backend, id, section, groups))
			count_path(world->machine, rank, world->ops[id].rank, record->bytes, sent);
	}
}

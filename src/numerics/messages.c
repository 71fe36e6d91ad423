/* messages.c -- transfers, one-sided operations and collectives with backup= */
#include "numerics/rank_data.h"
#include "numerics/in_flight.h"
#include "base/memory.h"
#include "numerics/evaluate.h"

/* ---- transfers: every process calls these for all transfers in the same order, and takes part
 * in those of its rank */

void data_transfer_begin(struct rank_data *data, op_id send, int send_part)
{
	if (data->world->ops[send].rank == data->world->me)
		flight_note(data, send, send_part);
}

/* Both sides exchange the bytes when the transfer ends in virtual time. */
void data_transfer_end(struct rank_data *data, op_id send, int send_part, op_id receive, int receive_part)
{
	struct world *world = data->world;
	int me = world->me, from = world->ops[send].rank, to = world->ops[receive].rank;
	struct in_flight *running = from == me ? flight_find(data, send, send_part) : NULL;
	const struct operand *source = part_operand(op_record(world, send), send_part),
	                     *target = part_operand(op_record(world, receive), receive_part);
	if (to == me)
		flight_disturb(data, 0, target);
	const void *packed = flight_input(running);
	if (from == me && to == me)
		evaluate_to_itself(world, source, target, packed);
	else if (from == me)
		note_failure(data, evaluate_send(world, data->transport, to, source, packed), send);
	else if (to == me)
		note_failure(data, evaluate_receive(world, data->transport, from, target), receive);
	if (running)
		flight_forget(data, running);
}

/* ---- one-sided operations: called as for transfers */

void data_one_sided_begin(struct rank_data *data, op_id id)
{
	int me = data->world->me;
	const struct part *part = &op_record(data->world, id)->part[0];
	bool gets = part->direction == ONE_SIDED_GET;
	if ((gets ? part->peer : data->world->ops[id].rank) == me)
		flight_note(data, id, gets ? OTHERS_GET : WHOLE);
}

/* The target first evaluates the operations that read its memory. */
void data_one_sided_end(struct rank_data *data, op_id id)
{
	struct world *world = data->world;
	const struct record *record = op_record(world, id);
	int me = world->me, rank = world->ops[id].rank, peer = record->part[0].peer;
	bool gets = record->part[0].direction == ONE_SIDED_GET;
	int from = gets ? peer : rank, to = gets ? rank : peer;
	struct operand window;
	world_remote(world, id, &window);
	const struct operand *source = gets ? &window : &record->operand[0],
	                     *target = gets ? &record->operand[0] : &window;
	struct in_flight *running = from == me ? flight_find(data, id, gets ? OTHERS_GET : WHOLE) : NULL;
	if (to == me)
		flight_disturb(data, 0, target);
	const void *packed = flight_input(running);
	if (from == me && to != me)
		note_failure(data, evaluate_send(world, data->transport, to, source, packed), id);
	else if (to == me)
		note_failure(data,
		        evaluate_one_sided(world, data->transport, from, record, source, target, packed), id);
	if (running)
		flight_forget(data, running);
}

/* ---- collectives with backup= */

void *result_take(struct rank_data *data, uint32_t match)
{
	for (size_t i = 0; i < data->kept_count; i++) {
		void *bytes = data->kept[i].bytes;
		if (data->kept[i].match != match)
			continue;
		data->kept[i] = data->kept[--data->kept_count];
		return bytes;
	}
	return NULL;
}

void data_backup(struct rank_data *data, uint32_t index, const bool *counts)
{
	const struct world *world = data->world;
	const struct match *match = &world->matches[index];
	const struct group *group = &world->groups[match->group];
	int place = 0, me = world->me;
	if (group->instance_of[me] != match->instance)
		return;
	while (!counts[place])
		place++;
	const struct record *record = op_record(world, match->member[place]), *own = NULL;
	struct in_flight *running = NULL;
	if (counts[group->place_of[me]]) {
		op_id id = match->member[group->place_of[me]];
		own = op_record(world, id);
		running = flight_find(data, id, WHOLE);
	}
	void *result = mem_alloc(layout_bytes(&record_source(record)->layout));
	struct transport_group *comm = data->groups[match->group];
	enum status status = comm
	        ? evaluate_backup(world, comm, record, own, flight_input(running), counts, result)
	        : no_group(data, match->group);
	if (status != ST_OK && match->member[group->place_of[me]])
		note_failure(data, status, match->member[group->place_of[me]]);
	else
		keep_failure(data, status);
	*MEM_ADD(&data->kept, &data->kept_count) = (struct kept_result){index, result};
}

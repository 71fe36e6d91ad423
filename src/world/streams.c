/* streams.c -- streams and events, and what a rank's host has seen the end of
 *
 * Lane 0 of a rank is its host, lane 1 the default stream. For each lane the books know up to which operation
 * the host has waited; memory whose users are all among those is clean: the host itself may write it. */
#include "world/books.h"

static enum status lane_reserve(struct world *world, int rank)
{
	struct rank_lanes *lanes = &world->lanes->rank[rank];

	if (RESERVE(&world->streams, world->stream_count, 1, &world->stream_room) ||
	        RESERVE(&lanes->lane, lanes->count, 1, &lanes->room))
		return ST_MEMORY;
	return order_stream_reserve(world, rank, (int)lanes->count + 1);
}

static int lane_add(struct world *world, int rank, struct stream stream)
{
	struct rank_lanes *lanes = &world->lanes->rank[rank];
	int index = (int)world->stream_count++;

	stream.rank = (uint16_t)rank;
	stream.number = (uint8_t)lanes->count;
	world->streams[index] = stream;
	lanes->lane[lanes->count++] = (struct lane){.stream = index};
	return index;
}

enum status lanes_create(struct world *world)
{
	name_id host = names_make(world->names, "host", 4);

	world->lanes = mem_alloc(sizeof *world->lanes);
	if (!world->lanes || !host)
		return ST_MEMORY;
	world->lanes->rank = mem_alloc((size_t)world->n * sizeof *world->lanes->rank);
	if (!world->lanes->rank)
		return ST_MEMORY;
	for (int r = 0; r < world->n; r++) {
		if (lane_reserve(world, r))
			return ST_MEMORY;
		lane_add(world, r, (struct stream){.name = host});
		if (lane_reserve(world, r) || bind_reserve(world, r, world->default_name, THING_STREAM))
			return ST_MEMORY;
		int index =
		        lane_add(world, r, (struct stream){.name = world->default_name, .blocking = true});
		bind_set(world, r, world->default_name, (struct thing){THING_STREAM, index});
	}
	return ST_OK;
}

void lanes_free(struct world *world)
{
	if (!world->lanes)
		return;
	for (int r = 0; world->lanes->rank && r < world->n; r++)
		mem_free(world->lanes->rank[r].lane);
	mem_free(world->lanes->rank);
	mem_free(world->lanes);
}

struct stream *world_stream(const struct world *world, int rank, int number)
{
	if (number < 0 || (size_t)number >= world->lanes->rank[rank].count)
		return NULL;
	return lane_stream(world, rank, number);
}

enum status world_stream_make(
        struct world *world, int rank, name_id name, int priority, bool blocking, int *index)
{
	if (world->lanes->rank[rank].count >= STREAMS_MAX)
		return fail(ST_LIMIT, "a rank has at most %d streams", STREAMS_MAX - 2);
	struct thing now = world_find(world, rank, name);
	if (now.kind == THING_STREAM)
		return fail(
		        ST_NAME, "rank %d has a stream '%s' already", rank, names_text(world->names, name));
	enum status status = bind_reserve(world, rank, name, THING_STREAM);
	if (!status)
		status = lane_reserve(world, rank);
	if (status)
		return status;
	*index = lane_add(world, rank,
	        (struct stream){.name = name, .priority = (int8_t)priority, .blocking = blocking});
	bind_set(world, rank, name, (struct thing){THING_STREAM, *index});
	digest_change(world, CHANGE_STREAM, rank, priority * 2 + blocking);
	return ST_OK;
}

enum status world_event_make(struct world *world, int rank, name_id name, int *index)
{
	struct thing now = world_find(world, rank, name);

	if (now.kind == THING_EVENT) {
		*index = now.index;
		return ST_OK;
	}
	enum status status = bind_reserve(world, rank, name, THING_EVENT);
	if (!status)
		status = RESERVE(&world->events, world->event_count, 1, &world->event_room);
	if (status)
		return status;
	*index = (int)world->event_count++;
	world->events[*index] = (struct event){.name = name, .rank = (uint16_t)rank};
	bind_set(world, rank, name, (struct thing){THING_EVENT, *index});
	digest_change(world, CHANGE_EVENT, rank, *index);
	return ST_OK;
}

enum status world_event_record(struct world *world, int rank, int event, op_id record_op)
{
	if (world_capturing(world, rank))
		return graph_event(world, rank, event, record_op);
	world->events[event].record = record_op;
	digest_change(world, CHANGE_RECORDED, rank, (int64_t)event << 32 | (int64_t)record_op);
	return ST_OK;
}

void lanes_synced(struct world *world, int rank, op_id target, uint32_t number)
{
	struct rank_lanes *lanes = &world->lanes->rank[rank];

	if (target == OP_EVERYTHING) {
		lanes->seen_all = number;
	} else if (target) {
		const struct op *op = &world->ops[target];
		struct lane *lane = &lanes->lane[op->stream];
		/* the lane's last operation: nothing of the lane queued before this SYNC is left */
		uint32_t seen = world->streams[lane->stream].tail == target ? number : op->number;
		if (seen > lane->seen)
			lane->seen = seen;
	}
}

uint32_t lanes_clean_limit(const struct world *world, int rank)
{
	const struct rank_lanes *lanes = &world->lanes->rank[rank];
	uint32_t limit = UINT32_MAX;

	for (size_t i = STREAM_DEFAULT; i < lanes->count; i++) {
		op_id tail = world->streams[lanes->lane[i].stream].tail;
		uint32_t seen = lanes->lane[i].seen > lanes->seen_all ? lanes->lane[i].seen : lanes->seen_all;
		if (tail && world->ops[tail].number > seen && seen < limit)
			limit = seen;
	}
	return limit;
}

/* streams.c -- streams, events, and the operations that a rank's host knows to be over
 *
 * Lane 0 of a rank is its host, lane 1 the default stream. Each lane notes up to which operation
 * the host has waited. Memory is clean, so that the host may write to it, if the host has waited
 * for all its users:
 *
 *      program    1 relu/default  2 copy/io  3 sync io  4 matmul/default    seen[io] = 3
 *      clean      memory freed at or before operation 0: default may still use any later (seen 0)
 */
#include "world/books.h"

static int stream_lane_add(struct world *world, int rank, struct stream stream)
{
	struct rank_lanes *lanes = &world->inner->lanes[rank];
	int index = world->stream_count;

	stream.rank = rank;
	stream.number = lanes->count;
	*MEM_ADD(&world->streams, &world->stream_count) = stream;
	*MEM_ADD(&lanes->stream, &lanes->count) = index;
	return index;
}

void lanes_make(struct world *world)
{
	name_id host = names_make(world->names, "host", 4);

	for (int r = 0; r < world->n; r++) {
		stream_lane_add(world, r, (struct stream){.name = host});
		int index = stream_lane_add(
		        world, r, (struct stream){.name = world->default_name, .blocking = true});
		bind_set(world, r, world->default_name, (struct thing){THING_STREAM, index});
	}
}

struct stream *world_stream(const struct world *world, int rank, int number)
{
	if (number < 0 || (size_t)number >= world->inner->lanes[rank].count)
		return NULL;
	return lane_stream(world, rank, number);
}

enum status world_stream_make(
        struct world *world, int rank, name_id name, int priority, bool blocking, int *index)
{
	if (world->inner->lanes[rank].count >= STREAMS_MAX)
		return fail(ST_LIMIT, "a rank has at most %d streams", STREAMS_MAX - 2);
	enum status status = world_name_fits(world, rank, name, THING_NONE);
	if (status != ST_OK)
		return status;
	*index = stream_lane_add(
	        world, rank, (struct stream){.name = name, .priority = priority, .blocking = blocking});
	bind_set(world, rank, name, (struct thing){THING_STREAM, *index});
	digest_change(world, CHANGE_STREAM, rank, priority * 2 + blocking);
	return ST_OK;
}

void world_stream_on_host(struct world *world, int index)
{
	struct stream *stream = &world->streams[index];
	stream->host = true;
	digest_change(world, CHANGE_STREAM, stream->rank, 1 << 8 | stream->number);
}

enum status world_event_make(struct world *world, int rank, name_id name, int *index)
{
	struct thing now = world_find(world, rank, name);

	if (now.kind == THING_EVENT) {
		*index = now.index;
		return ST_OK;
	}
	enum status status = world_name_fits(world, rank, name, THING_EVENT);
	if (status != ST_OK)
		return status;
	*index = world->event_count;
	*MEM_ADD(&world->events, &world->event_count) = (struct event){.name = name, .rank = rank};
	bind_set(world, rank, name, (struct thing){THING_EVENT, *index});
	digest_change(world, CHANGE_EVENT, rank, *index);
	return ST_OK;
}

void world_event_record(struct world *world, int rank, int event, op_id record_op)
{
	if (world_capturing(world, rank))
		graph_event(world, rank, event, record_op);
	world->events[event].record = record_op;
	digest_change(world, CHANGE_RECORDED, rank, (int64_t)event << 32 | record_op);
}

void lanes_synced(struct world *world, int rank, op_id target, uint32_t number)
{
	if (target == OP_EVERYTHING) {
		world->inner->lanes[rank].seen_all = number;
	} else if (target) {
		const struct op *op = &world->ops[target];
		struct stream *stream = lane_stream(world, rank, op->stream);
		/* its last operation: all of the stream's work is over */
		uint32_t seen = stream->tail == target ? number : op->number;
		stream->seen = seen > stream->seen ? seen : stream->seen;
	}
}

uint32_t lanes_clean_limit(const struct world *world, int rank)
{
	const struct rank_lanes *lanes = &world->inner->lanes[rank];
	uint32_t limit = UINT32_MAX;

	for (size_t i = STREAM_DEFAULT; i < lanes->count; i++) {
		const struct stream *stream = &world->streams[lanes->stream[i]];
		uint32_t seen = stream->seen > lanes->seen_all ? stream->seen : lanes->seen_all;
		if (stream->tail && world->ops[stream->tail].number > seen && seen < limit)
			limit = seen;
	}
	return limit;
}

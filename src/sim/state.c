/* state.c -- the arrays of the machine: room for what the books hold, and copies to try the future on
 *
 * All arrays grow here, between passes; within a pass none of them moves. Room:
 *   works      a lane, a rank (its stop event), a group instance, a transfer that may be under way
 *   heap       one event a work at most
 *   ties       a copy 1, a transfer 4, a collective up to LINK_KINDS for each member
 *
 * The machine is arrays that name each other by index, never by pointer, so a copy is one memcpy an array,
 * and a copy that was used before keeps its memory. What a copy must not share is the operations' times: it
 * has an overlay of those that are still open, from `base` on.
 *
 *      world.ops     | 1 .. base-1: over, read by all |  base .. op_count: final times only  |
 *      the machine   op_at(id) = &world.ops[id]          (base is UINT32_MAX)
 *      a copy        op_at(id) = &world.ops[id], or from base on &overlay[id - base]
 *
 * Rows of ENGINE_ARRAYS are copied, engine_log is pointed to; a new array of the machine's state is a row. */
#include "sim/engine.h"
#include "base/memory.h"

#include <string.h>

/* Room for `wanted` elements of one of the engine's arrays. */
#define ROOM(e, name, wanted) MEM_ROOM(&(e)->name, (wanted), &(e)->name##_room)

/* A work is something that can have an event: it keeps its number for ever. */
static uint32_t add_work(struct engine *e, enum owner owner, uint32_t index)
{
	e->works[e->works_count] = (struct activity){
	        .index = index, .at = NOWHERE, .next = NOWHERE, .owner = (uint8_t)owner, .share = 1};
	return (uint32_t)e->works_count++;
}

/* Stream 0 is the host's own and has no operations of the device; its lane only keeps the numbers straight.
 * */
static void add_lane(struct engine *e, uint32_t rank, uint32_t stream)
{
	const struct stream *known = stream ? world_stream(e->world, (int)rank, (int)stream) : NULL;
	uint32_t lane = e->ranks[rank].lanes + stream;
	e->lanes[lane] = (struct stream_queue){.rank = rank,
	        .stream = (uint8_t)stream,
	        .next = NOWHERE,
	        .work = add_work(e, OWNER_LANE, lane),
	        .blocking = known && known->blocking && stream != STREAM_DEFAULT,
	        .high = known && known->priority > 0};
	e->ranks[rank].blocking |= e->lanes[lane].blocking;
	e->ranks[rank].lane_count = stream + 1;
}

/* A rank with more streams than room moves its lanes to the end; works and queues of the device follow. */
static void move_lanes(struct engine *e, uint32_t rank, uint32_t room)
{
	struct rank *r = &e->ranks[rank];
	uint32_t from = r->lanes, to = (uint32_t)e->lanes_count, shift = to - from;
	for (uint32_t i = 0; i < r->lane_count; i++) {
		struct stream_queue *lane = &e->lanes[to + i];
		*lane = e->lanes[from + i];
		e->works[lane->work].index = to + i;
		if (lane->next != NOWHERE)
			lane->next += shift;
	}
	for (int i = 0; i < ENGINES; i++) {
		struct engine_line *line = &r->engine[i];
		uint32_t *end[] = {&line->running, &line->first, &line->last};
		for (int k = 0; k < 3; k++)
			if (*end[k] != NOWHERE)
				*end[k] += shift;
	}
	for (uint32_t i = r->lane_count; i < room; i++)
		e->lanes[to + i] = (struct stream_queue){0};
	r->lanes = to;
	r->lane_room = room;
	e->lanes_count += room;
}

/* Places for `more` works, with what every work may need at once: an event, links, a poke. */
static void room_for_works(struct engine *e, size_t more)
{
	size_t works = e->works_count + more, ties = e->lanes_count + 4 * e->transfers_room;
	ties += e->log->group_count * LINK_KINDS * (size_t)e->world->n;
	ROOM(e, works, works);
	ROOM(e, agenda, works);
	ROOM(e, held, works);
	ROOM(e, ties, ties);
	ROOM(e, pokes, e->lanes_count + 1);
	e->pokes_count = e->pokes_room;
	for (; e->ties_count < e->ties_room; e->ties_count++) {
		e->ties[e->ties_count] = (struct tie){0, e->s.free_tie};
		e->s.free_tie = (uint32_t)e->ties_count;
	}
}

static void make_streams(struct engine *e, uint32_t rank, uint32_t streams)
{
	struct rank *r = &e->ranks[rank];
	if (streams <= r->lane_count)
		return;
	uint32_t room = streams > r->lane_room ? streams + 3 : r->lane_room;
	ROOM(e, lanes, e->lanes_count + room);
	room_for_works(e, streams + room);
	if (room > r->lane_room)
		move_lanes(e, rank, room);
	while (r->lane_count < streams)
		add_lane(e, rank, r->lane_count);
	room_for_works(e, 0);
}

static void make_groups(struct engine *e)
{
	struct engine_log *log = e->log;
	while (log->group_count < e->world->group_count) {
		const struct group *group = &e->world->groups[log->group_count];
		size_t more = (size_t)group->instances;
		ROOM(e, instances, e->instances_count + more);
		MEM_ROOM(&log->instance_of, log->group_count + 1, &log->group_room);
		log->instance_of[log->group_count++] = (uint32_t)e->instances_count;
		room_for_works(e, more);
		for (int i = 0; i < group->instances; i++) {
			uint32_t index = (uint32_t)e->instances_count++;
			e->instances[index] = (struct instance){.group = (int)log->group_count - 1,
			        .number = i,
			        .work = add_work(e, OWNER_GROUP, index)};
		}
	}
}

static void make_transfers(struct engine *e)
{
	if (e->parts <= e->transfers_count)
		return;
	ROOM(e, transfers, e->parts);
	room_for_works(e, e->transfers_room - e->transfers_count);
	while (e->transfers_count < e->transfers_room) {
		uint32_t index = (uint32_t)e->transfers_count++;
		e->transfers[index] = (struct transfer){
		        .work = add_work(e, OWNER_TRANSFER, index), .next = e->s.free_transfer};
		e->s.free_transfer = index;
	}
}

/* The streams of a rank's new lines, and how many transfers a head of each may need. */
static void make_lines(struct engine *e, uint32_t rank)
{
	struct rank *r = &e->ranks[rank];
	make_streams(e, rank, r->streams);
	if (!r->transfers)
		return;
	op_id id = r->reserved ? e->world->ops[r->reserved].next_program : e->world->first[rank];
	for (; id; id = e->world->ops[id].next_program) {
		const struct record *record = op_record(e->world, id);
		struct stream_queue *lane = &e->lanes[lane_of(e, &e->world->ops[id])];
		if (record->kind == OP_P2P && record->parts > lane->parts) {
			e->parts += record->parts - lane->parts;
			lane->parts = record->parts;
		}
		r->reserved = id;
	}
	r->transfers = false;
}

void engine_make_room(struct engine *e)
{
	for (size_t i = 0; i < e->fresh_count; i++)
		make_lines(e, e->fresh[i]);
	make_groups(e);
	make_transfers(e);
}

/* Every rank starts idle at time 0, with a host and the default stream. */
static void make_ranks(struct engine *e)
{
	size_t n = (size_t)e->world->n;
	ROOM(e, ranks, n);
	ROOM(e, links, n * LINK_KINDS);
	ROOM(e, fresh, n);
	ROOM(e, stack, n);
	room_for_works(e, n + 1);
	e->ranks_count = n;
	e->links_count = n * LINK_KINDS;
	for (size_t i = 0; i < e->links_count; i++)
		e->links[i] = (struct link){0, NOWHERE};
	for (uint32_t i = 0; i < n; i++) {
		e->ranks[i] = (struct rank){
		        .kernels = NOWHERE, .state = RANK_IDLE, .stop = add_work(e, OWNER_RANK, i)};
		for (int k = 0; k < ENGINES; k++)
			e->ranks[i].engine[k] = (struct engine_line){NOWHERE, NOWHERE, NOWHERE};
	}
	e->s.fill = add_work(e, OWNER_FILL, 0);
	for (uint32_t i = 0; i < n; i++)
		make_streams(e, i, STREAM_DEFAULT + 1);
}

struct engine *engine_create(struct world *world)
{
	struct engine *e = mem_alloc(sizeof *e);
	e->log = mem_alloc(sizeof *e->log);
	e->world = world;
	e->base = UINT32_MAX;
	e->until = TIME_UNKNOWN;
	e->s.free_tie = e->s.free_transfer = NOWHERE;
	make_ranks(e);
	return e;
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
#define X(type, name) mem_free(e->name);
	ENGINE_ARRAYS(X)
#undef X
	if (e->base == UINT32_MAX) {
		mem_free(e->log->instance_of);
		mem_free(e->log->floors);
		mem_free(e->log->slows);
		mem_free(e->log->machines);
		mem_free(e->log);
	}
	mem_free(e->fresh);
	mem_free(e->held);
	mem_free(e->stack);
	mem_free(e->overlay);
	mem_free(e->quiet);
	mem_free(e->needed);
	mem_free(e);
}

/* The first operation that is not over, of any rank: earlier ones are read from the books. */
static op_id first_open(const struct engine *e)
{
	op_id first = (op_id)e->world->op_count + 1;
	for (size_t i = 0; i < e->ranks_count; i++) {
		const struct rank *r = &e->ranks[i];
		if (r->next && r->next < first)
			first = r->next;
		if (r->state == RANK_BLOCKED && r->on < first)
			first = r->on;
		for (uint32_t k = 0; k < r->lane_count; k++)
			if (e->lanes[r->lanes + k].head && e->lanes[r->lanes + k].head < first)
				first = e->lanes[r->lanes + k].head;
	}
	return first;
}

void engine_copy(struct engine *to, const struct engine *from)
{
	op_id base = first_open(from);
	size_t open = from->world->op_count + 1 - base;
#define X(type, name)                                                                \
	ROOM(to, name, from->name##_room);                                           \
	if (from->name##_count)                                                      \
		memcpy(to->name, from->name, from->name##_count * sizeof *to->name); \
	to->name##_count = from->name##_count;
	ENGINE_ARRAYS(X)
#undef X
	ROOM(to, held, from->held_room);
	ROOM(to, fresh, from->fresh_room);
	ROOM(to, stack, from->stack_room);
	ROOM(to, overlay, open);
	if (open)
		memcpy(to->overlay, from->world->ops + base, open * sizeof *to->overlay);
	to->overlay_count = open;
	to->base = base;
	to->world = from->world;
	to->log = from->log;
	to->s = from->s;
	to->until = TIME_UNKNOWN;
	to->aims = false;
	to->goal_left = 0;
	to->status = ST_OK;
}

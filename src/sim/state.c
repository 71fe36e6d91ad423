/* state.c -- the machine's arrays and their copies
 *
 * Arrays grow between passes only, except for transfers: one that begins may need room for itself,
 * its work, an event and ties, so keep no pointer to these across make_transfer. Room:
 *   works      one for a lane, a rank (its stop event), a group instance, a transfer
 *   heap       at most one event per work
 *   ties       a copy 1, a transfer 4, a collective up to LINK_KINDS for each member
 *
 * A copy overlays the times of open operations, from `base` on:
 *
 *      world.ops     | 1 .. base-1: over, read by all |  base .. op_count: final times only  |
 *      the machine   op_at(id) = &world.ops[id]          (base is UINT32_MAX)
 *      a copy        op_at(id) = &world.ops[id], or from base on &overlay[id - base]
 */
#include "sim/engine.h"
#include "base/memory.h"

#include <string.h>

#define ROOM(e, name, wanted) MEM_ROOM(&(e)->name, (wanted), &(e)->name##_room)

static uint32_t add_work(struct engine *e, enum owner owner, uint32_t index)
{
	e->works[e->works_count] =
	        (struct activity){.index = index, .at = NOWHERE, .next = NOWHERE, .owner = owner, .share = 1};
	return e->works_count++;
}

/* Stream 0 is the host's; its lane only keeps the numbering. */
static void add_lane(struct engine *e, uint32_t rank, uint32_t stream)
{
	const struct stream *known = stream ? world_stream(e->world, rank, stream) : NULL;
	uint32_t lane = e->ranks[rank].lanes + stream;
	e->lanes[lane] = (struct stream_queue){.rank = rank,
	        .stream = stream,
	        .work = add_work(e, OWNER_LANE, lane),
	        .blocking = known && known->blocking && stream != STREAM_DEFAULT,
	        .high = known && known->priority > 0};
	e->ranks[rank].blocking |= e->lanes[lane].blocking;
	e->ranks[rank].lane_count = stream + 1;
}

static void move_lanes(struct engine *e, uint32_t rank, uint32_t room)
{
	struct rank *r = &e->ranks[rank];
	uint32_t to = e->lanes_count;
	memset(&e->lanes[to], 0, room * sizeof *e->lanes);
	for (uint32_t i = 0; i < r->lane_count; i++) {
		e->lanes[to + i] = e->lanes[r->lanes + i];
		e->works[e->lanes[to + i].work].index = to + i;
	}
	r->lanes = to;
	r->lane_room = room;
	e->lanes_count += room;
}

static void room_for_works(struct engine *e, size_t more)
{
	size_t works = e->works_count + more, ties = e->lanes_count + 4 * e->transfers_room;
	ties += e->world->group_count * LINK_KINDS * e->world->n;
	ROOM(e, works, works);
	ROOM(e, agenda, works);
	ROOM(e, held, works);
	ROOM(e, ties, ties);
	for (; e->ties_count < e->ties_room; e->ties_count++) {
		e->ties[e->ties_count] = (struct tie){0, e->s.free_tie};
		e->s.free_tie = e->ties_count;
	}
}

/* Keeps a rank's lanes adjacent, with room for three more. */
void make_streams(struct engine *e, uint32_t rank, uint32_t streams)
{
	struct rank *r = &e->ranks[rank];
	uint32_t room = streams > r->lane_room ? streams + 3 : r->lane_room;
	ROOM(e, lanes, e->lanes_count + room);
	if (room > r->lane_room)
		move_lanes(e, rank, room);
	room_for_works(e, streams);
	while (r->lane_count < streams)
		add_lane(e, rank, r->lane_count);
}

void make_instances(struct engine *e)
{
	const struct group *last = &e->world->groups[e->world->group_count - 1];
	size_t count = last->first + last->instances;
	if (count == e->instances_count)
		return;
	sim_rule(11, !e->in_pass);
	ROOM(e, instances, count);
	room_for_works(e, count - e->instances_count);
	for (uint32_t i = e->instances_count; i < count; i++)
		e->instances[i] = (struct instance){.work = add_work(e, OWNER_GROUP, i)};
	e->instances_count = count;
}

uint32_t make_transfer(struct engine *e)
{
	uint32_t index = e->s.free_transfer;
	if (index != NOWHERE) {
		e->s.free_transfer = e->transfers[index].next;
		return index;
	}
	index = e->transfers_count++;
	ROOM(e, transfers, e->transfers_count);
	room_for_works(e, 1);
	e->transfers[index] = (struct transfer){.work = add_work(e, OWNER_TRANSFER, index)};
	return index;
}

struct engine *engine_create(struct world *world)
{
	struct engine *e = mem_alloc(sizeof *e);
	size_t n = world->n;
	e->log = mem_alloc(sizeof *e->log);
	e->world = world;
	e->base = UINT32_MAX;
	e->until = TIME_UNKNOWN;
	e->s.free_tie = e->s.free_transfer = e->s.first_poked = NOWHERE;
	e->goal_left = SIZE_MAX;
	ROOM(e, ranks, n);
	ROOM(e, links, n * LINK_KINDS);
	room_for_works(e, n + 1);
	e->ranks_count = n;
	e->links_count = n * LINK_KINDS;
	for (size_t i = 0; i < e->links_count; i++)
		e->links[i] = (struct link){0, NOWHERE};
	for (uint32_t i = 0; i < n; i++)
		e->ranks[i] = (struct rank){
		        .kernels = NOWHERE, .state = RANK_IDLE, .stop = add_work(e, OWNER_RANK, i)};
	e->s.fill = add_work(e, OWNER_FILL, 0);
	for (uint32_t i = 0; i < n; i++)
		make_streams(e, i, STREAM_DEFAULT + 1);
	return e;
}

void engine_free(struct engine *e)
{
#define X(type, name) mem_free(e->name);
	ENGINE_ARRAYS(X)
#undef X
	if (e->base == UINT32_MAX) {
		mem_free(e->log->answers);
		mem_free(e->log->machines);
		mem_free(e->log);
	}
	mem_free(e->fills);
	mem_free(e->held);
	mem_free(e->overlay);
	mem_free(e);
}

static op_id first_open(const struct engine *e)
{
	op_id first = e->world->op_count + 1;
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
	ROOM(to, overlay, open);
	if (open)
		memcpy(to->overlay, from->world->ops + base, open * sizeof *to->overlay);
	to->base = base;
	to->world = from->world;
	to->log = from->log;
	to->s = from->s;
	to->until = TIME_UNKNOWN;
	to->goal_left = SIZE_MAX;
	to->status = ST_OK;
}

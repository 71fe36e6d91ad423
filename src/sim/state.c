/* state.c -- the arrays of the machine: room for what the books hold, and copies to try the future on
 *
 * engine_reserve is the only place where the engine takes memory; a pass needs none, so it cannot stop half
 * way. Room:
 *   works      a lane, a rank (its stop event), a group instance, a transfer that may be under way
 *   heap       one event a work at most
 *   ties       a copy 1, a transfer 4, a collective up to LINK_KINDS for each member */
#include "sim/engine.h"
#include "base/memory.h"

#include <string.h>

static enum status room_for(void **items, size_t *room, size_t wanted, size_t bytes)
{
	if (wanted <= *room)
		return ST_OK;
	size_t more = *room * 2 > wanted ? *room * 2 : wanted;
	void *grown = mem_resize(*items, more * bytes);
	if (!grown)
		return ST_MEMORY;
	*items = grown;
	*room = more;
	return ST_OK;
}
#define ROOM(e, name, wanted) room_for((void **)&(e)->name, &(e)->name##_room, (wanted), sizeof *(e)->name)

static uint32_t add_work(struct engine *e, enum owner owner, uint32_t index)
{
	e->works[e->works_count] = (struct work){
	        .index = index, .at = NOWHERE, .next = NOWHERE, .owner = (uint8_t)owner, .share = 1};
	return (uint32_t)e->works_count++;
}

static void add_lane(struct engine *e, uint32_t rank, uint32_t stream)
{
	const struct stream *known = stream ? world_stream(e->world, (int)rank, (int)stream) : NULL;
	uint32_t lane = e->ranks[rank].lanes + stream;
	e->lanes[lane] = (struct lane){.rank = rank,
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
		struct lane *lane = &e->lanes[to + i];
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
		e->lanes[to + i] = (struct lane){0};
	r->lanes = to;
	r->lane_room = room;
	e->lanes_count += room;
}

static enum status reserve_works(struct engine *e, size_t more)
{
	size_t works = e->works_count + more, ties = e->lanes_count + 4 * e->transfers_room;
	for (size_t i = 0; i < e->group_count; i++)
		ties += (size_t)LINK_KINDS * (size_t)e->world->n;
	if (ROOM(e, works, works) != ST_OK || ROOM(e, agenda, works) != ST_OK ||
	        ROOM(e, held, works) != ST_OK || ROOM(e, ties, ties) != ST_OK ||
	        ROOM(e, pokes, e->lanes_count + 1) != ST_OK)
		return ST_MEMORY;
	e->pokes_count = e->pokes_room;
	for (; e->ties_count < e->ties_room; e->ties_count++) {
		e->ties[e->ties_count] = (struct tie){0, e->s.free_tie};
		e->s.free_tie = (uint32_t)e->ties_count;
	}
	return ST_OK;
}

static enum status reserve_streams(struct engine *e, uint32_t rank, uint32_t streams)
{
	struct rank *r = &e->ranks[rank];
	uint32_t room = r->lane_room;
	if (streams <= r->lane_count)
		return ST_OK;
	if (streams > room)
		room = streams + 3;
	if (ROOM(e, lanes, e->lanes_count + room) != ST_OK || reserve_works(e, streams + room) != ST_OK)
		return ST_MEMORY;
	if (room > r->lane_room)
		move_lanes(e, rank, room);
	while (r->lane_count < streams)
		add_lane(e, rank, r->lane_count);
	return reserve_works(e, 0);
}

static enum status reserve_groups(struct engine *e)
{
	while (e->group_count < e->world->group_count) {
		const struct group *group = &e->world->groups[e->group_count];
		size_t more = (size_t)group->instances;
		if (ROOM(e, instances, e->instances_count + more) != ST_OK ||
		        room_for((void **)&e->instance_of, &e->group_room, e->group_count + 1,
		                sizeof *e->instance_of) != ST_OK)
			return ST_MEMORY;
		e->group_count++;
		if (reserve_works(e, more) != ST_OK) {
			e->group_count--;
			return ST_MEMORY;
		}
		e->instance_of[e->group_count - 1] = (uint32_t)e->instances_count;
		for (int i = 0; i < group->instances; i++) {
			uint32_t index = (uint32_t)e->instances_count++;
			e->instances[index] = (struct instance){.group = (int)e->group_count - 1,
			        .number = i,
			        .work = add_work(e, OWNER_GROUP, index)};
		}
	}
	return ST_OK;
}

static enum status reserve_transfers(struct engine *e)
{
	size_t more = e->parts > e->transfers_count ? e->parts - e->transfers_count : 0;
	if (!more)
		return ST_OK;
	if (ROOM(e, transfers, e->parts) != ST_OK ||
	        reserve_works(e, e->transfers_room - e->transfers_count) != ST_OK)
		return ST_MEMORY;
	while (e->transfers_count < e->transfers_room) {
		uint32_t index = (uint32_t)e->transfers_count++;
		e->transfers[index] = (struct transfer){
		        .work = add_work(e, OWNER_TRANSFER, index), .next = e->s.free_transfer};
		e->s.free_transfer = index;
	}
	return ST_OK;
}

static op_id after_reserved(const struct engine *e, uint32_t rank)
{
	op_id last = e->ranks[rank].reserved;
	return last ? e->world->ops[last].next_program : e->world->first[rank];
}

/* The streams of a rank's new lines, and how many transfers a head of each may need. */
static enum status reserve_lines(struct engine *e, uint32_t rank)
{
	struct rank *r = &e->ranks[rank];
	if (reserve_streams(e, rank, r->streams) != ST_OK)
		return ST_MEMORY;
	if (!r->transfers)
		return ST_OK;
	for (op_id id = after_reserved(e, rank); id; id = e->world->ops[id].next_program) {
		const struct record *record = op_record(e->world, id);
		struct lane *lane = &e->lanes[lane_of(e, &e->world->ops[id])];
		if (record->kind == OP_P2P && record->parts > lane->parts) {
			e->parts += record->parts - lane->parts;
			lane->parts = record->parts;
		}
		r->reserved = id;
	}
	r->transfers = false;
	return ST_OK;
}

enum status engine_reserve(struct engine *e)
{
	for (size_t i = 0; i < e->fresh_count; i++)
		if (reserve_lines(e, e->fresh[i]) != ST_OK)
			return ST_MEMORY;
	enum status status = reserve_groups(e);
	return status == ST_OK ? reserve_transfers(e) : status;
}

static enum status make_ranks(struct engine *e)
{
	size_t n = (size_t)e->world->n;
	if (ROOM(e, ranks, n) != ST_OK || ROOM(e, links, n * LINK_KINDS) != ST_OK ||
	        ROOM(e, fresh, n) != ST_OK ||
	        room_for((void **)&e->stack, &e->stack_room, n, sizeof *e->stack) != ST_OK ||
	        reserve_works(e, n + 1) != ST_OK)
		return ST_MEMORY;
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
		if (reserve_streams(e, i, STREAM_DEFAULT + 1) != ST_OK)
			return ST_MEMORY;
	return ST_OK;
}

enum status engine_create(struct engine **engine, struct world *world)
{
	struct engine *e = mem_alloc(sizeof *e);
	if (!e)
		return ST_MEMORY;
	e->world = world;
	e->base = UINT32_MAX;
	e->until = TIME_UNKNOWN;
	e->s.free_tie = e->s.free_transfer = NOWHERE;
	*engine = e;
	return make_ranks(e);
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
#define X(type, name) mem_free(e->name);
	ENGINE_ARRAYS(X)
#undef X
	mem_free(e->instance_of);
	mem_free(e->floors);
	mem_free(e->slows);
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

/* A copy borrows what a pass only reads (instance_of, floors, slows): it must not outlive a change of
 * those. */
enum status engine_copy(struct engine *to, const struct engine *from)
{
	op_id base = first_open(from);
	size_t open = from->world->op_count + 1 - base;
#define X(type, name)                                                                                     \
	if (room_for((void **)&to->name, &to->name##_room, from->name##_room, sizeof *to->name) != ST_OK) \
		return ST_MEMORY;
	ENGINE_ARRAYS(X)
#undef X
	if (ROOM(to, overlay, open) != ST_OK || ROOM(to, held, from->held_room) != ST_OK ||
	        ROOM(to, fresh, from->fresh_room) != ST_OK ||
	        room_for((void **)&to->stack, &to->stack_room, from->stack_room, sizeof *to->stack) != ST_OK)
		return ST_MEMORY;
#define X(type, name)                                                                \
	if (from->name##_count)                                                      \
		memcpy(to->name, from->name, from->name##_count * sizeof *to->name); \
	to->name##_count = from->name##_count;
	ENGINE_ARRAYS(X)
#undef X
	if (open)
		memcpy(to->overlay, from->world->ops + base, open * sizeof *to->overlay);
	to->overlay_count = open;
	to->base = base;
	to->world = from->world;
	to->s = from->s;
	to->instance_of = from->instance_of;
	to->group_count = from->group_count;
	to->floors = from->floors;
	to->floor_count = from->floor_count;
	to->slows = from->slows;
	to->slow_count = from->slow_count;
	to->until = TIME_UNKNOWN;
	to->aims = false;
	to->goal_left = 0;
	to->status = ST_OK;
	return ST_OK;
}

/* circles.c -- runs the logged operations as NCCL would, and finds launches that wait for each
 * other
 *
 * Each rank has a queue for each group. A match is over when all its members have begun; a launch
 * whose matches are all over makes room for the next. The other launches are searched for circles
 * when they come to the head of their queue, or when another one begins to wait for them:
 *
 * queue of rank 0 in world    [reduce r] send x     reduce r waits for rank 1's, after recv x
 * queue of rank 1 in world    [recv x] reduce r     recv x waits for rank 0's send, after reduce r
 *
 * A match whose member is not issued yet makes no circle, because that line may still come. A
 * circle that was found is cut, as if one of its matches had taken place, so that later operations
 * are searched too. */
#include "waits/circles.h"
#include "base/memory.h"
#include "waits/search.h"

#include <string.h>

/* By operation with matches */
struct turn {
	op_id next;   /* next of its queue; 0: none */
	op_id launch; /* first operation fused with it, or itself */
};
struct issue_queue {
	op_id head;  /* first operation of the current launch; 0: all are over */
	op_id begun; /* last operation that has begun */
	op_id tail;
	uint32_t pending; /* the current launch's matches that are not over */
};
struct issued_match {
	uint32_t joined, begun; /* members queued; members begun */
	bool over, released;    /* released: its members do not wait for it */
};
struct place {
	int group, line;
	name_id file;
};

struct serial {
	const struct world *world;
	bool across; /* one queue a rank, for all groups */
	op_id done;
	size_t aborted; /* of world.aborted, processed */
	op_id *launch;  /* by rank: the first operation of its latest launch */
	struct turn *turn;
	size_t turns, turn_room;
	struct issue_queue *queue; /* by group * n + rank; if `across`, by rank */
	size_t queues, queue_room;
	struct issued_match *meeting;
	size_t meetings, meeting_room;
	uint32_t *over; /* matches that are over, with members to release */
	size_t over_count;
	uint32_t *suspect; /* queues that may have closed a circle */
	size_t suspect_count;
	struct place *named;
	size_t named_count;
	/* nodes: 2*queue+2, 2*match+1 */
	struct wait_search search;
	size_t colours, colour_room;
	uint32_t *opened;
	size_t opened_count;
	struct circles *circles;
};

/* ---- running */

static uint32_t op_queue(const struct serial *serial, op_id id)
{
	int rank = serial->world->ops[id].rank, group = op_record(serial->world, id)->group;
	return (uint32_t)(serial->across ? rank : group * serial->world->n + rank);
}

static bool has_begun(const struct serial *serial, op_id id)
{
	return id <= serial->queue[op_queue(serial, id)].begun;
}

static void end_meeting(struct serial *serial, uint32_t match)
{
	serial->meeting[match].over = true;
	*MEM_ADD(&serial->over, &serial->over_count) = match;
}

static void op_begin(struct serial *serial, op_id id)
{
	struct issue_queue *queue = &serial->queue[op_queue(serial, id)];

	queue->begun = id;
	FOR_MATCHES (of, serial->world, id) {
		struct issued_match *meeting = &serial->meeting[of.index];
		meeting->begun++;
		queue->pending += !meeting->released;
		/* a collective with `backup` goes on without so many members */
		if (!meeting->over &&
		        meeting->begun + op_record(serial->world, id)->backup >= (uint32_t)of.match->n)
			end_meeting(serial, of.index);
	}
}

/* Returns true if the operation has begun and waits for a member queued behind others, or is
 * queued and a member that has begun waits for it. */
static bool is_between(const struct serial *serial, op_id id)
{
	bool begun = has_begun(serial, id);

	FOR_MATCHES (of, serial->world, id) {
		const struct issued_match *meeting = &serial->meeting[of.index];
		if (!meeting->over && (begun ? meeting->joined > meeting->begun : meeting->begun > 0))
			return true;
	}
	return false;
}

static void queue_advance(struct serial *serial, uint32_t index)
{
	struct issue_queue *queue = &serial->queue[index];
	bool between = false;

	do {
		op_id at = queue->head = serial->turn[queue->begun].next;
		while (at && serial->turn[at].launch == serial->turn[queue->head].launch) {
			op_begin(serial, at);
			between |= is_between(serial, at);
			at = serial->turn[at].next;
		}
	} while (queue->head && !queue->pending);
	if (between)
		*MEM_ADD(&serial->suspect, &serial->suspect_count) = index;
}

static void release_members(struct serial *serial)
{
	while (serial->over_count) {
		uint32_t index = serial->over[--serial->over_count];
		const struct match *match = &serial->world->matches[index];
		serial->meeting[index].released = true;
		for (int place = 0; place < match->n; place++) {
			op_id member = match->member[place];
			if (!member || member > serial->done || !has_begun(serial, member))
				continue;
			uint32_t queue = op_queue(serial, member);
			if (--serial->queue[queue].pending == 0)
				queue_advance(serial, queue);
		}
	}
}

static void op_issue(struct serial *serial, op_id id)
{
	const struct op *op = &serial->world->ops[id];
	uint8_t kind = op_record(serial->world, id)->kind;

	serial->done = id;
	if (kind != OP_COLLECTIVE && kind != OP_P2P)
		return;
	if (!(op->flags & OPF_TOGETHER))
		serial->launch[op->rank] = id;
	serial->turn[id] = (struct turn){.launch = serial->launch[op->rank]};
	FOR_MATCHES (of, serial->world, id) {
		struct issued_match *meeting = &serial->meeting[of.index];
		meeting->joined++;
		if (of.match->aborted)
			meeting->over = meeting->released = true;
	}
	uint32_t index = op_queue(serial, id);
	struct issue_queue *queue = &serial->queue[index];
	bool begins = !queue->head ||
	        (queue->begun == queue->tail && serial->turn[queue->begun].launch == serial->turn[id].launch);
	serial->turn[queue->tail].next = id;
	queue->tail = id;
	if (begins) {
		queue->head = queue->head ? queue->head : id;
		op_begin(serial, id);
		if (!queue->pending)
			queue_advance(serial, index);
		release_members(serial);
	} else if (is_between(serial, id)) {
		*MEM_ADD(&serial->suspect, &serial->suspect_count) = index;
	}
}

/* ---- searching */

static void edges_of(struct wait_search *search, uint32_t node)
{
	struct serial *serial = search->self;

	*MEM_ADD(&serial->opened, &serial->opened_count) = node;
	if (node % 2) {
		const struct match *match = &serial->world->matches[node / 2];
		for (int place = 0; place < match->n; place++) {
			op_id member = match->member[place];
			if (member && member <= serial->done && !has_begun(serial, member))
				wait_for(search, 2 * op_queue(serial, member) + 2);
		}
		return;
	}
	const struct issue_queue *queue = &serial->queue[node / 2 - 1];
	for (op_id at = queue->head; at && at <= queue->begun; at = serial->turn[at].next)
		FOR_MATCHES (of, serial->world, at) {
			const struct issued_match *meeting = &serial->meeting[of.index];
			if (!meeting->over && meeting->joined > meeting->begun)
				wait_for(search, 2 * of.index + 1);
		}
}

static op_id member_on(const struct match *match, int rank)
{
	int place = 0;
	while (match->ranks[place] != rank)
		place++;
	return match->member[place];
}

/* Reads the search's cycle: a queue, the match that its head waits for, the queue that this one
 * waits for, and so on. */
static struct circle circle_read(const struct serial *serial)
{
	const struct wait_search *search = &serial->search;
	size_t n = search->cycle_count / 2, odd = search->cycle[0] % 2;
	struct circle circle = {mem_alloc(n * sizeof *circle.hop), n};

	for (size_t i = 0; i < n; i++) {
		uint32_t queue = search->cycle[(2 * i + odd) % (2 * n)] / 2 - 1,
		         before = search->cycle[(2 * i + odd + 2 * n - 1) % (2 * n)] / 2,
		         behind = search->cycle[(2 * i + odd + 1) % (2 * n)] / 2;
		int rank = (int)(queue % (uint32_t)serial->world->n);
		circle.hop[i] = (struct circle_hop){member_on(&serial->world->matches[behind], rank),
		        member_on(&serial->world->matches[before], rank)};
	}
	return circle;
}

/* ---- reports */

/* Returns true if a circle across groups was reported: it is in one group, or of collectives of
 * two groups (orders.c). */
static bool is_reported(const struct world *world, const struct circle *circle)
{
	int a = op_record(world, circle->hop[0].first)->group, b = a;
	bool collectives = true;

	for (size_t i = 0; i < circle->hops; i++) {
		const struct record *record = op_record(world, circle->hop[i].first);
		collectives &= record->kind == OP_COLLECTIVE;
		if (record->group == a || record->group == b)
			continue;
		if (a != b)
			return false;
		b = record->group;
	}
	return a == b || (collectives && world_order_reported(world, a, b));
}

static bool name_places(struct serial *serial, const struct circle *circle)
{
	size_t before = serial->named_count;

	for (size_t i = 0; i < 2 * circle->hops; i++) {
		const struct circle_hop *hop = &circle->hop[i / 2];
		const struct record *record = op_record(serial->world, i % 2 ? hop->second : hop->first);
		size_t k = 0;
		while (k < serial->named_count &&
		        (serial->named[k].group != record->group || serial->named[k].line != record->line ||
		                serial->named[k].file != record->file))
			k++;
		if (k == serial->named_count)
			*MEM_ADD(&serial->named, &serial->named_count) =
			        (struct place){record->group, record->line, record->file};
	}
	return serial->named_count > before;
}

/* Returns the match that the cycle's lowest-numbered queue waits for, wherever the search
 * started. */
static uint32_t match_to_cut(const struct wait_search *search)
{
	size_t n = search->cycle_count, first = search->cycle[0] % 2;

	for (size_t i = first; i < n; i += 2)
		first = search->cycle[i] < search->cycle[first] ? i : first;
	return search->cycle[(first + 1) % n] / 2;
}

static void search_suspects(struct serial *serial)
{
	const struct world *world = serial->world;
	struct wait_search *search = &serial->search;

	for (size_t i = 0; i < serial->suspect_count;) {
		wait_follow(search, 2 * serial->suspect[i] + 2);
		if (!search->cycle_count) {
			i++;
			continue;
		}
		struct circle circle = circle_read(serial);
		bool one_each = true; /* each hop is on one stream: `stuck` shows such a circle */
		for (size_t k = 0; k < circle.hops; k++)
			one_each &= world->ops[circle.hop[k].first].stream ==
			        world->ops[circle.hop[k].second].stream;
		if (one_each || (serial->across && is_reported(world, &circle)) ||
		        !name_places(serial, &circle))
			mem_free(circle.hop);
		else
			*MEM_ADD(&serial->circles->circle, &serial->circles->count) = circle;
		end_meeting(serial, match_to_cut(search));
		release_members(serial);
		search->cycle_count = 0;
		while (serial->opened_count)
			search->colour[serial->opened[--serial->opened_count]] = WAIT_UNSEEN;
	}
	while (serial->opened_count)
		search->colour[serial->opened[--serial->opened_count]] = WAIT_UNSEEN;
	serial->suspect_count = 0;
}

#define GROW(items, have, room, wanted)                                                        \
	do {                                                                                   \
		size_t wanted_ = (wanted);                                                     \
		MEM_ROOM(items, wanted_, room);                                                \
		if (wanted_ > *(have))                                                         \
			memset(*(items) + *(have), 0, (wanted_ - *(have)) * sizeof **(items)); \
		*(have) = wanted_ > *(have) ? wanted_ : *(have);                               \
	} while (0)

static struct circles *circles_make(const struct world *world, bool across)
{
	struct circles *circles = mem_alloc(sizeof *circles);
	struct serial *serial = circles->serial = mem_alloc(sizeof *serial);

	serial->world = world;
	serial->across = across;
	serial->circles = circles;
	serial->launch = mem_alloc((size_t)world->n * sizeof *serial->launch);
	serial->search = (struct wait_search){.self = serial, .edges_of = edges_of, .stop_at_cycle = true};
	return circles;
}

static void read_books(struct serial *serial)
{
	const struct world *world = serial->world;

	if (serial->done == world->op_count && serial->aborted == world->aborted_count)
		return;
	size_t n = (size_t)world->n, queues = serial->across ? n : n * world->group_count;
	size_t nodes = 2 * (queues > world->match_count ? queues : world->match_count) + 4;
	GROW(&serial->turn, &serial->turns, &serial->turn_room, world->op_count + 1);
	GROW(&serial->queue, &serial->queues, &serial->queue_room, queues);
	GROW(&serial->meeting, &serial->meetings, &serial->meeting_room, world->match_count + 1);
	GROW(&serial->search.colour, &serial->colours, &serial->colour_room, nodes);
	for (; serial->aborted < world->aborted_count; serial->aborted++)
		if (!serial->meeting[world->aborted[serial->aborted]].over)
			end_meeting(serial, world->aborted[serial->aborted]);
	release_members(serial);
	search_suspects(serial);
	/* one by one: the cut does not depend on how many operations come at once */
	while (serial->done < world->op_count) {
		op_issue(serial, serial->done + 1);
		search_suspects(serial);
	}
}

const struct circles *circles_now(struct world *world)
{
	if (!world->circles)
		world->circles = circles_make(world, false);
	read_books(world->circles->serial);
	return world->circles;
}

struct circles *circles_possible(const struct world *world)
{
	struct circles *circles = circles_make(world, true);
	read_books(circles->serial);
	return circles;
}

void circles_free(struct circles *circles)
{
	if (!circles)
		return;
	struct serial *serial = circles->serial;
	for (size_t i = 0; i < circles->count; i++)
		mem_free(circles->circle[i].hop);
	wait_search_release(&serial->search);
	void *arrays[] = {serial->launch, serial->turn, serial->queue, serial->meeting, serial->over,
	        serial->suspect, serial->named, serial->search.colour, serial->opened, serial,
	        circles->circle, circles};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		mem_free(arrays[i]);
}

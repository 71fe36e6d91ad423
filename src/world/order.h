/* order.h -- happens-before on one rank, and through other ranks; private to world/
 *
 * Clocks. Every lane of a rank (its host and streams) has a vector clock: clock[k] = q says that the
 * operations of lane k with numbers up to q (the rank's numbers, op.number) are done before the lane's next
 * one starts. It changes at waits, at the first operation after the host has learned something (a sync), and
 * between the default stream and blocking ones; each change is a version, kept for ever, so the clock of any
 * operation can be found. Work of the host lane needs no clock: it is before whatever is queued after it.
 *
 * History. For each stretch of memory: the accesses that a later one could conflict with. A conflict that the
 * clocks do not order is looked for through other ranks (search.c: collectives and transfers order what is
 * before them on every member before what is behind them on every member) once both operations can take place
 * (runnable.c): their past does not change any more then. While a meeting in that past lacks members the
 * conflict waits at that meet. So the order in which lines of different ranks were typed does not change
 * which races there are. */
#ifndef RANKSH_ORDER_H
#define RANKSH_ORDER_H

#include "world/books.h"

struct version {
	uint32_t number;
	uint32_t clock;
	uint16_t lanes;
}; /* from that operation on; words at order.clocks[clock] */
struct lane_order {
	struct version *versions;
	size_t version_count, version_room;
	op_id *meets;
	size_t meet_count, meet_room; /* its operations that meet others, in order */
	uint32_t host_versions;       /* how many versions of the host lane it has taken in */
};
struct mark {
	op_id op;
	uint32_t next;
	uint8_t operand;
	bool write;
};
struct stretch {
	int64_t from, to;
	uint32_t marks;
	bool written;
};
struct history {
	struct stretch *stretch;
	size_t count, room;
}; /* by address, disjoint */
struct rank_order {
	struct lane_order *lane;
	size_t lanes, room;
	struct history history[SPACE_COUNT];
};

struct undecided {
	struct race race;
	uint32_t next;
};
/* seen: number of the last search that passed it. good: it can take place, and so can all that is before it;
 * this is for good. */
struct meet_note {
	uint32_t undecided;
	uint32_t seen : 31, good : 1;
};
enum { SEARCH_BITS = 0x7fffffff };
struct visit {
	uint32_t meet;
	int place, lane;
};
struct candidate {
	op_id earlier;
	uint8_t earlier_operand, operand;
};

struct world_order {
	struct world *sink; /* whose races and unread are filled; NULL: nobody's */
	int n;
	struct rank_order *rank;
	uint32_t *clocks;
	size_t clock_count, clock_room;
	struct mark *marks;
	size_t mark_count, mark_room;
	uint32_t free_mark; /* [1 ..] */
	struct undecided *undecided;
	size_t undecided_count, undecided_room, undecided_live;
	uint32_t free_undecided; /* [1 ..] */
	struct meet_note *notes;
	size_t note_room; /* by meet */
	/* the operation being prepared */
	uint32_t *draft_clock;
	size_t draft_room;
	int draft_lanes;
	bool draft_changed;
	struct candidate *candidates;
	size_t candidate_count, candidate_room;
	uint32_t unread_operands; /* bit k: operand k reads unwritten memory */
	/* scratch of a search: [rank * stride + lane] */
	size_t stride, stride_streams;
	uint32_t *frontier, *high, *stack;
	bool *stacked;
	size_t stack_count, scratch_room;
	uint32_t search; /* number of the last one; its low bits are in meet_note.seen */
	struct visit *visits;
	size_t visit_room; /* runnable.c: the meetings whose past is being looked at */
};

/* What is known to be done when an operation of that lane and number starts: by the clocks of its own
 * rank. */
struct moment {
	int rank, lane;
	uint32_t number;
	const uint32_t *clock;
	int lanes;
};
struct moment moment_at(const struct world_order *order, int rank, int lane, uint32_t number);
struct moment moment_of(const struct world *world, const struct world_order *order, op_id id);
static inline bool before_moment(const struct op *a, const struct moment *b)
{
	if (a->stream == STREAM_HOST || a->stream == b->lane)
		return a->number < b->number;
	return a->stream < b->lanes && b->clock[a->stream] >= a->number;
}
/* Room in the clock's lanes, versions, meets and notes for one operation; its clock is computed into
 * draft_clock. */
enum status clock_prepare(const struct world *world, struct world_order *order, const struct draft *draft);
void clock_commit(const struct world *world, struct world_order *order, op_id id, uint32_t first_number);
enum status lanes_reserve(struct world_order *order, int rank, size_t lanes);
struct world_order *order_new(int n);
enum status order_scratch(const struct world *world, struct world_order *order);

/* history.c */
enum status history_prepare(const struct world *world, struct world_order *order, const struct record *record,
        const struct moment *moment);
void history_commit(
        const struct world *world, struct world_order *order, const struct record *record, op_id id);
enum status history_fresh_reserve(struct world_order *order, int rank, enum space space);
void history_fresh(const struct world *world, struct world_order *order, const struct fresh *fresh);

/* overlap.c: do two tensors share a byte? */
bool operands_overlap(const struct operand *a, const struct operand *b);
bool layout_dense(const struct layout *layout); /* its bytes have no holes */

/* runnable.c: can the operation take place, going by what is queued? A meeting in its past may lack members
 * (*lacking) or never come about, because it waits for itself. */
enum runnable { RUNNABLE, RUNNABLE_LACKS, RUNNABLE_NEVER };
enum runnable op_runnable(const struct world *world, struct world_order *order, op_id id, uint32_t *lacking);

/* How many of a lane's meeting operations have numbers up to this. */
size_t lane_meets_up_to(const struct world *world, const struct lane_order *lane, uint32_t number);

/* search.c: is `a` before `b`, through any ranks? */
bool search_before(const struct world *world, struct world_order *order, op_id a, op_id b);

/* races.c */
void races_decide(
        const struct world *world, struct world_order *order, const struct candidate *candidate, op_id later);
bool race_known(const struct world *world, const struct world_order *order, const struct candidate *candidate,
        int rank, int lane, const struct record *record);

#endif

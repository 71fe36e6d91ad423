/* order.h -- happens-before on one rank, and through other ranks; private to races/
 *
 * Clocks. Every stream of a rank, and its host, has a vector clock: clock[k] = q says that the operations of
 * stream k with numbers up to q (the rank's numbers, op.number) are done before the stream's next one
 * starts. It changes at waits, at the first operation after the host has learned something (a sync), and
 * between the default stream and blocking ones; each change is a version, kept for ever, so the clock of any
 * operation can be found.
 *
 *     rank 0       2 stream io     3 stream compute  (the entries of io and compute alone)
 *     #1 copy      [ 0 0 ]                           io: nothing is known to be done
 *     #2 record    [ 0 0 ]
 *     #3 wait                      [ 2 0 ]           compute learns: io is done up to #2, and all that #2 knew
 *     #4 matmul                    [ 2 0 ]           the copy (#1 <= 2) is before the matmul
 *     #5 copy      [ 0 0 ]                           nothing orders this one with #4
 *
 * What a graph has on a stream other than the one that it is launched on has a lane of its own, for each graph and
 * stream: as with CUDA the launch is ordered on one stream, and those that were forked in the capture have no part in it.
 *
 * An operation of the host's own stream (number 0) is before whatever is queued after it and needs no entry.
 *
 * History. For each interval of memory: the accesses that a later one could conflict with. A conflict that
 * the clocks do not order is looked for through other ranks (search.c: collectives and transfers order what
 * is before them on every member before what is behind them on every member) once both operations can take
 * place (runnable.c): their past does not change any more then. While a meeting in that past lacks members
 * the conflict waits at that meeting. So the order in which lines of different ranks were typed does not
 * change which races there are. An umbrella header: it brings along what it includes. */
#ifndef RANKSH_RACES_ORDER_H
#define RANKSH_RACES_ORDER_H

#include "base/memory.h"
#include "races/races.h"
#include "waits/search.h"
#include "world/world.h"

#include <string.h>

/* ---- vector clocks */

struct clock_version {
	uint32_t number; /* of the first operation that has it */
	uint32_t clock;  /* its entries begin at order.clocks[clock] */
	uint16_t lanes;  /* and are so many */
};
struct lane_order {
	struct clock_version *versions;
	size_t version_count;
	op_id *matches; /* its operations that meet others, in order */
	size_t match_count;
	uint32_t host_versions; /* how many versions of the host it has taken in */
};

/* ---- history */

struct past_access {
	op_id op;
	uint32_t next; /* the next one of the interval; 0: none */
	uint8_t operand;
	bool write;
};
struct memory_interval {
	int64_t from, to;
	uint32_t accesses; /* first of the list in order.accesses */
	bool written;      /* somebody has written it, or its reading was told */
};
struct history { /* by address, disjoint */
	struct memory_interval *interval;
	size_t count;
};
/* The work of a graph on a stream other than the one of the launch */
struct branch {
	uint32_t graph;
	name_id name;
	int stream, lane;
};
struct rank_order {
	struct lane_order *lane;
	size_t lanes;
	/* by number of the stream; the host's and the default stream's lanes have their numbers */
	uint16_t *stream_lane;
	size_t streams;
	struct branch *branch;
	size_t branches;
	struct history history[SPACE_COUNT];
};

/* ---- deciding */

/* A conflict whose past still lacks members: in a list of the meeting that lacks them. */
struct undecided {
	struct race race;
	size_t matches; /* that the books had then; 0: it was taken out, and is in the list still */
	uint32_t next;
};
struct match_note {
	uint32_t undecided; /* first of the list of conflicts that wait for this meeting */
	uint32_t seen;      /* number of the last search that passed it */
};

struct search_cell {
	uint32_t frontier; /* the stream's operations with numbers up to this are before b */
	uint32_t high;     /* so many of its operations that meet others have been passed */
	uint32_t below;    /* the next of the stack */
	bool stacked;
};
#define NO_CELL UINT32_MAX

struct happens_before {
	const struct world *world;
	struct races *races; /* where what is found goes */
	struct names *known; /* their keys (races.c): number i is that of races->race[i - 1] */
	op_id done;          /* operations up to this one are in */
	size_t handouts;     /* ... and so many blocks */
	size_t aborted;      /* ... and so many of world.aborted */
	struct rank_order *rank;
	uint16_t *op_lane; /* by operation */
	size_t op_room;
	uint32_t *clocks;
	size_t clock_count, clock_room;
	struct past_access *accesses; /* [1 ..] */
	size_t access_count, access_room;
	uint32_t free_access;
	struct undecided *undecided; /* [1 ..] */
	size_t undecided_count, undecided_room;
	uint32_t free_undecided;
	struct match_note *notes; /* by meeting */
	size_t note_count, note_room;
	/* the clock of the operation that is being looked at */
	uint32_t *next_clock;
	size_t next_room;
	int next_lanes;
	bool next_changed;
	struct settled {
		struct race race;
		size_t matches; /* that the books had then */
	} * settled; /* conflicts that are no race, because of other ranks, in the order in which they were decided */
	size_t settled_count;
	struct race *conflicts; /* of that operation, not ordered by its rank's clocks */
	size_t conflict_count;
	uint32_t unread_operands; /* bit k: operand k reads unwritten memory */
	/* scratch of a search, by [rank * stride + lane] */
	size_t stride, cell_room;
	struct search_cell *cells;
	uint32_t stack;  /* the cell that is looked at next, NO_CELL none */
	uint32_t search; /* number of the last one */
	/* runnable.c: by meeting, CLOSED when it can take place, and so can all that is before it, for
	 * good */
	struct wait_search runnable;
	size_t colour_room;
	op_id asked;
	uint32_t lacking;
};

/* ---- order.c */

/* What is known to be done when an operation of that stream and number starts, by the clocks of its own
 * rank. */
struct vector_clock {
	int rank, lane;
	uint32_t number;
	const uint32_t *entry;
	int lanes; /* entries; the rest are 0 */
};
struct vector_clock clock_at(const struct happens_before *order, int rank, int lane, uint32_t number);
struct vector_clock clock_of(const struct happens_before *order, op_id id);
/* Of an operation on the clock's own rank: is it done before the clock's operation starts? */
static inline bool before_clock(const struct happens_before *order, op_id a, const struct vector_clock *b)
{
	uint32_t number = order->world->ops[a].number;
	int lane = order->op_lane[a];
	if (lane == STREAM_HOST || lane == b->lane)
		return number < b->number;
	return lane < b->lanes && b->entry[lane] >= number;
}
/* Streams and meetings that are new in the books get their places; then the clocks of new operations. */
void clocks_update(struct happens_before *order);

/* ---- history.c */

/* Finds what the operation conflicts with (conflicts) and which operands read what nobody wrote. */
void history_conflicts(struct happens_before *order, op_id id);
void history_add(struct happens_before *order, op_id id); /* its own accesses, behind history_conflicts */
void history_handout(struct happens_before *order, const struct handout *handout);

/* ---- overlap.c */
bool operands_overlap(const struct operand *a, const struct operand *b); /* do they share a byte? */
bool layout_dense(const struct layout *layout);                          /* its bytes have no holes */

/* ---- races.c: the race that was reported for the same streams and names, or NULL */
struct race *race_known(const struct happens_before *order, const struct race *race);
/* Does `a` come before `b` in program order? */
bool race_sooner(const struct race *a, const struct race *b);

/* ---- runnable.c: can the operation take place, going by what is queued? A meeting in its past may lack
 * members (order->lacking) or never come about, because it waits for itself. */
enum runnable { RUNNABLE, RUNNABLE_LACKS, RUNNABLE_NEVER };
void runnable_edges(struct wait_search *search, uint32_t node);
enum runnable op_runnable(struct happens_before *order, op_id id);
/* How many of a stream's meeting operations have numbers up to this. */
size_t lane_matches_up_to(const struct world *world, const struct lane_order *lane, uint32_t number);

/* ---- search.c */
/* is `a` before `b`, through any ranks? */
bool search_before(struct happens_before *order, op_id a, op_id b);

#endif

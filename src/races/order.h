/* order.h -- happens-before on one rank, and through other ranks; private to races/
 *
 * Clocks. Every stream of a rank, and its host, has a vector clock: clock[k] = q says that
 * operations of stream k with numbers up to q (op.number) are done before the stream's next one
 * starts. Each change is a version, kept for ever, so every operation's clock can be found.
 *
 *     rank 0       2 stream io     3 stream compute  (only their entries)
 *     #1 copy      [ 0 0 ]                           io: nothing is known to be done
 *     #2 record    [ 0 0 ]
 *     #3 wait                      [ 2 0 ]           compute learns: io is done up to #2,
 *                                                  and all that record #2 knew
 *     #4 matmul                    [ 2 0 ]           the copy (#1 <= 2) is before the matmul
 *     #5 copy      [ 0 0 ]                           not ordered with #4
 *
 * A graph's work on another stream than its launch has its own lane because, as with CUDA, the
 * launch is ordered on one stream only.
 *
 * An operation of the host's stream (number 0) is before all later ones and needs no entry.
 *
 * History. Each interval of memory lists the accesses that a later one could conflict with. If
 * clocks do not order a conflict, search.c looks for an order through other ranks. It does so when
 * both operations are runnable, because then their past is final; until then the conflict waits at
 * the match that lacks members. So races do not depend on the order in which lines for different
 * ranks are typed. An umbrella header. */
#ifndef RANKSH_RACES_ORDER_H
#define RANKSH_RACES_ORDER_H

#include "base/memory.h"
#include "races/races.h"
#include "waits/search.h"
#include "world/world.h"

#include <string.h>

/* ---- vector clocks */

struct clock_version {
	uint32_t number; /* of its first operation */
	uint32_t clock;  /* its entries begin at order.clocks[clock] */
	uint16_t lanes;  /* number of entries */
};
struct lane_order {
	struct clock_version *versions;
	size_t version_count;
	op_id *matches; /* its collectives and transfers, in order */
	size_t match_count;
	uint32_t host_versions; /* versions of the host's clock it has learned */
};

/* ---- history */

struct past_access {
	op_id op;
	uint32_t next; /* next of the interval; 0: none */
	uint8_t operand;
	bool write;
};
struct memory_interval {
	int64_t from, to;
	uint32_t accesses; /* first of the list in order.accesses */
	bool written;      /* written, or reported as unread */
};
struct history { /* by address, disjoint */
	struct memory_interval *interval;
	size_t count;
};
/* The work of a graph on a stream other than its launch's */
struct branch {
	uint32_t graph;
	name_id name;
	int stream, lane;
};
struct rank_order {
	struct lane_order *lane;
	size_t lanes;
	/* by stream; the lanes of the host and the default stream have their numbers */
	uint16_t *stream_lane;
	size_t streams;
	struct branch *branch;
	size_t branches;
	struct history history[SPACE_COUNT];
};

/* ---- deciding */

/* A conflict whose past lacks members, in the list of the match that lacks them */
struct undecided {
	struct race race;
	size_t matches; /* match_count when it was added; 0: removed, but still in the list */
	uint32_t next;
};
struct match_note {
	uint32_t undecided; /* first conflict that waits for this match */
	uint32_t seen;      /* the last search that passed it */
};

struct search_cell {
	uint32_t frontier; /* operations with numbers up to this are before b */
	uint32_t high;     /* matches of the lane that have been passed */
	uint32_t below;    /* next of the stack */
	bool stacked;
};
#define NO_CELL UINT32_MAX

struct happens_before {
	const struct world *world;
	struct races *races; /* receives the results */
	struct names *known; /* their keys (races.c): number i is races->race[i - 1] */
	op_id done;          /* operations up to this one are processed */
	size_t handouts;     /* handouts processed */
	size_t aborted;      /* of world.aborted, processed */
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
	struct match_note *notes; /* by match */
	size_t note_count, note_room;
	/* the clock of the current operation */
	uint32_t *next_clock;
	size_t next_room;
	int next_lanes;
	bool next_changed;
	/* a group has a timeout, which may undo a match, and so the decisions made since */
	bool expires;
	/* if so: conflicts decided to be no race, in the order of decision */
	struct settled {
		struct race race;
		size_t matches; /* match_count when it was decided */
	} * settled;
	size_t settled_count;
	struct race *conflicts; /* of the current operation, not ordered by its rank's clocks */
	size_t conflict_count;
	uint32_t unread_operands; /* bit k: operand k reads unwritten memory */
	/* scratch of a search, by [rank * stride + lane] */
	size_t stride, cell_room;
	struct search_cell *cells;
	uint32_t stack;  /* top cell, NO_CELL if empty */
	uint32_t search; /* number of the last search */
	/* for op_runnable; colours by match: CLOSED if it and its past are complete for good */
	struct wait_search runnable;
	size_t colour_room;
	op_id asked;
	uint32_t lacking;
};

/* ---- order.c */

/* The operations done before the operation of that stream and number starts */
struct vector_clock {
	int rank, lane;
	uint32_t number;
	const uint32_t *entry;
	int lanes; /* entries; the rest are 0 */
};
struct vector_clock clock_at(const struct happens_before *order, int rank, int lane, uint32_t number);
struct vector_clock clock_of(const struct happens_before *order, op_id id);
/* True if an operation of the clock's rank is done before the clock's operation starts. */
static inline bool before_clock(const struct happens_before *order, op_id a, const struct vector_clock *b)
{
	uint32_t number = order->world->ops[a].number;
	int lane = order->op_lane[a];
	if (lane == STREAM_HOST || lane == b->lane)
		return number < b->number;
	return lane < b->lanes && b->entry[lane] >= number;
}
/* Makes room for new streams and matches, then computes the clocks of new operations. */
void clocks_update(struct happens_before *order);

/* ---- history.c */

/* Stores the operation's conflicts, and the operands that read unwritten memory, in `order`. */
void history_conflicts(struct happens_before *order, op_id id);
/* Adds the operation's own accesses, after history_conflicts. */
void history_add(struct happens_before *order, op_id id);
void history_handout(struct happens_before *order, const struct handout *handout);

/* ---- races.c: the race reported for the same streams and names, or NULL */
struct race *race_known(const struct happens_before *order, const struct race *race);
/* True if `a` is before `b` in program order. */
bool race_sooner(const struct race *a, const struct race *b);

/* ---- search.c: can the operation take place with the queued lines? LACKS: a match in its past
 * lacks members (order->lacking); NEVER: one waits for itself */
enum runnable { RUNNABLE, RUNNABLE_LACKS, RUNNABLE_NEVER };
void runnable_edges(struct wait_search *search, uint32_t node);
enum runnable op_runnable(struct happens_before *order, op_id id);
/* True if `a` is before `b` through any ranks */
bool search_before(struct happens_before *order, op_id a, op_id b);

#endif

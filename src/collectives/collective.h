/* collective.h -- a collective's shapes, cost per algorithm, steps when unrolled, data over MPI
 *
 * May call: world/ (types) machine/ mpi/ base/. */
#ifndef RANKSH_COLLECTIVE_H
#define RANKSH_COLLECTIVE_H

#include "mpi/transport.h"
#include "world/world.h"

/* The values of `op=`, in the order of enum reduction */
#define REDUCTION_WORDS "sum avg max min"

/* X(name), in `help` order: collective_NAME is the row. */
#define COLLECTIVES(X)   \
	X(allreduce)     \
	X(broadcast)     \
	X(reduce)        \
	X(allgather)     \
	X(reducescatter) \
	X(gather)        \
	X(scatter)       \
	X(alltoall)      \
	X(barrier)

/* The participants, for the cost model */
struct cost_group {
	int n;
	const int *ranks;
};
struct cost {
	double latency_ns;    /* fixed part: other flows do not slow it */
	double bytes;         /* traffic through a rank's narrowest link */
	double rate;          /* bytes/s for that traffic, alone */
	int64_t alone_ns;     /* latency_ns + bytes/rate, rounded up */
	uint8_t algorithm;    /* the chosen enum algorithm (algorithm.h), as everywhere below */
	const char *protocol; /* "LL" "LL128" "Simple" or "" */
};

/* One collective's data on one process */
struct collective;
struct collective_job {
	const struct collective *collective;
	struct transport_group *comm; /* the group's communicator */
	enum dtype dtype;
	enum reduction reduction;
	int root;
	const char *in; /* may overlap out; NULL if unused */
	char *out;      /* NULL if there is no result */
	int64_t in_count, out_count;
	/* elements in a full part; the last parts may be shorter or empty */
	int64_t chunk;
	const struct split *split; /* NULL: parts by `chunk` */
	const bool *counts;        /* by group rank: whose input is in the sum; NULL: all */
	/* ---- set by collective_data ---- */
	int n, place;
	int64_t size; /* bytes per element */
};

struct collective {
	const char *name, *usage, *help, *torch, *cuda, *example;
	bool has_root, reduces;
	bool in_place;  /* without OUT = the result replaces the input */
	bool direct;    /* sends and receives, all at once: no algorithm to choose */
	bool splits;    /* takes send= and recv=: unequal parts */
	bool rows;      /* takes rows=, the result's rows; its parts are chunk_at's */
	bool bare;      /* without a tensor */
	bool spares;    /* takes backup=: the last ranks to arrive may be left out */
	int rounds;     /* rounds of the ring: 2 if the message is reduced, then spread */
	bool root_gets; /* only the root has a result */
	/* the shape: shapes.c */
	enum { RESULT_SAME, RESULT_GROWN, RESULT_SHARED, RESULT_EXCHANGED } result;
	/* Called by collective_data(), which resolves overlaps. NULL: no data moves. If it fails
	 * with ST_MPI, it has still made the same MPI calls. */
	enum status (*data)(const struct collective_job *job);
};
#define X(name) extern const struct collective collective_##name;
COLLECTIVES(X)
#undef X
const struct collective *collective_at(int i); /* returns NULL past the last */

/* Returns NCCL's "bus bandwidth" factor for n ranks: busbw = message bytes / time x factor
 * (nccl-tests, PERFORMANCE.md). In a ring it is the share of the message that a rank sends. */
double collective_bus_factor(const struct collective *collective, int n);

/* Computes the result's layout at a place in a group of n, from the input `name` (shapes.c).
 * out->dims is 0 on a rank without result. A scatter's input has one shape on every rank. Fails
 * with ST_SHAPE or ST_RANGE and names a shape that fits. */
enum status collective_shape(const struct collective *collective, const char *name, const struct layout *in,
        int n, int place, int root, struct layout *out);
/* Fails with ST_SHAPE unless the input `name` has the shape of this place's part in `whole`, the
 * result of an allgather with rows=. */
enum status chunk_shape(
        const char *name, const struct layout *in, int n, int place, const struct layout *whole);
/* Returns the message size, from which time and traffic follow: the larger of input and result, on
 * the root if only it has one. Every part counts as large as the first, as if padded. whole: as
 * above, or NULL. For x [8] f32 on 4 ranks:
 *
 *     allreduce, broadcast, reduce     8 -> 8      32 B
 *     allgather, gather                8 -> 32    128 B, the result
 *     reducescatter, scatter           8 -> 2      32 B, the input; for x [5] as well
 *     alltoall                         8 -> 8      32 B */
int64_t collective_bytes(
        const struct collective *collective, const struct layout *in, int n, const struct layout *whole);
/* Returns a recorded collective's elements per full part. Requires equal parts, or those of
 * chunk_at. */
int64_t collective_chunk(const struct record *record, int n);

/* Computes the result's layout for an alltoall with counts: as many rows as are received. Fails
 * with ST_SHAPE unless all rows of the input are sent, or with ST_RANGE. */
enum status split_shape(
        const char *name, const struct layout *in, const struct split *split, struct layout *out);

/* Computes the cost. message_bytes: see collective_bytes. Gather, scatter and alltoall have no
 * algorithm: ALGORITHM_AUTO. Fails with ST_ARGUMENT if the algorithm cannot do that collective
 * there. */
enum status collective_cost(const struct collective *collective, const struct machine *machine,
        struct cost_group group, int64_t message_bytes, uint8_t algorithm, struct cost *cost);
/* Returns a place's cost in an alltoall with counts; the slowest place determines the time. */
struct cost split_cost(
        const struct machine *machine, struct cost_group group, int place, const struct split *split);
/* One collective with its chosen algorithm */
struct collective_message {
	const struct collective *collective;
	uint8_t algorithm;         /* as cost.algorithm */
	int root;                  /* group rank, or -1 */
	int64_t elements, size;    /* in the message; bytes per element */
	const struct split *split; /* NULL: equal parts */
};
/* Adds the bytes that `place` sends over its own links to sent[LINK_KINDS]. */
void collective_sent(const struct machine *machine, struct cost_group group,
        const struct collective_message *message, int place, double *sent);
/* One step on one rank: send [send_offset, +send_count) to place `to`, receive into scratch or at
 * recv_offset, perhaps reduce. Offsets and counts are elements in the flattened tensor. */
struct collective_step {
	int to, from; /* group ranks, -1: none */
	int64_t send_offset, send_count, recv_offset, recv_count;
	bool reduce; /* received data are added, not stored */
};
/* Writes the steps of `place` to steps[] (room for STEPS_MAX(n)) and their number to *count.
 * elements: the whole tensor (allgather: the result, with the own part in place; reducescatter:
 * the input, which is overwritten; the own part of the sum ends up at place * elements/n). Pieces
 * differ by at most one element; an empty piece has no step; both sides of every transfer agree.
 * An average is a sum, divided afterwards. Fails with ST_ARGUMENT and lists what can be
 * unrolled. */
#define STEPS_MAX(n) (2 * (n) + 32)
enum status collective_steps(const struct collective *collective, uint8_t algorithm, int n, int place,
        int root, int64_t elements, struct collective_step *steps, int *count);

/* Returns the first element of piece p in n pieces, which differ by at most one element. */
int64_t piece_at(int64_t elements, int n, int p);

/* Returns true if some algorithm can unroll it. */
bool collective_unrolls(const struct collective *collective);

/* Moves one collective's data over MPI, in contiguous buffers; every member passes the same
 * arguments and gets the unrolled ring's bits: each addition rounds to the tensor's type, in ring
 * order. As in ncclAvg, a float average multiplies each input by 1/n first (both rounded to the
 * type); an i32 average divides the sum, truncated. max and min: a number wins over a NaN. Fails
 * with ST_MPI. */
enum status collective_data(struct collective_job job);
/* Returns the operand that holds the result on this rank (the input on the root of an in-place
 * broadcast); NULL if none. */
const struct operand *collective_result(const struct record *record);

#endif

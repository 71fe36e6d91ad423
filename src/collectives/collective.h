/* collective.h -- what a collective is: its shapes, cost by algorithm, steps when unrolled, and its data over
 * MPI.
 *
 * May call: world/ (types) machine/ mpi/ base/. To add a collective: a file with its row and its name in
 * COLLECTIVES; an algorithm: a file with its row and its name in ALGORITHMS of algorithm.h. */
#ifndef RANKSH_COLLECTIVE_H
#define RANKSH_COLLECTIVE_H

#include "mpi/transport.h"
#include "world/world.h"

/* What `op=` takes, in the order of enum reduction */
#define REDUCTION_WORDS "sum avg max min"

/* X(name), in the order of help: collective_NAME is its row. */
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

/* Who takes part, as the cost model sees it */
struct cost_group {
	int n;
	const int *ranks;
};
struct cost {
	double latency_ns;    /* fixed part: not slowed by other flows */
	double bytes;         /* what the bandwidth part moves through the narrowest link of a rank */
	double rate;          /* bytes/s of that part, alone */
	int64_t alone_ns;     /* latency_ns + bytes/rate, rounded up */
	uint8_t algorithm;    /* the one taken: enum algorithm (algorithm.h), as everywhere below */
	const char *protocol; /* "LL" "LL128" "Simple" or "" */
};

/* The data of one collective on one process: what every member calls it with, and where this one's tensors
 * lie. */
struct collective;
struct collective_job {
	const struct collective *collective;
	struct transport_group *comm; /* the group's */
	enum dtype dtype;
	enum reduction reduction;
	int root;
	const char *in; /* may overlap out; NULL where it is not looked at */
	char *out;      /* NULL where there is no result */
	int64_t in_count, out_count;
	/* elements of a whole part of the tensor that is cut, or put together; the last parts may have fewer, or none */
	int64_t chunk;
	const struct split *split; /* NULL: the parts are those of `chunk` */
	const bool *counts; /* by place: whose input is in the sum, where some are left out; NULL: all */
	/* ---- by collective_data */
	int n, place;
	int64_t size; /* bytes of an element */
};

struct collective {
	const char *name, *usage, *help, *torch, *cuda, *example;
	bool has_root, reduces;
	bool in_place;  /* without OUT = the result takes the place of the input */
	bool direct;    /* made of sends and receives, all at once: there is no algorithm to choose */
	bool splits;    /* takes send= and recv=: parts of unlike size */
	bool rows;      /* takes rows=, the rows of the result, whose parts are then those of chunk_at */
	bool bare;      /* there is no tensor */
	bool spares;    /* takes backup=: the last to come may be left out */
	int rounds;     /* how often the message goes round a ring: 2 when it is reduced, then spread */
	bool root_gets; /* only the root has a result */
	enum { RESULT_SAME, RESULT_GROWN, RESULT_SHARED, RESULT_EXCHANGED } result; /* its shape: shapes.c */
	/* By way of collective_data(), which sees to overlaps. NULL: nothing moves. ST_MPI; the same MPI calls
	 * have then been made all the same. */
	enum status (*data)(const struct collective_job *job);
};
#define X(name) extern const struct collective collective_##name;
COLLECTIVES(X)
#undef X
const struct collective *collective_at(int i); /* NULL behind the last */

/* NCCL's "bus bandwidth" factor in a group of n: busbw = message bytes / time x factor (nccl-tests,
 * PERFORMANCE.md). In a ring, a rank sends that much of the message; the busbw is what the narrowest link
 * carries, and does not depend on n: the number to compare with the hardware's. */
double collective_bus_factor(const struct collective *collective, int n);

/* Gives the layout of the result at a place of a group of n, from that of the input `name`. The first axis grows or shrinks by
 * the group's size; chunk_at cuts that of a reducescatter. A rank that gets no result has out->dims 0. A scatter's input has one
 * shape on every rank. ST_SHAPE and ST_RANGE name what fits. */
enum status collective_shape(const struct collective *collective, const char *name, const struct layout *in,
        int n, int place, int root, struct layout *out);
/* Fails with ST_SHAPE unless the input `name` has the shape of the place's part of `whole`, the result of an allgather with
 * rows=. */
enum status chunk_shape(
        const char *name, const struct layout *in, int n, int place, const struct layout *whole);
/* Returns the bytes from which a collective's time and traffic follow: those of the larger of input and result, on the root if
 * only the root has one. Each part counts as the first, as if the smaller ones were padded. whole: as above, or NULL. For x [8]
 * f32 on 4 ranks:
 *
 *     allreduce, broadcast, reduce     8 -> 8      32 B
 *     allgather, gather                8 -> 32    128 B, the result
 *     reducescatter, scatter           8 -> 2      32 B, the input; of x [5] as well
 *     alltoall                         8 -> 8      32 B */
int64_t collective_bytes(
        const struct collective *collective, const struct layout *in, int n, const struct layout *whole);
/* Returns the elements of a whole part of n, of a collective in the books. Requires equal parts, or those of chunk_at. */
int64_t collective_chunk(const struct record *record, int n);

/* The same where the line gives counts: so many rows as come */
enum status split_shape(
        const char *name, const struct layout *in, const struct split *split, struct layout *out);

/* message_bytes: the larger of a rank's input and output (of the root's, where they differ). Gather, scatter
 * and alltoall are made of sends and receives: their cost.algorithm is ALGORITHM_AUTO. ST_ARGUMENT when the
 * algorithm cannot do that collective there ("nvls needs NVLink-SHARP; the machine pcie-4gpu has none"). */
enum status collective_cost(const struct collective *collective, const struct machine *machine,
        struct cost_group group, int64_t message_bytes, uint8_t algorithm, struct cost *cost);
/* Of an alltoall with counts, what place `place` sends and receives. It takes as long as the place with the most to
 * send or to receive. */
struct cost split_cost(
        const struct machine *machine, struct cost_group group, int place, const struct split *split);
/* One collective, as its algorithm carries it out. elements: of the message, as above */
struct collective_message {
	const struct collective *collective;
	uint8_t algorithm;         /* as in cost.algorithm: the one taken */
	int root;                  /* place, or -1 */
	int64_t elements, size;    /* and the bytes of one */
	const struct split *split; /* NULL: equal parts */
};
/* Adds the bytes that place `place` sends by the steps of the algorithm to sent[LINK_KINDS], of its own links. */
void collective_sent(const struct machine *machine, struct cost_group group,
        const struct collective_message *message, int place, double *sent);
/* One step of an unrolled algorithm, of one rank: send [send_offset, +send_count) to place `to`, receive into
 * the scratch or at recv_offset, then maybe reduce. Offsets and counts in elements of the flattened
 * tensor. */
struct collective_step {
	int to, from; /* places, -1: none */
	int64_t send_offset, send_count, recv_offset, recv_count;
	bool reduce; /* what arrives is added, not stored */
};
/* elements: of the whole tensor (allgather: the result, with one's own part in its place; reducescatter: the
 * input, which is used up; one's part of the sum ends at place * elements/n). Pieces differ by at most one
 * element; an empty piece is no step; the two sides of every transfer agree. An average is a sum to be
 * divided afterwards. Steps of `place` out of n; *count of them in steps[] (room for STEPS_MAX(n)).
 * ST_ARGUMENT names what can be unrolled. */
#define STEPS_MAX(n) (2 * (n) + 32)
enum status collective_steps(const struct collective *collective, uint8_t algorithm, int n, int place,
        int root, int64_t elements, struct collective_step *steps, int *count);

/* Piece p of n of a tensor begins at this element; pieces differ by one element at most. */
int64_t piece_at(int64_t elements, int n, int p);

/* Can it be unrolled by some algorithm? */
bool collective_unrolls(const struct collective *collective);

/* The data of one collective on this process, over MPI; contiguous buffers; every member calls with the same
 * arguments. All members get the same bits, those of the unrolled ring, on every computer: each addition is
 * rounded to the tensor's type, in the order of the ring. An average of floats is the sum of each input times
 * 1/n (both rounded to the type), of i32 the sum divided, cut toward zero, as ncclAvg is. max and min: a
 * number wins over a NaN. ST_MPI. */
enum status collective_data(struct collective_job job);
/* Returns the operand that has the result on this rank; NULL if there is none. For the root of a broadcast in place it is the
 * input, to which the root does not write. */
const struct operand *collective_result(const struct record *record);

#endif

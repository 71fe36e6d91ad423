/* collective.h -- what a collective is: its shapes, cost by algorithm, steps when unrolled, and its data over
 * MPI; one file per algorithm, one row per collective (steps, cost and expected answer side by side).
 *
 * May call: kernels/ world/ machine/ mpi/ base/. */
#ifndef RANKSH_COLLECTIVE_H
#define RANKSH_COLLECTIVE_H

#include "machine/machine.h"
#include "mpi/plane.h"
#include "world/world.h"

/* X(symbol, name) */
#define ALGORITHMS(X)   \
	X(AUTO, "auto") \
	X(RING, "ring") \
	X(TREE, "tree") \
	X(NVLS, "nvls") \
	X(PAT, "pat")
enum algorithm {
#define X(symbol, name) ALGORITHM_##symbol,
	ALGORITHMS(X)
#undef X
	        ALGORITHM_COUNT
};
const char *algorithm_name(enum algorithm algorithm);
bool algorithm_find(const char *name, enum algorithm *algorithm);

/* X(symbol, name, has root, reduces) */
#define COLLECTIVES(X)                          \
	X(ALLREDUCE, "allreduce", 0, 1)         \
	X(BROADCAST, "broadcast", 1, 0)         \
	X(REDUCE, "reduce", 1, 1)               \
	X(ALLGATHER, "allgather", 0, 0)         \
	X(REDUCESCATTER, "reducescatter", 0, 1) \
	X(GATHER, "gather", 1, 0)               \
	X(SCATTER, "scatter", 1, 0)             \
	X(ALLTOALL, "alltoall", 0, 0)           \
	X(BARRIER, "barrier", 0, 0)
enum collective_kind {
#define X(symbol, name, root, reduces) COLLECTIVE_##symbol,
	COLLECTIVES(X)
#undef X
	        COLLECTIVE_COUNT
};

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
	uint8_t algorithm;    /* the one taken */
	const char *protocol; /* "LL" "LL128" "Simple" or "" */
	double sent_bytes;    /* what each rank sends in all (of a root or the busiest, where they differ) */
};

struct collective {
	enum collective_kind kind;
	const char *name, *usage, *help, *torch, *cuda, *example;
	bool has_root, reduces;
	/* Layout of the result from that of the input, for a rank at `place` (root: place of the root). dims
	 * of the first axis grow or shrink by the group's size; reducescatter, scatter, alltoall want it
	 * divisible where the field does. A rank that gets no result (gather, reduce: all but the root) has
	 * out->dims 0. A scatter's input has one shape on every rank. */
	enum status (*shape)(
	        const char *name, const struct layout *in, int n, int place, int root, struct layout *out);
};
const struct collective *collective_find(const char *name);
const struct collective *collective_at(int i); /* NULL behind the last */

/* message_bytes: the larger of a rank's input and output (of the root's, where they differ). Gather, scatter
 * and alltoall are made of sends and receives: their cost.algorithm is ALGORITHM_AUTO. ST_ARGUMENT when the
 * algorithm cannot do that collective there ("nvls needs NVLink-SHARP; the machine pcie-4gpu has none"). */
enum status collective_cost(const struct collective *collective, const struct machine *machine,
        struct cost_group group, int64_t message_bytes, enum algorithm algorithm, struct cost *cost);
/* NCCL's "bus bandwidth" factor: busbw = message bytes / time x factor (nccl-tests, PERFORMANCE.md). */
double collective_bus_factor(enum collective_kind kind, int n);

/* One step of an unrolled algorithm, of one rank: send [send_offset, +send_count) to place `to`, receive into
 * the scratch or at recv_offset, then maybe reduce. Offsets and counts in elements of the flattened
 * tensor. */
struct step {
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
enum status collective_steps(const struct collective *collective, enum algorithm algorithm, int n, int place,
        int root, int64_t elements, struct step *steps, int room, int *count);

/* The data of one collective on this process, over MPI; contiguous buffers; every member calls with the same
 * arguments. in may overlap out; out may be NULL where a rank gets no result, in where its input is not
 * looked at. The sum of f16 and bf16 is rounded once; an average of i32 is cut toward zero, as ncclAvg does.
 * comm: the group's. ST_MPI, ST_MEMORY (then the same MPI calls have been made all the same). */
enum status collective_data(const struct collective *collective, struct plane_group *comm, enum dtype dtype,
        enum reduction reduction, int root, const void *in, int64_t in_count, void *out, int64_t out_count);

#endif

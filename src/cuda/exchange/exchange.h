/* exchange.h -- communication of ranks on GPUs: collectives, transfers, one-sided operations
 *
 * Two implementations: shared_gpu/ for ranks that share a GPU, nccl/ for a GPU per rank. Both
 * only queue work: streams wait for peers, not the host. Messages are contiguous, in memory from
 * exchange.alloc.
 *
 * All members agree without communication on `part`, which numbers the parts of all groups
 * (group.first + instance), and on `seq`, the sequence number of a part's collectives, or of the
 * transfers of a channel (from one rank to another in a part). It starts at 1 and never decreases.
 *
 * If a call fails, its work is never queued: peers, and work of this rank that is already queued
 * for it, wait until the part is released. The caller queues nothing more there before.
 *
 * Called by the host thread, except `serve` and `release`. */
#ifndef RANKSH_CUDA_EXCHANGE_H
#define RANKSH_CUDA_EXCHANGE_H

#include "collectives/collective.h"
#include "cuda/library/library.h"
#include "world/op.h"

struct exchange_collective {
	const struct collective *collective;
	int part;
	uint32_t seq;
	int n, place;
	const int *ranks; /* by place; owned by the world, as is split.rows */
	enum dtype dtype;
	enum reduction reduction;
	int root;
	CUdeviceptr in, out; /* 0: none. Equal: in place; they may overlap */
	int64_t in_count, out_count;
	int64_t chunk;             /* as in struct collective_job */
	const struct split *split; /* NULL: equal parts of `chunk` */
	/* by place: the members in the result, which does not wait for the others (backup=);
	 * NULL: all. A late member gets the result when it arrives. The same on all
	 * members. */
	const bool *counts;
};

/* one transfer of an operation, to or from `peer` (a rank) */
struct exchange_transfer {
	int part;
	uint32_t seq; /* the channel's sequence number */
	int peer;
	bool sends;
	CUdeviceptr at;
	int64_t bytes;
};

/* A put, get or add. `at` is this rank's memory, contiguous. The target's program does not take
 * part. */
struct exchange_one_sided {
	int part;
	int peer;
	enum one_sided what;
	/* sequence number of the collective in that part that opened it; the same on all
	 * members */
	uint32_t window;
	int64_t offset;       /* bytes from the window's beginning */
	struct layout layout; /* of the target, possibly strided */
	CUdeviceptr at;
	enum dtype dtype; /* of `at` */
	float factor;     /* ADD: window += factor * at, each element rounded once */
	int stream;       /* stream number on the origin rank */
};

/* Callbacks that add work to the stream. queue: when all members have arrived (with NCCL after the
 * operation). ended: after the operation, before peers see it as done; not called with NCCL. A
 * zeroed one does nothing. */
struct exchange_started {
	enum status (*queue)(void *self, CUstream stream);
	enum status (*ended)(void *self, CUstream stream);
	void *self;
};

struct exchange {
	/* Memory for the rank's tensors and messages. Fails with ST_DEVICE_MEMORY, ST_GPU. free
	 * requires that all work on it has completed. */
	enum status (*alloc)(struct exchange *exchange, int64_t bytes, CUdeviceptr *at);
	void (*free)(struct exchange *exchange, CUdeviceptr at, int64_t bytes);
	/* Called by all members in the same order, before the part's first operation and before
	 * the first after a release. May wait for members; a release ends the wait. Fails with
	 * ST_GPU; with ST_LIMIT if work that was released before never ends, nor later work on its
	 * streams. */
	enum status (*open)(struct exchange *exchange, int part, int n, int place, const int *ranks);
	enum status (*collective)(struct exchange *exchange, const struct exchange_collective *call,
	        struct exchange_started started, CUstream stream);
	/* All transfers of one operation, concurrent */
	enum status (*transfers)(struct exchange *exchange, const struct exchange_transfer *transfers,
	        int count, struct exchange_started started, CUstream stream);
	/* Collectives and transfers between begin and end start together: none waits for another
	 * one, in any order and on any streams. `end` may be what queues them. */
	enum status (*begin)(struct exchange *exchange);
	enum status (*end)(struct exchange *exchange);
	/* Declares this rank's memory for the window that collective `seq` opens. Call it before
	 * that collective. */
	enum status (*window)(struct exchange *exchange, int part, uint32_t seq, CUdeviceptr at);
	enum status (*one_sided)(struct exchange *exchange, const struct exchange_one_sided *call,
	        struct exchange_started started, CUstream stream);
	/* Serves an operation of `peer` on this rank's window, in the order of that rank's
	 * stream; call->at is unused. Thread-safe, never waits. `failure` reports errors. NULL:
	 * this exchange needs no service. */
	void (*serve)(struct exchange *exchange, const struct exchange_one_sided *call);
	/* Reports an asynchronous error in *part once, as ST_GPU. NULL: there are none. The part's
	 * work then ends as after a release; other members wait until they release it. */
	enum status (*failure)(struct exchange *exchange, int *part);
	/* Ends waits in the part without results: of collectives up to `seq`, and of all
	 * transfers and one-sided operations so far. Thread-safe, never waits. Called by each
	 * member; one that is writing at that moment may go on to write to others' results. */
	void (*release)(struct exchange *exchange, int part, uint32_t seq);
	void (*close)(struct exchange *exchange);
};

#endif

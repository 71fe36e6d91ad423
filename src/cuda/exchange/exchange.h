/* exchange.h -- how ranks meet on GPUs: collectives, transfers, one-sided operations
 *
 * Two ways, each an exchange of its own: shared_gpu/ where ranks share a GPU, nccl/ where each has one. Both only queue: what
 * waits for another rank is the stream. Messages are contiguous, on the GPU, in memory that exchange.alloc gave; who calls
 * has packed what is strided (host/), and resolved the books' addresses.
 *
 * Numbers that all members agree on without a word: `part` numbers the parts of all groups (group.first + instance), `turn`
 * counts the collectives of a part, or the transfers of a channel from one rank to another in a part, from 1 on, and never
 * goes back: after an abort it goes on behind all that anybody had queued.
 *
 * Where a call fails, what it was to queue never comes: the others wait for it until they release the part, and so does
 * whatever of it this rank has queued. The caller gives nothing more there before.
 *
 * Called by the host thread, but for `serve` and `release`. May call: cuda/kernels/ cuda/library/ collectives/ (types) base/. */
#ifndef RANKSH_CUDA_EXCHANGE_H
#define RANKSH_CUDA_EXCHANGE_H

#include "collectives/collective.h"
#include "cuda/library/library.h"
#include "world/op.h"

/* A collective as one member calls it */
struct exchange_collective {
	const struct collective *collective;
	int part;
	uint32_t turn;
	int n, place;
	const int *ranks; /* by place; the books', as is split.rows */
	enum dtype dtype;
	enum reduction reduction;
	int root;
	CUdeviceptr in, out; /* 0: there is none. Equal: in place; they may overlap */
	int64_t in_count, out_count;
	int64_t chunk;             /* as in struct collective_job */
	const struct split *split; /* NULL: the parts are those of `chunk` */
	/* by place: whose data are in the result, from which it is made without waiting for the others; NULL: all. Who does not
	 * count is late: it brings nothing, waits for nobody else's later work, and gets the result whenever it comes. The same
	 * on all members. */
	const bool *counts;
};

/* One transfer of an operation, from this rank to `peer` (a rank), or from it */
struct exchange_transfer {
	int part;
	uint32_t turn; /* of the channel */
	int peer;
	bool sends;
	CUdeviceptr at;
	int64_t bytes;
};

/* A put, get or add: `at` is this rank's memory, contiguous. The program of the window's rank has nothing for it. */
struct exchange_one_sided {
	int part;
	int peer;
	enum one_sided what;
	uint32_t window; /* the turn of the collective of that part that opened it, the same on all members */
	int64_t offset;  /* bytes from the window's beginning */
	struct layout layout; /* of what is reached there, strided maybe */
	CUdeviceptr at;
	enum dtype dtype; /* of `at` */
	float factor;     /* ADD: window += factor * at, each element rounded once */
	int stream;       /* its number on the rank that reaches */
};

/* queue: where all have come: at the board before anything moves, with NCCL behind it, as soon as that is known. Played
 * machines let an operation last from there. ended: behind its work, and before others take it for done; NCCL, which
 * cannot tell, calls none. A zeroed one: nothing */
struct exchange_started {
	enum status (*queue)(void *self, CUstream stream);
	enum status (*ended)(void *self, CUstream stream);
	void *self;
};

struct exchange {
	const char *name;
	/* Memory for the rank's tensors and for messages. ST_DEVICE_MEMORY, ST_GPU. free waits for nothing: what was queued on
	 * it is over. */
	enum status (*alloc)(struct exchange *exchange, int64_t bytes, CUdeviceptr *at);
	void (*free)(struct exchange *exchange, CUdeviceptr at, int64_t bytes);
	/* Before the part's first operation, and before the first behind a release, by each of its members in one order. It
	 * may wait for them; a release lets it go. ST_LIMIT: what was released there before does not end, nor what comes behind
	 * it on its streams. */
	enum status (*open)(struct exchange *exchange, int part, int n, int place, const int *ranks);
	enum status (*collective)(struct exchange *exchange, const struct exchange_collective *call,
	        struct exchange_started started, CUstream stream);
	/* Of one operation, all at once: none waits for another one of them */
	enum status (*transfers)(struct exchange *exchange, const struct exchange_transfer *transfers,
	        int count, struct exchange_started started, CUstream stream);
	/* Collectives and transfers of several orders, between begin and end, start as one (`together`): none waits for
	 * another one of them, in whatever order the others gave theirs. They may be on several streams. Nothing of them need
	 * be queued before `end`. */
	enum status (*begin)(struct exchange *exchange);
	enum status (*end)(struct exchange *exchange);
	/* The window that this turn's collective opens lies there on this rank. Before that collective. */
	enum status (*window)(
	        struct exchange *exchange, int part, uint32_t turn, CUdeviceptr at, int64_t bytes);
	enum status (*one_sided)(struct exchange *exchange, const struct exchange_one_sided *call,
	        struct exchange_started started, CUstream stream);
	/* One of `peer`, which is to reach this rank's window: `at` is unused. From any thread, and it never waits; in the order
	 * of that rank's stream. `failure` tells what becomes of it. NULL: nothing is to be done for it here. */
	void (*serve)(struct exchange *exchange, const struct exchange_one_sided *call);
	/* NULL: nothing fails later than the call that began it. Else the host thread asks while it waits: ST_GPU, once, of an
	 * error that came later to what was queued in *part. That goes on with no result, as after a release, and nothing more
	 * is done there until the part is opened again; the other members wait on until they release it. */
	enum status (*failure)(struct exchange *exchange, int *part);
	/* From any thread, and it never waits: whatever waits in the part, of collectives up to `turn` and of all transfers
	 * and one-sided operations so far, goes on with no result. Each member calls it. Where another member was at work
	 * just then, it may write to this one's results until its own stream has come by. */
	void (*release)(struct exchange *exchange, int part, uint32_t turn);
	void (*close)(struct exchange *exchange);
};

#endif

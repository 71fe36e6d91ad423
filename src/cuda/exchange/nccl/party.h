/* party.h -- what the files of nccl/ share. An umbrella header.
 *
 *      control                 a party's thread                  host thread
 *      nccl_meet ----------->  PARTY_MAKING: init, warm-up
 *                              PARTY_READY <-------------------- open; nccl_enter .. nccl_run
 *      serve ------------->    NCCL_REACH, on the target
 *      release: `leaves` --->  if `inside` is 0: ncclCommAbort   calls queue nothing
 *                              PARTY_GONE
 *      nccl_meet: another party, a new thread ... */
#ifndef RANKSH_CUDA_NCCL_PARTY_H
#define RANKSH_CUDA_NCCL_PARTY_H

#include "cuda/exchange/exchange.h"
#include "cuda/exchange/nccl/nccl.h"
#include "cuda/kernels/image.h"
#include "cuda/library/library.h"
#include <pthread.h>

enum party_state { PARTY_MAKING, PARTY_READY, PARTY_FAILED, PARTY_GONE };
struct nccl_exchange;
struct service; /* serve.c */
/* memory for an add's elements, and a word in host memory that cancels the sum */
struct addend {
	CUdeviceptr at; /* 0: none */
	int *released;
};
/* A communicator of this rank. nccl->lock guards what changes after its creation. */
struct party {
	struct nccl_exchange *nccl;
	int part, n, place;
	enum nccl_kind kind;
	/* ranks: sender and receiver; NCCL_REACH: origin and target; NCCL_PART: -1 */
	int from, to;
	ncclUniqueId id;
	int64_t told; /* control's clock at its creation */
	pthread_t thread;
	bool has_thread; /* not for a communicator of one rank, which has no ncclComm_t either */
	/* used by the party's thread until READY and when it serves; by the host thread while it
	 * is `inside` */
	ncclComm_t comm;
	CUstream stream;
	CUevent ahead, behind;
	enum party_state state;
	bool open;                /* the host has opened it */
	bool leaves;              /* released */
	int64_t since;            /* cuda_real_now() at the release */
	int inside;               /* uses by the host thread until nccl_run */
	char *words;              /* the error of a FAILED party, also when GONE; NULL: none */
	bool untold;              /* `words` are not reported yet */
	int64_t made;             /* the thread's clock when READY */
	struct service *services; /* NCCL_REACH, on the target */
	size_t service_count, served;
	struct addend piece;
};

/* one NCCL call of a batch */
struct step {
	enum {
		STEP_ALLREDUCE,
		STEP_BROADCAST,
		STEP_REDUCE,
		STEP_ALLGATHER,
		STEP_REDUCESCATTER,
		STEP_SEND,
		STEP_RECV
	} kind;
	struct party *party;
	CUstream stream;
	CUdeviceptr from, to;
	int64_t count;
	ncclDataType_t type;
	ncclRedOp_t by;
	int other; /* root or peer, as a place */
};
struct batch_start {
	struct exchange_started started;
	CUstream stream;
};
/* a copy from padded memory to the result, after NCCL's group */
struct batch_copy {
	CUdeviceptr from, to;
	int64_t bytes;
	CUstream stream;
};
/* one NCCL group. A zeroed one is empty. */
struct batch {
	struct step *steps;
	size_t count;
	struct batch_copy *copies;
	size_t copy_count;
	struct batch_start *starts;
	size_t start_count;
	struct party **parties; /* entered */
	size_t party_count;
};
/* workspace of a stream */
struct staging {
	CUstream stream;
	CUdeviceptr at;
	int64_t bytes, used;
};
struct gpu_block {
	CUdeviceptr at;
	int64_t bytes;
};

struct late_result;
/* this rank's memory that others access */
struct nccl_window {
	int part;
	uint32_t seq;
	CUdeviceptr at;
};

struct nccl_exchange {
	struct exchange exchange;
	struct cuda_library *cuda;
	struct image image;
	CUfunction sum;   /* exchange_sum_blocks */
	CUfunction reach; /* exchange_reach_window */
	CUcontext context;
	int rank;
	CUdeviceptr zeroes; /* SCRATCH_BYTES of zeroes, for calls without data */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct party **parties; /* in the order of nccl_meet */
	size_t count;
	struct nccl_window *windows;
	size_t window_count;
	struct addend *pieces; /* free ones */
	size_t piece_count;
	/* ---- the host thread's */
	struct batch batch;
	bool together; /* between begin and end */
	struct staging *stages;
	size_t stage_count;
	struct gpu_block *freed, *outgrown;
	size_t freed_count, outgrown_count;
	struct late_result **kept;
	size_t kept_count;
};
enum { SCRATCH_BYTES = 512, SCRATCH_IN = 256 };
#define NCCL_OF(exchange) ((struct nccl_exchange *)(exchange)) /* its first member */

/* ---- party.c */
/* Starts a party with this rank at that place. id NULL: it fails with this thread's failure. */
void party_start(struct nccl_exchange *nccl, const struct nccl_party *of, int place, const ncclUniqueId *id);
/* Requires the lock. Nothing more is queued, and the thread aborts the communicator. */
void party_release(struct party *party);
/* Polls until the communicator has accepted all calls or is released. Fails with ST_GPU. */
enum status party_settle(struct party *party);
/* Requires the lock. Marks the party as failed for good; `words` are copied. */
void party_break(struct party *party, const char *words);
/* Call between two polls: yields the core; after 1000 polls, sleeps. */
void party_nap(int looks);

/* ---- batch.c */
/* Enters a communicator until nccl_run. from, to: its ends; of a part: -1. Returns a NULL *party
 * if it was released; then queue nothing. Fails with ST_GPU, ST_BUG. */
enum status nccl_enter(
        struct nccl_exchange *nccl, int part, enum nccl_kind kind, int from, int to, struct party **party);
/* Adds STEP_SEND from `at`, or STEP_RECV to it, unless bytes is 0. */
void nccl_add_bytes(struct nccl_exchange *nccl, struct party *party, CUstream stream, int kind, int peer,
        CUdeviceptr at, int64_t bytes);
void nccl_add_start(struct nccl_exchange *nccl, struct exchange_started started, CUstream stream);
/* Queues what was added and empties the batch, on failure too; not between begin and end. */
enum status nccl_run(struct nccl_exchange *nccl);
/* Orders later work of `then` after what is queued on `first`. */
enum status nccl_wait_behind(struct cuda_library *cuda, CUevent event, CUstream first, CUstream then);
/* Stores workspace for the batch, valid on that stream until the next batch. */
enum status nccl_room(struct nccl_exchange *nccl, int64_t bytes, CUstream stream, CUdeviceptr *at);

/* ---- calls.c */
/* a collective being turned into calls */
struct nccl_work {
	struct nccl_exchange *nccl;
	struct party *party;
	const struct exchange_collective *call;
	CUstream stream;
	CUdeviceptr in, out;
	int64_t size; /* bytes of an element */
};
enum status calls_collective(struct exchange *exchange, const struct exchange_collective *call,
        struct exchange_started started, CUstream stream);
enum status calls_transfers(struct exchange *exchange, const struct exchange_transfer *transfers, int count,
        struct exchange_started started, CUstream stream);

/* ---- late.c: call->counts is not NULL */
/* on a member that counts: queues the whole collective */
enum status late_collective(struct nccl_work *work);
/* on a late member: adds its receive */
enum status late_receive(struct nccl_work *work);
/* Frees copies that were sent. */
void late_give_back(struct nccl_exchange *nccl);
void late_close(struct nccl_exchange *nccl);

/* ---- serve.c */
enum status serve_window(struct exchange *exchange, int part, uint32_t seq, CUdeviceptr at);
enum status serve_reach(struct exchange *exchange, const struct exchange_one_sided *call,
        struct exchange_started started, CUstream stream);
void serve_queue(struct exchange *exchange, const struct exchange_one_sided *call);
/* Called on the party's thread. Requires the lock, which it releases meanwhile. Serves the next
 * operation; returns false if there is none or its window is not open yet. */
bool serve_next(struct party *party);
void serve_leave(struct party *party); /* on its thread, after its communicator has gone */
void serve_close(struct nccl_exchange *nccl);

/* ---- nccl.c */
/* The two halves of nccl_meet; in between rank 0 broadcasts the ids. */
enum status meet_ids(
        struct cuda_library *cuda, const struct nccl_party *parties, int count, ncclUniqueId *ids);
/* ids NULL: rank 0 failed; this thread's failure becomes the parties' error */
void meet_told(
        struct nccl_exchange *nccl, const struct nccl_party *parties, int count, const ncclUniqueId *ids);
/* Requires the lock. Returns the latest party with these members; NULL if none. */
struct party *nccl_latest(const struct nccl_exchange *nccl, int part, enum nccl_kind kind, int from, int to);

#endif

/* inside.h -- what the files of this exchange share. An umbrella header: it brings along what it includes.
 *
 * Files: meet.c (unique ids)  party.c (a communicator's thread)  nccl.c (the exchange: memory, open, release, close)
 * batch.c (calls that start as one)  calls.c (collectives and transfers as calls of NCCL)  late.c (collectives that do not wait
 * for all)  serve.c (windows: put, get, add)
 *
 *      control                 a party's thread                        host thread
 *      nccl_meet ----------->  PARTY_MAKING: init, warm up
 *                              PARTY_READY <-------------------------- open waits; calls: nccl_enter .. nccl_run
 *      serve ------------->    NCCL_REACH, whose window: its calls
 *      release: `leaves` --->  when nobody is inside: ncclCommAbort    calls queue nothing
 *                              PARTY_GONE
 *      nccl_meet: another party, a new thread ... */
#ifndef RANKSH_CUDA_NCCL_INSIDE_H
#define RANKSH_CUDA_NCCL_INSIDE_H

#include "cuda/exchange/exchange.h"
#include "cuda/exchange/nccl/nccl.h"
#include "cuda/kernels/image.h"
#include "cuda/library/library.h"
#include <pthread.h>

enum party_state { PARTY_MAKING, PARTY_READY, PARTY_FAILED, PARTY_GONE };
struct nccl_exchange;
struct service; /* serve.c */
/* Where an add's elements wait for their sum, and the word that ends it, which the GPU reads in the host's memory */
struct addend {
	CUdeviceptr at; /* 0: none */
	int *released;
};
/* A communicator of this rank, from nccl_meet to close; nccl->lock guards what is not set once and for all. */
struct party {
	struct nccl_exchange *nccl;
	int part, n, place;
	enum nccl_kind kind;
	int from, to; /* ranks: the two ends; a part's: -1. NCCL_REACH: who reaches, whose window */
	ncclUniqueId id;
	int64_t told; /* control's clock when it was told */
	pthread_t thread;
	bool has_thread; /* one rank alone has neither thread nor communicator */
	ncclComm_t comm; /* the thread's until READY, then of who is inside; so are these */
	CUstream stream;
	CUevent ahead, behind;
	enum party_state state;
	bool open;                /* the host has come to it */
	bool leaves;              /* released: nothing more is queued */
	int64_t since;            /* real clock, ns: when it was */
	int inside;               /* the host is in calls of it */
	char *words;              /* why it FAILED, and says so when it is GONE; NULL: it did not */
	bool untold;              /* nobody has been told of them, as nobody has asked */
	int64_t made;             /* the thread's clock behind that */
	struct service *services; /* NCCL_REACH, on the rank whose window it is */
	size_t service_count, served;
	struct addend piece;
};

/* Part of a batch: one call of NCCL */
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
	int other; /* root, or peer: a place */
};
struct batch_start {
	struct exchange_started started;
	CUstream stream;
};
/* A copy of NCCL's result out of the padded room, queued after NCCL's group */
struct batch_copy {
	CUdeviceptr from, to;
	int64_t bytes;
	CUstream stream;
};
/* What is queued as one group of NCCL's. A zeroed one is empty. */
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
/* Memory for inputs that overlap their results, for what is added up here, and for padded parts; by stream */
struct staging {
	CUstream stream;
	CUdeviceptr at;
	int64_t bytes, used;
};
struct gpu_block {
	CUdeviceptr at;
	int64_t bytes;
};

struct late_result; /* late.c */
/* This rank's memory that others reach */
struct nccl_window {
	int part;
	uint32_t turn;
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
	CUdeviceptr zeroes; /* SCRATCH_BYTES, zero: for calls whose numbers do not matter */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct party **parties; /* in the order of nccl_meet */
	size_t count;
	struct nccl_window *windows;
	size_t window_count;
	struct addend *pieces; /* nobody's */
	size_t piece_count;
	/* ---- of the host thread alone */
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

/* ---- meet.c: nccl_meet in two halves, between which the ids go from rank 0 to all */
enum status meet_ids(
        struct cuda_library *cuda, const struct nccl_party *parties, int count, ncclUniqueId *ids);
/* ids NULL: there are none, by this thread's failure, and what is queued there will fail with its words */
void meet_told(
        struct nccl_exchange *nccl, const struct nccl_party *parties, int count, const ncclUniqueId *ids);

/* ---- party.c */
/* Its thread begins. This rank has that place in it. id NULL: it is broken, with the words of this thread's failure */
void party_start(struct nccl_exchange *nccl, const struct nccl_party *of, int place, const ncclUniqueId *id);
/* Locked: nothing more is queued, and its thread aborts it. */
void party_release(struct party *party);
/* Until the communicator has taken what it was given, or leaves. ST_GPU */
enum status party_settle(struct party *party);
/* Locked: it is broken, for good; `words` are copied. */
void party_break(struct party *party, const char *words);
/* Between two looks at something that is not ours to wake us */
void party_nap(int looks);
int64_t party_clock(void); /* real, ns */

/* ---- batch.c */
/* A communicator, which is there until the batch is over. from, to: its ends; a part's: -1. *party NULL: it was released, and
 * nothing is to be queued. ST_GPU: it is broken; ST_BUG */
enum status nccl_enter(
        struct nccl_exchange *nccl, int part, enum nccl_kind kind, int from, int to, struct party **party);
void nccl_add(struct nccl_exchange *nccl, const struct step *step);
/* STEP_SEND of what is at `at`, or STEP_RECV to there, unless there are 0 bytes */
void nccl_add_bytes(struct nccl_exchange *nccl, struct party *party, CUstream stream, int kind, int peer,
        CUdeviceptr at, int64_t bytes);
void nccl_add_copy(struct nccl_exchange *nccl, const struct batch_copy *copy);
void nccl_add_start(struct nccl_exchange *nccl, struct exchange_started started, CUstream stream);
/* All that was added is queued, and the batch is empty, whatever comes of it. Between begin and end: nothing is done. */
enum status nccl_run(struct nccl_exchange *nccl);
/* `then` goes on behind what has been queued on `first`. */
enum status nccl_wait_behind(struct cuda_library *cuda, CUevent event, CUstream first, CUstream then);
/* So many bytes, of the batch's; for work on the stream alone they stay until more is asked for there */
enum status nccl_room(struct nccl_exchange *nccl, int64_t bytes, CUstream stream, CUdeviceptr *at);
/* A copy of the bytes there, on the stream; in such room */
enum status nccl_stage(
        struct nccl_exchange *nccl, CUdeviceptr from, int64_t bytes, CUstream stream, CUdeviceptr *at);

/* ---- calls.c */
/* A collective that is being made calls of */
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
/* This rank counts: all of it is queued, with the batch. */
enum status late_collective(struct nccl_work *work);
/* It is late: what it gets is added to the batch. */
enum status late_receive(struct nccl_work *work);
/* Copies that were sent become free memory. */
void late_give_back(struct nccl_exchange *nccl);
void late_close(struct nccl_exchange *nccl);

/* ---- serve.c */
enum status serve_window(struct exchange *exchange, int part, uint32_t turn, CUdeviceptr at, int64_t bytes);
enum status serve_reach(struct exchange *exchange, const struct exchange_one_sided *call,
        struct exchange_started started, CUstream stream);
void serve_queue(struct exchange *exchange, const struct exchange_one_sided *call);
/* Locked, on the party's thread: serves what is next, for which it unlocks. False: nothing is to be served */
bool serve_next(struct party *party);
void serve_leave(struct party *party); /* on its thread, when its communicator has gone */
void serve_close(struct nccl_exchange *nccl);

/* ---- nccl.c */
/* Locked. The latest such; NULL: there is none */
struct party *nccl_latest(const struct nccl_exchange *nccl, int part, enum nccl_kind kind, int from, int to);

#endif

/* state.h -- what the files of shared_gpu/ share. An umbrella header. */
#ifndef RANKSH_CUDA_SHARED_GPU_STATE_H
#define RANKSH_CUDA_SHARED_GPU_STATE_H

#include "cuda/exchange/shared_gpu/shared_gpu.h"
#include "cuda/exchange/exchange.h"
#include "cuda/kernels/arguments.h"
#include "cuda/kernels/image.h"
#include <pthread.h>

/* ---- the segment: chunks. The first begins with struct shared_gpu_memory. */
enum { CHUNK = 8 << 20, CHUNKS = 128, ENTRIES = 1 << 14, WORDS_MOST = 400, NAP_NS = 100000, GRAIN = 4096 };
/* after the chunks: staging memory without IPC, an equal part per rank */
enum { STAGES_BYTES = 1 << 30 };
static const size_t FILE_BYTES = (size_t)CHUNK * CHUNKS + STAGES_BYTES;

enum seat_state { SEAT_EMPTY, SEAT_OFFERED /* its pool can be opened */, SEAT_JOINED, SEAT_LEFT };
struct seat {
	uint32_t state, came; /* came: the rank's process holds its file lock */
	CUipcMemHandle pool;
};
/* An allocation in the segment, by key; made by the first rank that needs it. key 0: free */
struct entry {
	uint64_t key, at;
};
struct shared_gpu_memory {
	uint64_t used; /* bytes */
	/* first failure of pool_open on any rank: 1: its words are being written, 2: complete */
	uint32_t failed, why; /* why: an enum status */
	char words[WORDS_MOST];
	struct seat seat[EXCHANGE_RANKS];
	struct entry directory[ENTRIES];
};

/* ---- a slot ring: where the members of a part, or the two ends of a channel, match */
enum { PART_SEQS = 256, CHANNEL_SEQS = 128, LATE_SEQS = 4096, WINDOWS = 64 };
struct shared_gpu_window {
	uint32_t seq, unused;
	int64_t offset;
};
static const uint64_t ALL_PLACES = UINT64_MAX;

/* the last sequence number of a slot, and its members; 0: none */
struct slot_use {
	uint32_t seq;
	uint64_t places;
};
struct slot_ring {
	uint64_t key;
	int n, place; /* place -1: both ends of a channel to itself */
	int *ranks;   /* by place */
	uint32_t seqs;
	char *at; /* slots by place and sequence number; a part's windows and tables follow */
	CUdeviceptr device;
	CUdeviceptr found;     /* this member's struct exchange_found, by sequence number */
	struct slot_use *used; /* by seq % seqs */
	uint32_t last;         /* last queued */
	uint32_t windows;
};

/* one member's share of a match, while it is queued */
struct match_share {
	struct slot_ring *ring;
	uint32_t seq;
	int place, order; /* order: index among those of a `together` */
	CUstream stream;
	bool ends;           /* this member also waits for the others' ends */
	uint32_t same;       /* digest of the arguments that must agree on all members */
	CUfunction function; /* NULL: this member moves no data */
	unsigned blocks;
	CUdeviceptr result,
	        /* staged copy of the result, fetched at the end; 0: the result is in place */
	        staged;
	int64_t result_bytes;
	union {
		struct exchange_members members; /* first: common to both */
		struct exchange_reduce reduce;
		struct exchange_move move;
	} call;
};
struct queued_order {
	struct exchange_started started;
	CUstream stream;
};

/* the result of a collective that did not wait for a member, kept for that member */
struct gift {
	struct slot_ring *ring;
	uint32_t seq;
	CUstream stream;
	CUdeviceptr at;
	int64_t bytes;
};

/* pool memory that is freed after its stream's event and, for a late member, after it was taken */
struct pool_copy {
	CUdeviceptr at;
	CUstream stream;
	CUevent event;         /* NULL: not recorded yet */
	const uint32_t *taken; /* reaches `seq` when a late member took it; NULL: none is late */
	uint32_t seq;
};
struct pool_span {
	int64_t at, bytes;
};
struct pool {
	CUdeviceptr at;
	int64_t bytes;
	struct pool_span *spans; /* in use, by address */
	size_t count;
};

struct shared_gpu {
	struct exchange exchange; /* first */
	int ranks, rank, fd;
	struct shared_gpu_memory *shared;
	pthread_mutex_t lock; /* guards `rings`, which release reads on other threads */
	struct slot_ring **rings;
	size_t ring_count;
	/* ---- the host thread's */
	struct cuda_library *cuda;
	CUdeviceptr chunk[CHUNKS];
	struct image image;
	CUfunction find, reduce, move, table, reach;
	bool staged; /* no IPC: data are copied to the segment and back */
	/* this rank's; its first LINES_BYTES are permanent: `found` of the rings */
	struct pool own;
	int64_t lines;                    /* bytes of them in use */
	struct pool stage;                /* its part of the staging memory; empty with IPC */
	CUdeviceptr pool[EXCHANGE_RANKS]; /* each rank's pool as this process addresses it */
	struct pool_copy *stages;
	size_t stage_count;
	bool together;
	struct match_share *shares;
	struct queued_order *orders;
	struct gift *gifts;
	size_t share_count, order_count, gift_count;
	CUstreamBatchMemOpParams *words; /* for the current stream */
	size_t word_count;
};

/* ---- file.c */
/* Maps the segment, FILE_BYTES of sparse shared memory, for a rank and takes ownership of fd.
 * Returns 0, or errno with fd closed. */
int shared_gpu_map(int fd, int ranks, int rank, struct shared_gpu **gpu);
bool shared_gpu_gone(const struct shared_gpu *gpu, int rank); /* its process has ended */
/* Returns the key's memory, zeroed, the same on all ranks; bytes <= CHUNK. Fails with ST_GPU. */
enum status shared_gpu_area(
        struct shared_gpu *gpu, uint64_t key, size_t bytes, char **at, CUdeviceptr *device);
/* Registers a chunk with CUDA on first use. */
enum status shared_gpu_chunk(struct shared_gpu *gpu, size_t chunk);
/* Registers the staging memory; each rank's part becomes the pool that the others access. */
enum status shared_gpu_stages(struct shared_gpu *gpu);
/* Returns the host address of staged memory in this process. */
char *file_at(const struct shared_gpu *gpu, CUdeviceptr staged);
void shared_gpu_unregister(struct shared_gpu *gpu);

/* ---- pool.c */
/* before: this rank's status so far; a failure makes all ranks fail */
enum status pool_open(struct shared_gpu *gpu, int64_t bytes, enum status before);
void pool_close(struct shared_gpu *gpu);
enum status pool_alloc(struct exchange *exchange, int64_t bytes, CUdeviceptr *at);
void pool_free(struct exchange *exchange, CUdeviceptr at, int64_t bytes);
/* Allocates permanent memory of a ring beside that of other rings. Fails with
 * ST_DEVICE_MEMORY. */
enum { LINES_BYTES = 1 << 20 };
enum status pool_lines(struct shared_gpu *gpu, int64_t bytes, CUdeviceptr *at);
/* Returns the offset of the address in the rank's pool, as peers use it; 0 for 0. */
int64_t pool_offset(const struct shared_gpu *gpu, CUdeviceptr at);
/* Copies an input on its stream; from 0: only allocates. The copy is valid until the stream passes
 * the next pool_stages_end. Waits for streams if there is no room. Fails with ST_DEVICE_MEMORY,
 * ST_GPU. */
enum status pool_stage(
        struct shared_gpu *gpu, CUdeviceptr from, int64_t bytes, CUstream stream, CUdeviceptr *at);
/* The same for the result of a late member, which is also kept until *taken is gift->seq. */
enum status pool_keep(
        struct shared_gpu *gpu, const struct gift *gift, const uint32_t *taken, CUdeviceptr *at);
enum status pool_stages_end(struct shared_gpu *gpu);

/* ---- slots.c */
enum status slot_ring_of_part(
        struct shared_gpu *gpu, int part, int n, int place, const int *ranks, struct slot_ring **ring);
/* Stores the ring of a channel, or (late) of the results that `from` keeps for `to`, which was
 * late. */
enum status slot_ring_of_pair(
        struct shared_gpu *gpu, int part, int from, int to, bool late, struct slot_ring **ring);
struct slot_ring *slot_ring_find(struct shared_gpu *gpu, int part); /* NULL: it is not open */
struct exchange_slot *slot_ring_slot(const struct slot_ring *ring, int place, uint32_t seq);
CUdeviceptr slot_ring_device(const struct slot_ring *ring, const void *at);
CUdeviceptr slot_ring_found(
        const struct slot_ring *ring, uint32_t seq); /* struct exchange_found on the GPU */
/* Returns a place's array of WINDOWS entries. */
struct shared_gpu_window *slot_ring_windows(const struct slot_ring *ring, int place);
/* Returns the tables of a match: 2n + 2 numbers for each place. */
const long long *slot_ring_tables(const struct slot_ring *ring, uint32_t seq);
/* Waits until the slots are free, which blocks a rank that is too far ahead, then reserves them
 * for `places`. */
void slot_ring_take(struct slot_ring *ring, uint32_t seq, uint64_t places);
void shared_gpu_release(struct exchange *exchange, int part, uint32_t seq);
void slot_rings_free(struct shared_gpu *gpu); /* releases all first */

/* ---- collective.c */
/* Sets the share's members to `places`. */
void share_members(const struct shared_gpu *gpu, struct match_share *share, uint64_t places);
/* Plans this member's kernel. call: of the members that match only */
enum status collective_plan(
        struct shared_gpu *gpu, const struct exchange_collective *call, struct match_share *share);
void transfer_plan(struct shared_gpu *gpu, const struct exchange_transfer *call, struct match_share *share);
uint32_t transfer_digest(int64_t bytes);

/* ---- meet.c */
enum status meet_collective(struct exchange *exchange, const struct exchange_collective *call,
        struct exchange_started started, CUstream stream);
enum status meet_transfers(struct exchange *exchange, const struct exchange_transfer *transfers, int count,
        struct exchange_started started, CUstream stream);
enum status meet_begin(struct exchange *exchange);
enum status meet_end(struct exchange *exchange);

#endif

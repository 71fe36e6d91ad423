/* inside.h -- what the files of shared_gpu/ share. An umbrella header: it brings along what it
 * includes.
 *
 * Files: file.c (the segment) pool.c (memory that all ranks access) places.c (slots of a match,
 * release) meet.c (a match from arrival to end) late.c (results for late members) collective.c
 * (each member's kernel) reach.c (windows, one-sided) words.c (words that streams write and wait
 * for) board.c */
#ifndef RANKSH_CUDA_BOARD_INSIDE_H
#define RANKSH_CUDA_BOARD_INSIDE_H

#include "cuda/exchange/shared_gpu/board.h"
#include "cuda/exchange/exchange.h"
#include "cuda/kernels/arguments.h"
#include "cuda/kernels/image.h"
#include <pthread.h>

/* ---- the segment: chunks, each registered with CUDA on first use. The first begins with struct
 * board_memory. */
enum { CHUNK = 8 << 20, CHUNKS = 128, ENTRIES = 1 << 14, WORDS_MOST = 400, NAP_NS = 100000, GRAIN = 4096 };
/* after the chunks: staging memory without IPC, an equal part for each rank, registered at once */
enum { STAGES_BYTES = 1 << 30 };
static const size_t FILE_BYTES = (size_t)CHUNK * CHUNKS + STAGES_BYTES;

enum seat_state { SEAT_EMPTY, SEAT_OFFERED /* its pool can be opened */, SEAT_JOINED, SEAT_LEFT };
struct seat {
	uint32_t state, came; /* came: its process holds its file lock */
	CUipcMemHandle pool;
};
/* An allocation in the segment, by key; made by the first rank that needs it. key 0: free */
struct entry {
	uint64_t key, at;
};
struct board_memory {
	uint64_t used; /* bytes */
	/* first failure of pool_open on any rank: 1: its words are being written, 2: they are
	 * complete */
	uint32_t failed, why; /* why: an enum status */
	char words[WORDS_MOST];
	struct seat seat[EXCHANGE_RANKS];
	struct entry directory[ENTRIES];
};

/* ---- a meeting: the slots in which the members of a part, or the two ends of a channel, match */
enum { PART_TURNS = 256, CHANNEL_TURNS = 128, LATE_TURNS = 4096, WINDOWS = 64 };
struct board_window {
	uint32_t turn, unused;
	int64_t offset;
};
/* a set of members, by place */
static const uint64_t ALL_PLACES = UINT64_MAX;

/* the sequence number that last used a slot, and its members; 0: none */
struct slot_use {
	uint32_t turn;
	uint64_t places;
};
struct meeting {
	uint64_t key;
	int n, place; /* place -1: both ends of a channel to itself */
	int *ranks;   /* by place */
	uint32_t turns;
	char *at; /* slots by place and sequence number; of a part, also windows and tables */
	CUdeviceptr device;
	CUdeviceptr found;     /* this member's struct exchange_found, by sequence number */
	struct slot_use *used; /* by turn % turns */
	uint32_t last;         /* the last queued sequence number */
	uint32_t windows;
};

/* one member's share of a match, being queued */
struct side {
	struct meeting *meeting;
	uint32_t turn;
	int place, order; /* order: index among those between begin and end */
	CUstream stream;
	bool ends;           /* it also waits for the ends of the others */
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
struct meeting_order {
	struct exchange_started started;
	CUstream stream;
};

/* the result of a collective that did not wait for a member, kept for it */
struct gift {
	struct meeting *meeting;
	uint32_t turn;
	CUstream stream;
	CUdeviceptr at;
	int64_t bytes;
};

/* pool memory that is freed when its stream has passed the event and, for a late member, when it
 * was taken */
struct pool_copy {
	CUdeviceptr at;
	int64_t bytes;
	CUstream stream;
	CUevent event;         /* NULL: not recorded yet */
	const uint32_t *taken; /* the late member's word, which reaches `turn`; NULL: none */
	uint32_t turn;
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

/* writes and waits for a stream, in order */
struct board_words {
	CUstreamBatchMemOpParams *word;
	size_t count;
};

struct board {
	struct exchange exchange; /* first */
	int ranks, rank, fd;
	struct board_memory *shared;
	pthread_mutex_t lock; /* guards `meetings`, which release reads on other threads */
	struct meeting **meetings;
	size_t meeting_count;
	/* ---- the host thread's */
	struct cuda_library *cuda;
	CUdeviceptr chunk[CHUNKS];
	struct image image;
	CUfunction find, reduce, move, table, reach;
	bool staged; /* no IPC: data are copied to the segment and back */
	/* this rank's; its first LINES_BYTES are permanent: `found` of the meetings */
	struct pool own;
	int64_t lines;                    /* bytes of them in use */
	struct pool stage;                /* its part of the staging memory; empty with IPC */
	CUdeviceptr pool[EXCHANGE_RANKS]; /* each rank's pool as this process addresses it */
	struct pool_copy *stages;
	size_t stage_count;
	bool together;
	struct side *sides;
	struct meeting_order *orders;
	struct gift *gifts;
	size_t side_count, order_count, gift_count;
	struct board_words words; /* for the current stream */
};

/* ---- file.c */
/* Creates the segment at its full size, sparse. Returns -1 and errno on failure. */
int board_file(void);
/* Maps the segment for a rank and takes ownership of fd. Returns 0, or errno with fd closed. */
int board_map(int fd, int ranks, int rank, struct board **board);
bool board_gone(const struct board *board, int rank); /* its process has ended */
/* Returns the zeroed memory of that key, the same on all ranks; `bytes`: at most CHUNK. Fails
 * with ST_GPU. */
enum status board_area(struct board *board, uint64_t key, size_t bytes, char **at, CUdeviceptr *device);
/* Registers a chunk with CUDA on first use. */
enum status board_chunk(struct board *board, size_t chunk);
/* makes the staging memory of all ranks their pools */
enum status board_stages(struct board *board);
/* Copy to and from staged memory, in stream order. */
enum status file_copy(
        struct board *board, CUdeviceptr staged, CUdeviceptr from, int64_t bytes, CUstream stream);
enum status file_fetch(
        struct board *board, CUdeviceptr staged, CUdeviceptr to, int64_t bytes, CUstream stream);
void board_unregister(struct board *board);

/* ---- pool.c */
/* before: this rank's status so far; a failure makes all ranks fail */
enum status pool_open(struct board *board, int64_t bytes, enum status before);
void pool_close(struct board *board);
enum status pool_alloc(struct exchange *exchange, int64_t bytes, CUdeviceptr *at);
void pool_free(struct exchange *exchange, CUdeviceptr at, int64_t bytes);
/* Permanent memory of a meeting, kept together so that it does not fragment the pool. Fails with
 * ST_DEVICE_MEMORY. */
enum { LINES_BYTES = 1 << 20 };
enum status pool_lines(struct board *board, int64_t bytes, CUdeviceptr *at);
/* in the pool, as peers use it; 0 for 0 */
int64_t pool_offset(const struct board *board, CUdeviceptr at);
/* Copies a member's input on its stream, valid until the stream passes the pool_stages_end that
 * follows. from 0: memory only. Waits for streams if there is no room. Fails with
 * ST_DEVICE_MEMORY, ST_GPU. */
enum status pool_stage(
        struct board *board, CUdeviceptr from, int64_t bytes, CUstream stream, CUdeviceptr *at);
/* The same for the result of a late member; it is also kept until taken. */
enum status pool_keep(struct board *board, const struct gift *gift, const uint32_t *taken, CUdeviceptr *at);
enum status pool_stages_end(struct board *board);

/* ---- places.c */
enum status meeting_of_part(
        struct board *board, int part, int n, int place, const int *ranks, struct meeting **meeting);
enum status meeting_of_channel(struct board *board, int part, int from, int to, struct meeting **meeting);
/* where `from` leaves results for `to`, which was late */
enum status meeting_of_late(struct board *board, int part, int from, int to, struct meeting **meeting);
struct meeting *meeting_find(struct board *board, int part); /* NULL: it is not open */
struct exchange_slot *meeting_slot(const struct meeting *meeting, int place, uint32_t turn);
CUdeviceptr meeting_device(const struct meeting *meeting, const void *at);
CUdeviceptr meeting_found(
        const struct meeting *meeting, uint32_t turn); /* struct exchange_found on the GPU */
/* WINDOWS of them */
struct board_window *meeting_windows(const struct meeting *meeting, int place);
/* by place, 2n + 2 each */
const long long *meeting_tables(const struct meeting *meeting, uint32_t turn);
/* Waits until these slots are free, then reserves them for the members `places`: a slot is free
 * when its members have ended its previous sequence number. This blocks a rank that is too far
 * ahead, like CUDA's own full queue. */
void meeting_take(struct meeting *meeting, uint32_t turn, uint64_t places);
/* Ends all waits of that sequence number, without results. Thread-safe. */
void meeting_let_go(struct board *board, struct meeting *meeting, uint32_t turn);
void board_release(struct exchange *exchange, int part, uint32_t turn);
void meetings_free(struct board *board); /* releases all first */

/* ---- words.c: stream writes and waits, collected in order */
void words_write(struct board *board, CUdeviceptr at, uint32_t value);
/* waits until the word has reached it */
void words_wait(struct board *board, CUdeviceptr at, uint32_t value);
enum status words_queue(struct board *board, CUstream stream); /* also empties the list */
/* Stores by the host, now; streams that wait for it continue. */
void word_store(struct board *board, uint32_t *word, uint32_t value);

/* ---- collective.c */
/* Sets the members of this share: those of `places`. */
void side_members(const struct board *board, struct side *side, uint64_t places);
/* Plans this member's kernel. call: of the members that match only */
enum status collective_plan(struct board *board, const struct exchange_collective *call, struct side *side);
void transfer_plan(struct board *board, const struct exchange_transfer *call, struct side *side);
uint32_t transfer_digest(int64_t bytes);

/* ---- late.c */
/* On the rank that keeps results for late members: gifts_add with its share, gifts_give when the
 * result is queued. */
enum status gifts_add(struct board *board, const struct exchange_collective *call, CUstream stream);
enum status gifts_give(struct board *board);

/* ---- meet.c */
enum status meet_collective(struct exchange *exchange, const struct exchange_collective *call,
        struct exchange_started started, CUstream stream);
enum status meet_transfers(struct exchange *exchange, const struct exchange_transfer *transfers, int count,
        struct exchange_started started, CUstream stream);
enum status meet_begin(struct exchange *exchange);
enum status meet_end(struct exchange *exchange);

/* ---- reach.c */
enum status reach_window(struct exchange *exchange, int part, uint32_t turn, CUdeviceptr at, int64_t bytes);
enum status reach_one_sided(struct exchange *exchange, const struct exchange_one_sided *call,
        struct exchange_started started, CUstream stream);

#endif

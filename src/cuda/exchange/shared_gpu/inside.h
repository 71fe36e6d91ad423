/* inside.h -- what the files of shared_gpu/ share. An umbrella header: it brings along what it includes.
 *
 * Files: file.c (the file that all map)  pool.c (memory that all reach)  places.c (where members meet: slots, release)  meet.c (from arrival to
 * end)  late.c (results for who comes late)  collective.c (what each member's kernel does)  reach.c (windows, one-sided)  words.c (words that
 * streams write and wait for)  board.c */
#ifndef RANKSH_CUDA_BOARD_INSIDE_H
#define RANKSH_CUDA_BOARD_INSIDE_H

#include "cuda/exchange/shared_gpu/board.h"
#include "cuda/exchange/exchange.h"
#include "cuda/kernels/arguments.h"
#include "cuda/kernels/image.h"
#include <pthread.h>

/* ---- the file: parts of CHUNK bytes, each registered with CUDA when it is first needed. The first is that of struct board_memory. */
enum { CHUNK = 8 << 20, CHUNKS = 128, ENTRIES = 1 << 14, WORDS_MOST = 400, NAP_NS = 100000, GRAIN = 4096 };
/* Behind them, for ranks that do not reach each other's memory: each has an even part of these bytes, registered as one. */
enum { STAGES_BYTES = 1 << 30 };
static const size_t FILE_BYTES = (size_t)CHUNK * CHUNKS + STAGES_BYTES;

enum seat_state { SEAT_EMPTY, SEAT_OFFERED /* its pool can be opened */, SEAT_JOINED, SEAT_LEFT };
struct seat {
	uint32_t state, came; /* came: its process holds its lock */
	CUipcMemHandle pool;
};
/* What has been laid out, by key: whoever needs it first does it. 0: free */
struct entry {
	uint64_t key, at;
};
struct board_memory {
	uint64_t used; /* bytes */
	/* The first failure of pool_open on any rank: 1: it is being written down, 2: it has been */
	uint32_t failed, why; /* why: an enum status */
	char words[WORDS_MOST];
	struct seat seat[EXCHANGE_RANKS];
	struct entry directory[ENTRIES];
};

/* ---- a place where members meet, turn by turn: those of a part, or the two ends of a channel */
enum { PART_TURNS = 256, CHANNEL_TURNS = 128, LATE_TURNS = 4096, WINDOWS = 64 };
struct board_window {
	uint32_t turn, unused;
	int64_t offset;
};
/* Members as a set of places */
static const uint64_t ALL_PLACES = UINT64_MAX;

/* For which turn a slot was used last, and which places met then: 0: not yet */
struct slot_use {
	uint32_t turn;
	uint64_t places;
};
struct meeting {
	uint64_t key;
	int n, place; /* place -1: both ends of a channel to itself */
	int *ranks;   /* by place */
	uint32_t turns;
	char *at; /* slots by place and turn; of a part, windows and tables behind them */
	CUdeviceptr device;
	CUdeviceptr found;     /* this member's, by turn: what its kernels go by */
	struct slot_use *used; /* by turn % turns */
	uint32_t last;         /* the turn that was queued last */
	uint32_t windows;
};

/* A member's side of one turn, on its way */
struct side {
	struct meeting *meeting;
	uint32_t turn;
	int place, order; /* order: of those between begin and end */
	CUstream stream;
	bool ends;           /* it waits for the others' ends too */
	uint32_t same;       /* a digest of what has to be the same on all members */
	CUfunction function; /* NULL: this member moves nothing */
	unsigned blocks;
	CUdeviceptr result,
	        staged; /* the result lies there, and comes from there at the end; 0: it is in its place */
	int64_t result_bytes;
	union {
		struct exchange_members members; /* the first of both */
		struct exchange_reduce reduce;
		struct exchange_move move;
	} call;
};
struct meeting_order {
	struct exchange_started started;
	CUstream stream;
};

/* The result of a collective that went on without a member, for that one: copied when it is there */
struct gift {
	struct meeting *meeting;
	uint32_t turn;
	CUstream stream;
	CUdeviceptr at;
	int64_t bytes;
};

/* Memory of the pool that is given back when its stream has come to the event, and, of a gift, it was taken */
struct pool_copy {
	CUdeviceptr at;
	int64_t bytes;
	CUstream stream;
	CUevent event;         /* NULL: not yet */
	const uint32_t *taken; /* the word that comes to `turn` then; NULL: nobody's */
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

/* Words for a stream, in order */
struct board_words {
	CUstreamBatchMemOpParams *word;
	size_t count;
};

struct board {
	struct exchange exchange; /* the first */
	int ranks, rank, fd;
	struct board_memory *shared;
	pthread_mutex_t lock; /* of `meetings`, which release reads on other threads */
	struct meeting **meetings;
	size_t meeting_count;
	/* ---- the host thread's */
	struct cuda_library *cuda;
	CUdeviceptr chunk[CHUNKS];
	struct image image;
	CUfunction find, reduce, move, table, reach;
	bool staged; /* no rank reaches another one's memory: what they share is copied to the file and back */
	struct pool own;   /* this rank's; its first LINES_BYTES are meetings' lines, which stay */
	int64_t lines;     /* bytes of these that are taken */
	struct pool stage; /* its part of the file; empty where ranks reach each other's */
	CUdeviceptr pool[EXCHANGE_RANKS]; /* what others reach of each rank, as this process sees it */
	struct pool_copy *stages;
	size_t stage_count;
	bool together;
	struct side *sides;
	struct meeting_order *orders;
	struct gift *gifts;
	size_t side_count, order_count, gift_count;
	struct board_words words; /* of the stream that is at hand */
};

/* ---- file.c */
/* A file of its full size, of which nothing is there yet; -1 and errno */
int board_file(void);
/* Maps the file for a rank, and owns fd. 0, or errno: fd is closed */
int board_map(int fd, int ranks, int rank, struct board **board);
bool board_gone(const struct board *board, int rank); /* its process has ended */
/* The zeroed memory of that key, the same on all: `bytes` of it, CHUNK at most. ST_GPU */
enum status board_area(struct board *board, uint64_t key, size_t bytes, char **at, CUdeviceptr *device);
/* Registered with CUDA, if it is not */
enum status board_chunk(struct board *board, size_t chunk);
enum status board_stages(
        struct board *board); /* all ranks' parts of the file become what others reach of them */
/* To what is staged there, and from there, in the stream's order */
enum status file_copy(
        struct board *board, CUdeviceptr staged, CUdeviceptr from, int64_t bytes, CUstream stream);
enum status file_fetch(
        struct board *board, CUdeviceptr staged, CUdeviceptr to, int64_t bytes, CUstream stream);
void board_unregister(struct board *board);

/* ---- pool.c */
/* before: what has become of this rank so far, which is the others' affair too */
enum status pool_open(struct board *board, int64_t bytes, enum status before);
void pool_close(struct board *board);
enum status pool_alloc(struct exchange *exchange, int64_t bytes, CUdeviceptr *at);
void pool_free(struct exchange *exchange, CUdeviceptr at, int64_t bytes);
/* Memory of a meeting's, until the end: it lies together, so that what stays is in no tensor's way. ST_DEVICE_MEMORY */
enum { LINES_BYTES = 1 << 20 };
enum status pool_lines(struct board *board, int64_t bytes, CUdeviceptr *at);
int64_t pool_offset(const struct board *board, CUdeviceptr at); /* of what others reach; 0 of 0 */
/* A copy of a member's input, made on its stream, until that has come to where pool_stages_end was called; from 0: room
 * only. Where there is no room, this waits for streams. ST_DEVICE_MEMORY, ST_GPU */
enum status pool_stage(
        struct board *board, CUdeviceptr from, int64_t bytes, CUstream stream, CUdeviceptr *at);
/* The same of a gift's result, until it was taken, too */
enum status pool_keep(struct board *board, const struct gift *gift, const uint32_t *taken, CUdeviceptr *at);
enum status pool_stages_end(struct board *board);

/* ---- places.c */
enum status meeting_of_part(
        struct board *board, int part, int n, int place, const int *ranks, struct meeting **meeting);
enum status meeting_of_channel(struct board *board, int part, int from, int to, struct meeting **meeting);
/* Where `from` leaves results for `to`, which was late */
enum status meeting_of_late(struct board *board, int part, int from, int to, struct meeting **meeting);
struct meeting *meeting_find(struct board *board, int part); /* NULL: it is not open */
struct exchange_slot *meeting_slot(const struct meeting *meeting, int place, uint32_t turn);
CUdeviceptr meeting_device(const struct meeting *meeting, const void *at);
CUdeviceptr meeting_found(
        const struct meeting *meeting, uint32_t turn); /* struct exchange_found on the GPU */
struct board_window *meeting_windows(const struct meeting *meeting, int place); /* WINDOWS of them */
const long long *meeting_tables(const struct meeting *meeting, uint32_t turn);  /* by place, 2n + 2 each */
/* Waits until the turn's slots are free, and takes them for these places: whose words stand there has ended the turn that they were used
 * for before. Who is so far ahead waits here, as where CUDA's own queue is full. */
void meeting_take(struct meeting *meeting, uint32_t turn, uint64_t places);
/* Whoever waits in that turn goes on, with no result. From any thread */
void meeting_let_go(struct board *board, struct meeting *meeting, uint32_t turn);
void board_release(struct exchange *exchange, int part, uint32_t turn);
void meetings_free(struct board *board); /* lets go of all first */

/* ---- words.c: writes and waits for a stream, in order */
void words_write(struct board *board, CUdeviceptr at, uint32_t value);
void words_wait(struct board *board, CUdeviceptr at, uint32_t value); /* until it has come so far */
enum status words_queue(struct board *board, CUstream stream);        /* and empties the list */
/* By the host, now: streams that wait for it go on. */
void word_store(struct board *board, uint32_t *word, uint32_t value);

/* ---- collective.c */
/* Who meets on this side: the places of its meeting that are in `places` */
void side_members(const struct board *board, struct side *side, uint64_t places);
/* What this member's kernel does; its input and result stand in its slot then. call: of those alone that meet */
enum status collective_plan(struct board *board, const struct exchange_collective *call, struct side *side);
void transfer_plan(struct board *board, const struct exchange_transfer *call, struct side *side);
uint32_t transfer_digest(int64_t bytes);

/* ---- late.c */
/* Of who keeps it: when its side is added, and when the result is there */
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

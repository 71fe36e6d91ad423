/* inside.h -- what the files of the stand-in's libcuda know of each other. One lock, `standin_lock`, guards everything but a stream's work. */
#ifndef RANKSH_STANDIN_INSIDE_H
#define RANKSH_STANDIN_INSIDE_H

#include "cuda/library/functions.h"
#include "standin/standin.h"
#include <pthread.h>

#define X(name, symbol, needed, result, parameters) result symbol parameters;
CUDA_FUNCTIONS(X)
CLOCK_FUNCTIONS(X)
#undef X

enum { QUEUE_LENGTH = 1024 }; /* a caller waits when so many are queued on a stream */

struct log; /* writes to words that streams wait for: words.c */

/* ---- work: an item of a queue, held by who looks at it: its stream until it is done, events, items that wait for it */
struct item {
	int holders;
	bool done, waits;
	standin_work *work;
	void *argument;
	void (*forget)(void *argument);
	int64_t cost_ns, issued_ns, end_ns;
	struct item **after; /* what it waits for, `after_count` of them */
	int after_count;
	struct item *next;
};

struct capture;
struct CUstream_st {
	struct CUctx_st *context;
	struct CUstream_st *next; /* in the context's list */
	bool blocking, leaving, waits;
	int priority;
	int64_t now_ns, queued, finished, ends_ns[QUEUE_LENGTH];
	struct item *first, *last; /* queued and running */
	struct item *tail;         /* the last that was queued, held, or NULL */
	pthread_cond_t more;
	struct capture *capture;
	struct CUgraphNode_st **joints; /* what the next captured node comes after */
	int joint_count;
};

struct memory {
	struct memory *next;
	char *at;
	size_t bytes, offset;
	enum { MEMORY_DEVICE, MEMORY_OPENED, MEMORY_PINNED, MEMORY_REGISTERED } kind;
	struct log *log;
	size_t log_offset; /* where `at` lies in what the log counts */
};

struct CUctx_st {
	int device, retained, fd; /* fd: the device's memory as a file, -1: not there yet */
	int stop;                 /* read by turns */
	CUresult error;
	char *base;
	struct log *log;
	struct memory *memory; /* sorted by address */
	size_t taken;
	struct CUstream_st *streams, *legacy;
	struct CUevent_st *events;
	struct CUmod_st *modules;
	int threads;
	struct item *engines[2]; /* the last copy of pinned memory to the device, and from it */
};

extern pthread_mutex_t standin_lock;
extern pthread_cond_t standin_changed; /* an item is done, a thread has ended, a context is spoiled */
extern struct CUctx_st standin_contexts[STANDIN_GPUS];

/* ---- options.c, costs.c: false: it is no such text */
bool time_read(const char *text, int64_t *ns); /* "10us" */
void costs_clear(void);                        /* nothing takes any time */
bool costs_read(char *text);                   /* "h2d:1.5us,25GB/s" */
/* Of the tensors of a struct elements, each once; a dimension along which one is repeated is one element of it */
double elements_bytes(const void *argument);

/* ---- clock.c */
void standin_set_now(int64_t ns); /* the calling thread's clock */

/* ---- context.c: all of them with the lock held unless it says otherwise */
/* Without the lock: takes it. *context: the current one. Not CUDA_SUCCESS: the lock is free, and that is the call's answer. */
CUresult enter(const char *call, struct CUctx_st **context);
CUresult leave(CUresult result); /* frees the lock */
void spoil(struct CUctx_st *context, CUresult error);
bool valid_device(CUdevice device);
/* The same of a call that needs no context; leaves the lock alone */
CUresult enter_free(const char *call);

/* ---- stream.c */
struct item *item_new(const struct standin_call *call);
/* Its end is known; what it waited for is let go. */
void item_finish(struct item *item, int64_t end_ns);
void item_hold(
        struct item **slot, struct item *item); /* *slot holds item in place of what it held; NULL: nothing */
int item_after(struct item *item, struct item *earlier); /* 0, or -1: no memory */
CUresult stream_queue(struct CUctx_st *context, CUstream stream,
        struct item *item); /* takes the item, frees it where it fails */
CUresult stream_push(struct CUctx_st *context, CUstream stream, const struct standin_call *call);
/* Until the item is done; the thread's clock is not before its end. */
CUresult item_wait(struct CUctx_st *context, struct item *item);
CUresult streams_wait(struct CUctx_st *context); /* all of the context's */
CUstream stream_of(struct CUctx_st *context, CUstream stream);
void streams_end(struct CUctx_st *context); /* stops and frees all: what waits is given up */
/* Does an item's work in the thread that calls, without the lock */
CUresult work_run(standin_work *work, void *argument, struct standin_turn *turn);

/* ---- memory.c */
struct memory *memory_at(
        struct CUctx_st *context, const void *at, size_t bytes); /* that holds all of it, or NULL */
struct memory *memory_anywhere(const void *at, size_t bytes);    /* of any context */
bool memory_is_device(const struct memory *memory);
void memory_end(struct CUctx_st *context);

/* ---- event.c, launch.c: what the program has not taken back goes with the context. */
void events_end(struct CUctx_st *context);
void modules_end(struct CUctx_st *context);

/* ---- job.c */
void job_sit_down(void);                /* once, before all others: the seat is kept until the process ends */
int64_t job_others(int device);         /* bytes that other processes of the job have taken */
void job_begin(void);                   /* no other process of the job takes anything from here on ... */
void job_end(int device, size_t taken); /* ... to here, where this one has taken so much */

/* ---- shared.c and words.c */
/* A file of that name which this process's siblings share, mapped and kept open; -1: there is none */
int share_among(const char *name, int parent, size_t bytes, void **at);
struct log *log_of_mapping(
        const void *at, size_t *offset); /* of a file that processes share; NULL: it is private */
struct log *log_new(void);
size_t log_bytes(void);
void log_free(struct log *log);
void log_write(struct log *log, size_t offset, uint32_t value, int64_t ns);
int64_t log_time(struct log *log, size_t offset, uint32_t value, unsigned flags);
bool word_reached(uint32_t now, uint32_t value, unsigned flags);

/* ---- capture.c */
/* Into the graph that the stream is captured in */
CUresult capture_add(CUstream stream, const struct standin_call *call);
CUresult capture_spoil(CUstream stream); /* a call that is not allowed there: what it answers */
struct joints {
	int64_t capture; /* its number; 0: none */
	struct CUgraphNode_st **nodes;
	int count;
};
CUresult capture_record(CUstream stream, struct joints *joints);
CUresult capture_join(CUstream stream, const struct joints *joints);
bool capture_live(int64_t number); /* it has not ended */
void capture_end(CUstream stream);

#endif

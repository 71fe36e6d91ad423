/* run.h -- what run.c (orders, the host's own lane) and on_stream.c share. An umbrella header. */
#ifndef RANKSH_CUDA_HOST_RUN_H
#define RANKSH_CUDA_HOST_RUN_H

#include "cuda/host/graph.h"
#include "cuda/host/order.h"

/* A part that the rank belongs to */
struct part_seen {
	int part;
	uint32_t seq; /* the last sequence number used in it */
	bool lost;    /* an operation failed in it: nothing is queued until it is opened again */
	op_id last;   /* the last collective queued there, and its stream */
	int stream;
};

struct run {
	bool retained, crashed;
	/* an OP_SEGMENT whose segments follow */
	bool segment_open;
	struct host_report segment;
	int64_t least_ns;
	/* a failure outside any operation: reported with the next one */
	enum status failed;
	char *words;
	/* lanes of a `together` that is being queued */
	struct host_lane **together;
	size_t together_count;
	/* orders of a graph launch that is not complete yet */
	struct host_order *graph;
	size_t graph_count;
	struct part_seen *parts;
	size_t part_count;
};

/* ---- run.c */
int64_t run_now_of(const struct host_thread *host); /* session time */
/* Returns the launch time of an order that the host reached at `issue`. */
int64_t run_launch_took(const struct host_thread *host, const struct host_order *order, int64_t issue);
/* Returns ST_OK if the next operation can be executed, else the reason: the context is lost, or
 * something outside any operation failed, which is reported with this one and cleared. */
enum status run_kept_from(struct host_thread *host, struct run *run);
/* Adds the words of this thread's failure, if status is the report's first failure. */
void run_keep_words(struct host_report *report, enum status status);
/* Reports the operation with that end, or with its start if that is later. */
void run_tell(struct host_thread *host, struct host_report *report, int64_t end);

/* ---- on_stream.c */
void run_on_stream(struct host_thread *host, struct run *run, const struct host_order *order, int64_t issue);
/* Ends a `together` after all its members are queued with that status. */
void run_end_together(struct host_thread *host, struct run *run, enum status status);
struct part_seen *run_part_of(struct run *run, int part); /* added on first use */
const char *run_call_of(const struct record *record);     /* the CUDA call in which it may hang */

#endif

/* graph.h -- a graph launch as one CUDA graph: conditions, launch, times of its operations. Used
 * by the host thread. An umbrella header.
 *
 *      orders of a launch --capture.c--> executable --graph.c--> cuGraphLaunch between two events
 *
 * The graph contains an event after each operation, which each launch records anew. If a graph is
 * launched again before the earlier launch's times were read, that launch's operations share its
 * measured time in proportion to the prediction (measured.divided). */
#ifndef RANKSH_CUDA_HOST_GRAPH_H
#define RANKSH_CUDA_HOST_GRAPH_H

#include "cuda/host/host_thread.h"

/* Returns the operation's index in a launch, whose orders have consecutive ids; -1 if it is not
 * in it. */
int graph_place(const struct host_order *orders, int count, op_id id);

/* ---- capture.c */
struct captured {
	CUgraphExec executable;
	CUevent *event;
	int events;
	struct captured_span {
		int from, to; /* event indices; -1: the launch's beginning */
	} * span;             /* by operation */
};
/* Captures the orders' calls on temporary streams. Fails with ST_GPU and leaves nothing. */
enum status capture_make(
        struct host_thread *host, const struct host_order *orders, int count, struct captured *captured);
void capture_release(struct host_thread *host, struct captured *captured);

/* ---- graph.c */
/* Launches the orders as a CUDA graph and adds its operations in flight. Returns false, with
 * nothing done, if they cannot be one, or not yet. issue: session time when the host reached it */
bool graph_order(struct host_thread *host, const struct host_order *orders, int count, int64_t issue);
/* Stores the times of a completed launch's operation on the host clock. divided: as in struct
 * measured. Fails with ST_GPU. */
enum status graph_times(struct host_thread *host, struct graph_launch *launch, int place, int64_t *start,
        int64_t *end, bool *divided);
/* Releases one operation; the launch is freed with the last one. */
void graph_forget(struct host_thread *host, struct graph_launch *launch);
void graphs_close(struct host_thread *host); /* after lanes_close */

#endif

/* graph.h -- a launch of a graph as one CUDA graph: what it can be made of, its launch, and when its operations were
 *
 *      orders of a launch ---capture.c---> executable ---graph.c---> one cuGraphLaunch, an event before and one behind it
 *
 * Inside there is an event behind each operation. A later launch of the same executable records it anew, so it tells of the
 * last launch only: what was over when the next one came has times of its own, and the others share the measured time of
 * their launch as foreseen (measured.divided).
 * On the host thread. An umbrella header: it brings along what it includes. */
#ifndef RANKSH_CUDA_HOST_GRAPH_H
#define RANKSH_CUDA_HOST_GRAPH_H

#include "cuda/host/inside.h"

/* Its place in a launch, whose orders have numbers that follow each other; -1: it is not of it */
int graph_place(const struct host_order *orders, int count, op_id id);

/* ---- capture.c */
struct captured {
	CUgraphExec executable;
	CUevent *event;
	int events;
	struct captured_span {
		int from, to; /* events; -1: the launch's beginning */
	} * span;             /* by operation */
};
/* Their calls, taken down from streams that are there for that alone. ST_GPU: nothing is left. */
enum status capture_make(
        struct host_thread *host, const struct host_order *orders, int count, struct captured *captured);
void capture_release(struct host_thread *host, struct captured *captured);

/* ---- graph.c */
/* Launches it and has its operations in flight. False: it can be no CUDA graph, or not now, and nothing was done.
 * issue: session's time at which the host came to it */
bool graph_order(struct host_thread *host, const struct host_order *orders, int count, int64_t issue);
/* Of a launch that is over, on the host's clock. divided: as in struct measured. ST_GPU */
enum status graph_times(struct host_thread *host, struct graph_launch *launch, int place, int64_t *start,
        int64_t *end, bool *divided);
/* One of its operations is forgotten; with the last one the launch is. */
void graph_forget(struct host_thread *host, struct graph_launch *launch);
void graphs_close(struct host_thread *host); /* behind lanes_close */

#endif

/* run.h -- what run.c (orders, the host's own lane) and on_stream.c share. An umbrella header: it brings along what it includes. */
#ifndef RANKSH_CUDA_HOST_RUN_H
#define RANKSH_CUDA_HOST_RUN_H

#include "cuda/host/graph.h"
#include "cuda/host/order.h"

/* A part that the rank belongs to, and the last turn that it waits for there. lost: an operation failed there. Others would take
 * the next one for it, so nothing more is queued until all have let go, and it is opened again. */
struct part_seen {
	int part;
	uint32_t turn;
	bool lost;
	op_id last; /* collective of it that was queued, and on which stream */
	int stream;
};

struct run {
	bool retained, crashed;
	/* a segment's operation whose segments come behind it */
	bool segment_open;
	struct host_report segment;
	int64_t least_ns;
	/* what went wrong where no operation was: it is told of the next one */
	enum status failed;
	char *words;
	/* lanes of a `together` that is being given */
	struct host_lane **together;
	size_t together_count;
	/* orders of a graph's launch, of which more come */
	struct host_order *graph;
	size_t graph_count;
	struct part_seen *parts;
	size_t part_count;
};

/* ---- run.c */
int64_t run_now_of(const struct host_thread *host); /* session's time */
/* issue: where the host came to it */
int64_t run_launch_took(const struct host_thread *host, const struct host_order *order, int64_t issue);
/* Does something keep this operation from being done at all? */
enum status run_kept_from(struct host_thread *host, struct run *run);
/* With the words of this thread's failure, if status is one and the first */
void run_keep_words(struct host_report *report, enum status status);
void run_tell(struct host_thread *host, struct host_report *report, int64_t end);

/* ---- on_stream.c */
void run_on_stream(struct host_thread *host, struct run *run, const struct host_order *order, int64_t issue);
/* All members of a `together` are queued; status: whether that was done */
void run_end_together(struct host_thread *host, struct run *run, enum status status);
struct part_seen *run_part_of(struct run *run, int part); /* made when it is first asked for */
const char *run_call_of(const struct record *record);     /* CUDA's that it hangs in, if in any */

#endif

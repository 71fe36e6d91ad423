/* anchor.h -- converts event times of the GPU to the host clock
 *
 * CUDA gives the time between two events in ms as a float: 24 bits, 60 ns after a second. So every
 * second a new event, an anchor, is recorded on an otherwise empty stream, and times are measured
 * from the one that was newest when the operation was queued. For each anchor these are known:
 *
 *      host clock     before | ........ somewhere here ........ | after       read around it
 *      GPU clock               its time since the first anchor                sum of the intervals
 *
 * so that GPU time + offset = host time, with bounds for the offset. Every anchor narrows the
 * bounds; if the clocks have drifted, the bounds move as little as necessary.
 *
 * Used by the host thread alone: opening and renewing wait for the device. */
#ifndef RANKSH_CUDA_HOST_ANCHOR_H
#define RANKSH_CUDA_HOST_ANCHOR_H

#include "cuda/library/library.h"

enum { ANCHORS = 64 }; /* kept; older ones are overwritten */
struct anchors {
	const struct cuda_library *cuda; /* the caller's, with its context current */
	CUstream stream;
	CUevent event[ANCHORS];
	double gpu_ns[ANCHORS]; /* since the first */
	int64_t renewed;        /* host time of the newest */
	unsigned count;         /* made so far */
	double least, most;     /* bounds of host time - GPU time, ns */
};

/* Records the first anchor. Fails with ST_GPU and leaves nothing. */
enum status anchors_open(struct anchors *anchors, const struct cuda_library *cuda);
void anchors_close(struct anchors *anchors); /* a zeroed one is valid */
/* Records a new anchor if the newest is a second old. Fails with ST_GPU. */
enum status anchors_renew(struct anchors *anchors);
/* Returns the newest anchor's number, against which an event recorded now is measured. */
unsigned anchors_newest(const struct anchors *anchors);
/* Returns the host time of a completed event with timing. anchor: the newest when it was
 * recorded; if it is gone, the oldest kept one is used. Fails with ST_GPU. */
enum status anchors_time(const struct anchors *anchors, unsigned anchor, CUevent event, int64_t *ns);
/* Returns the uncertainty of those times, ns. */
double anchors_uncertainty(const struct anchors *anchors);

#endif

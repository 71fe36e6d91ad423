/* anchor.h -- when an event was, on the host's clock.
 *
 * CUDA tells the time between two events of a device, in ms as a float: 24 bits, 60 ns after a second. So every second a new
 * event is recorded on a stream that has nothing else, an anchor, and times are taken against the one that was the newest
 * when the operation was queued. Of each anchor is known:
 *
 *      host's clock    before | ........ somewhere here ........ | after        looked at around it
 *      GPU's clock              its time since the first anchor                 by the times between anchors
 *
 * so that GPU's time + offset = host's time, with an offset between two bounds. Every anchor narrows them; where they
 * exclude each other the clocks have drifted apart, and the bounds move as little as that takes. Times that were told stay.
 *
 * Used by the host thread alone: opening and renewing wait for the device. May call: cuda/library/. */
#ifndef RANKSH_CUDA_HOST_ANCHOR_H
#define RANKSH_CUDA_HOST_ANCHOR_H

#include "cuda/library/library.h"

enum { ANCHORS = 64 }; /* that many are kept, the oldest go */
struct anchors {
	const struct cuda_library *cuda; /* the caller's, with its context current */
	CUstream stream;
	CUevent event[ANCHORS];
	double gpu_ns[ANCHORS]; /* since the first */
	int64_t renewed;        /* host's time at which the newest was made */
	unsigned count;         /* made so far */
	double least, most;     /* host's time - GPU's time, ns */
};

/* The first anchor. On failure nothing is left. ST_GPU */
enum status anchors_open(struct anchors *anchors, const struct cuda_library *cuda);
void anchors_close(struct anchors *anchors); /* a zeroed one too */
/* A new anchor where the newest is a second old; else nothing. ST_GPU */
enum status anchors_renew(struct anchors *anchors);
/* The newest's number: what an event that is recorded now is to be measured against */
unsigned anchors_newest(const struct anchors *anchors);
/* Host's time of an event that is over and was made for timing. anchor: the newest when it was recorded, or the oldest
 * that is left. ST_GPU */
enum status anchors_time(const struct anchors *anchors, unsigned anchor, CUevent event, int64_t *ns);
/* How far off the host's clock those times may be, ns */
double anchors_uncertainty(const struct anchors *anchors);

#endif

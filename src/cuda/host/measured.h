/* measured.h -- the times that operations took on GPUs, of all ranks: this process's own, and what the others have told
 *
 * All times are ns on the session's one clock, which begins with its world. Nothing is here twice: a time that is told
 * is final. May call: base/ world/ (types). */
#ifndef RANKSH_CUDA_HOST_MEASURED_H
#define RANKSH_CUDA_HOST_MEASURED_H

#include "world/op.h"

/* issue <= ready <= start <= end, as in struct times (backend/backend.h); the host was at it from issue - launch to issue */
struct measured {
	op_id id; /* 0: not known */
	op_id blame;
	int64_t issue, ready, start, end, launch;
	uint32_t undone;  /* 1: it was aborted, or its device failed: it has no result */
	uint32_t divided; /* 1: of a launch of a graph, whose whole time is measured, its part as foreseen */
};

/* A zeroed one is empty. */
struct measurements {
	struct measured *at; /* by op_id */
	size_t room;         /* op_ids below it have a place */
	op_id *order;        /* those that are known, as they came: the same on all processes */
	size_t known;
};
void measurements_release(struct measurements *all);
/* The first one of an operation counts: ST_BUG where another is told with other times. */
enum status measurements_add(struct measurements *all, const struct measured *one);
const struct measured *measurements_find(const struct measurements *all, op_id id); /* NULL: not known */

#endif

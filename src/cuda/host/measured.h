/* measured.h -- measured times of operations, of all ranks: this process's and those received
 * from others
 *
 * Times are ns on the session's clock, which begins with its world. A reported time is final. */
#ifndef RANKSH_CUDA_HOST_MEASURED_H
#define RANKSH_CUDA_HOST_MEASURED_H

#include "world/op.h"

/* issue <= ready <= start <= end, as in struct times (backend/backend.h). The host was busy from
 * issue - launch to issue. */
struct measured {
	op_id id; /* 0: unknown */
	op_id blame;
	int64_t issue, ready, start, end, launch;
	uint32_t undone; /* 1: aborted, or its device failed: it has no result */
	/* 1: in a graph launch of which only the total is measured; its part is predicted */
	uint32_t divided;
};

/* A zeroed one is empty. */
struct measurements {
	struct measured *at; /* by op_id */
	size_t room;         /* ids below it have an entry */
	op_id *order;        /* known operations in order of arrival: the same on all processes */
	size_t known;
};
void measurements_release(struct measurements *all);
/* Fails with ST_BUG if the operation is known with other times. */
enum status measurements_add(struct measurements *all, const struct measured *one);
/* NULL: unknown */
const struct measured *measurements_find(const struct measurements *all, op_id id);

#endif

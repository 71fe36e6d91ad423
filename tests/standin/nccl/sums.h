/* sums.h -- arithmetic of a reduction: each type of the table */
#ifndef RANKSH_STANDIN_SUMS_H
#define RANKSH_STANDIN_SUMS_H

#include "cuda/library/library.h"
#include <stdint.h>

/* One of NCCL's operators on one type. An average of floats multiplies by 1/n first, one of whole numbers divides
 * last. */
struct reducer {
	ncclDataType_t type;
	enum { OP_SUM, OP_PROD, OP_MAX, OP_MIN } fold;
	double factor; /* of each input, as the type holds it; 1: none */
	int divisor;   /* of the sum; 1: none */
};

/* Bytes of an element; 0 where there is no such type */
int type_bytes(ncclDataType_t type);
struct reducer reducer_of(ncclDataType_t type, ncclRedOp_t reduction, int ranks);

/* block[0] op block[1] op ..., in this order, into the first. Each block of `count` elements is changed. */
void reducer_fold(const struct reducer *by, char *const *block, int blocks, int64_t count);

#endif

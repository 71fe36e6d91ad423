/* attention.h -- operand sizes of an attention call or its gradient (attention.c) */
#ifndef RANKSH_ATTENTION_H
#define RANKSH_ATTENTION_H

#include "kernels/kernel.h"

struct attention_sizes {
	int64_t queries, keys, sequences; /* tokens per sequence in q, in k; sequences */
	int64_t heads, d;                 /* heads side by side, of d columns each */
	/* causal: query i of a sequence sees its keys 0 .. i + shift, as far as they exist */
	int64_t shift;
	bool causal;
};

/* Returns the sizes. Requires that kernel_shape() has accepted the call. */
struct attention_sizes attention_sizes(const struct kernel_call *call);

#endif

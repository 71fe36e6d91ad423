/* attention.h -- what the options of a call of attention, or of its gradient, say of its operands (attention.c) */
#ifndef RANKSH_ATTENTION_H
#define RANKSH_ATTENTION_H

#include "kernels/kernel.h"

struct attention_sizes {
	int64_t queries, keys,
	        sequences; /* tokens of a sequence in q and in k; sequences, one below the other */
	int64_t heads, d;  /* heads side by side, of d columns each */
	int64_t shift; /* causal: query i of a sequence sees its keys 0 .. i + shift, of those that there are */
	bool causal;
};

/* Of a call that kernel_shape() has found right */
struct attention_sizes attention_sizes(const struct kernel_call *call);

#endif

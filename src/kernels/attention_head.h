/* attention_head.h -- one head in one sequence: softmax(q k.T / sqrt(d)) v for a block of queries
 * and a block of keys, and its gradient. The operands are f32 matrices (blas.h). */
#ifndef RANKSH_ATTENTION_HEAD_H
#define RANKSH_ATTENTION_HEAD_H

#include "kernels/blas.h"

/* operand sizes of an attention call or its gradient */
struct attention_sizes {
	int64_t queries, keys, sequences; /* tokens per sequence in q, in k; sequences */
	int64_t heads, d;                 /* heads side by side, of d columns each */
	/* causal: query i of a sequence sees its keys 0 .. i + shift, as far as they exist */
	int64_t shift;
	bool causal;
};

/* Returns the sizes. Requires a q of two dimensions that heads= and seq= divide. */
struct attention_sizes attention_sizes(const struct kernel_call *call);

struct attention_head {
	struct attention_sizes of;
	float scale;
	struct matrix p, ds; /* [queries,keys]; ds only for the gradient */
	/* [queries]: row maxima of p; rowsum(do o), for a block's gradient */
	float *largest, *delta;
};

/* Returns a head with its buffers (ds and delta only if gradient). The caller frees it. */
struct attention_head attention_head_make(const struct attention_sizes *of, bool gradient);
void attention_head_free(struct attention_head *head);

/* Computes o := softmax(q k.T / sqrt(d)) v + beta o, with in = q k v. lse [queries,1], or NULL,
 * receives the log of each softmax's sum. A row without keys adds 0 to o; its lse is -inf. */
void attention_head_forward(const struct attention_head *head, const struct matrix in[], struct matrix o,
        float beta, struct matrix *lse);
/* Computes out = dq dk dv from in = do q k v. If k and v are a block, whole holds o and lse over
 * all keys; else it is NULL. */
void attention_head_backward(const struct attention_head *head, const struct matrix in[],
        const struct matrix out[], const struct matrix *whole);

#endif

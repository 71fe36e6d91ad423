/* attention_head.h -- one head of one sequence: softmax(q k.T / sqrt(d)) v of a block of queries and a block of
 * keys, and its gradient. The operands are f32 matrices (blas.h). */
#ifndef RANKSH_ATTENTION_HEAD_H
#define RANKSH_ATTENTION_HEAD_H

#include "kernels/blas.h"

struct attention_head {
	int queries, keys, d; /* tokens of q and of k, columns of a head */
	bool causal;
	int64_t shift; /* causal: query i sees the keys 0 .. i + shift, of those that there are */
	float scale;
	struct matrix p, ds;    /* [queries,keys]; ds for the gradient alone */
	float *largest, *delta; /* [queries]: of each row of p; rowsum(do o), for the gradient of a block */
};

/* The caller frees it. gradient: with ds and delta */
struct attention_head attention_head_make(
        int queries, int keys, int d, bool causal, int64_t shift, bool gradient);
void attention_head_free(struct attention_head *head);
/* No query sees any key. */
bool attention_head_masked(const struct attention_head *head);

/* in: q k v; o := softmax(q k.T / sqrt(d)) v + beta o. lse [queries,1] (NULL: not wanted): of each row the log of
 * the sum of exp(q k.T / sqrt(d)); a row that sees nothing adds 0 to o and has an lse of -inf. */
void attention_head_forward(const struct attention_head *head, const struct matrix in[], struct matrix o,
        float beta, struct matrix *lse);
/* in: do q k v; out: dq dk dv. whole: NULL, or the o and the lse of the queries with all of their keys, of which
 * k and v are a block. */
void attention_head_backward(const struct attention_head *head, const struct matrix in[],
        const struct matrix out[], const struct matrix *whole);

#endif

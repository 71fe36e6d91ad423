/* attention_head.c -- one head in one sequence, as three or five matrix products.
 *
 * The keys that each query sees (causal, 4 queries, 5 keys, k begins 2 tokens before q: shift =
 * 2):
 *
 *               keys
 *      query 0  x x x . .        seen: keys 0 .. i + shift. A row is computed up to a multiple of
 *            1  x x x x .        16, so that a vector has no remainder; after the last seen key it
 *            2  x x x x x        is -inf, whose exp is 0
 *            3  x x x x x
 *
 * A query without keys has zeros in p and an lse of -inf. */
#include "kernels/attention_head.h"
#include "base/memory.h"
#include "kernels/common.h"
#include "kernels/exponential.h"

#include <math.h>
#include <string.h>

struct attention_head attention_head_make(const struct attention_sizes *of, bool gradient)
{
	size_t row = (size_t)of->queries * sizeof(float), square = row * (size_t)of->keys;
	return (struct attention_head){.of = *of,
	        .scale = (float)(1 / sqrt((double)of->d)),
	        .p = {mem_alloc(square), NULL, (int)of->keys, CblasNoTrans},
	        .ds = {mem_alloc(gradient ? square : 0), NULL, (int)of->keys, CblasNoTrans},
	        .largest = mem_alloc(row),
	        .delta = mem_alloc(gradient ? row : 0)};
}

void attention_head_free(struct attention_head *head)
{
	mem_free(head->p.data);
	mem_free(head->ds.data);
	mem_free(head->largest);
	mem_free(head->delta);
}

/* Returns how many keys query r sees. */
INLINE int64_t seen(const struct attention_sizes *of, int64_t r)
{
	return of->causal ? least_of(of->keys, most_of(r + 1 + of->shift, 0)) : of->keys;
}

/* Returns a row's computed elements: the seen ones, rounded up to a multiple of 16. */
INLINE int64_t computed(const struct attention_sizes *of, int64_t r)
{
	return of->causal ? least_of(of->keys, parts_of(seen(of, r), 16) * 16) : of->keys;
}

/* ---- the probabilities ---- */

enum { PARTS = 8 };

/* Returns the maximum; may lose a NaN. Runs in vector lanes: part j has the elements j, j+8 ... */
INLINE float largest_of(const float *row, int64_t count)
{
	int64_t whole = count / PARTS * PARTS;
	float part[PARTS], most = count ? row[0] : -INFINITY;
	for (int j = 0; j < PARTS; j++)
		part[j] = most;
	for (int64_t i = 0; i < whole; i += PARTS)
		for (int j = 0; j < PARTS; j++)
			part[j] = row[i + j] > part[j] ? row[i + j] : part[j];
	for (int64_t i = whole; i < count; i++)
		most = row[i] > most ? row[i] : most;
	for (int j = 0; j < PARTS; j++)
		most = part[j] > most ? part[j] : most;
	return most;
}

/* Replaces each row of p by its softmax over the seen keys; the rest becomes 0. Subtracting the
 * maximum keeps exp at 1 or below, so nothing overflows. A NaN lost in the maximum reappears,
 * because its exp and so the sum are NaN. lse (or NULL), `apart` elements from row to row,
 * receives the log of the sum.
 *
 * In each of the three loops rows are independent, so the processor overlaps them. */
LOOP_OF(softmax_rows, (float *p, float *largest, const struct attention_sizes *of, float *lse, int64_t apart),
        (p, largest, of, lse, apart))
{
	int64_t n = of->queries, keys = of->keys;
	for (int64_t r = 0; r < n; r++) {
		int64_t count = computed(of, r);
		for (int64_t i = seen(of, r); i < count; i++)
			p[r * keys + i] = -INFINITY; /* exp gives 0 */
		largest[r] = largest_of(p + r * keys, count);
	}
	for (int64_t r = 0; r < n; r++) {
		int64_t count = computed(of, r);
		float *row = p + r * keys;
		for (int64_t i = 0; i < count; i++)
			row[i] = (float)exponential((double)row[i] - (double)largest[r]);
	}
	for (int64_t r = 0; r < n; r++) {
		int64_t count = computed(of, r), whole = count / PARTS * PARTS;
		float *row = p + r * keys;
		double part[PARTS] = {0}, sum = 0;
		for (int64_t i = 0; i < whole; i += PARTS)
			for (int j = 0; j < PARTS; j++)
				part[j] += row[i + j];
		for (int64_t i = whole; i < count; i++)
			part[i - whole] += row[i];
		for (int j = 0; j < PARTS; j++)
			sum += part[j];
		float inverse = (float)(1 / sum);
		for (int64_t i = 0; i < count; i++)
			row[i] *= inverse;
		memset(row + count, 0, (size_t)(keys - count) * sizeof *row);
		if (lse)
			lse[r * apart] = (float)(log(sum) + (double)largest[r]);
	}
}

/* Computes p for a block from the lse over all keys: p = exp(score - lse). A row that sees no key
 * has an lse of -inf and p = 0. */
LOOP_OF(softmax_again, (float *p, const struct attention_sizes *of, const float *lse, int64_t apart),
        (p, of, lse, apart))
{
	for (int64_t r = 0; r < of->queries; r++) {
		float *row = p + r * of->keys;
		double all = (double)lse[r * apart];
		int64_t count = all == -INFINITY ? 0 : computed(of, r);
		for (int64_t i = seen(of, r); i < count; i++)
			row[i] = -INFINITY;
		for (int64_t i = 0; i < count; i++)
			row[i] = (float)exponential((double)row[i] - all);
		memset(row + count, 0, (size_t)(of->keys - count) * sizeof *row);
	}
}

static struct matrix transposed(struct matrix matrix)
{
	matrix.trans = CblasTrans;
	return matrix;
}

static void scores(const struct attention_head *h, struct matrix q, struct matrix k)
{
	matrix_product(
	        (int)h->of.queries, (int)h->of.keys, (int)h->of.d, h->scale, q, transposed(k), 0, h->p);
}

void attention_head_forward(const struct attention_head *h, const struct matrix in[], struct matrix o,
        float beta, struct matrix *lse)
{
	scores(h, in[0], in[1]);
	softmax_rows(h->p.data, h->largest, &h->of, lse ? lse->data : NULL, lse ? lse->ld : 0);
	matrix_product((int)h->of.queries, (int)h->of.d, (int)h->of.keys, 1, h->p, in[2], beta, o);
}

/* ---- the gradient ---- */

/* ds := p (ds - sum), with the sum rowsum(p ds) over all keys */
LOOP_OF(softmax_back_row, (const float *p, float *ds, float sum, int n), (p, ds, sum, n))
{
	for (int j = 0; j < n; j++)
		ds[j] = p[j] * (ds[j] - sum);
}

static void softmax_back(const struct attention_head *h, bool block)
{
	for (int i = 0; i < h->of.queries; i++) {
		const float *p = h->p.data + (size_t)i * (size_t)h->of.keys;
		float *ds = h->ds.data + (size_t)i * (size_t)h->of.keys;
		int count = (int)seen(&h->of, i);
		float delta = block ? h->delta[i] : 0;
		for (int j = 0; j < count && !block; j++)
			delta += p[j] * ds[j];
		softmax_back_row(p, ds, delta, count);
		memset(ds + count, 0, (size_t)(h->of.keys - count) * sizeof *ds);
	}
}

/* delta = rowsum(do o), which equals rowsum(p (do v.T)) over all keys because o = p v
 * (FlashAttention-2, arXiv:2307.08691, section 3.1) */
static void find_delta(const struct attention_head *h, struct matrix d_o, struct matrix o)
{
	for (int i = 0; i < h->of.queries; i++) {
		const float *a = d_o.data + (int64_t)i * d_o.ld, *b = o.data + (int64_t)i * o.ld;
		double sum = 0;
		for (int j = 0; j < h->of.d; j++)
			sum += (double)a[j] * (double)b[j];
		h->delta[i] = (float)sum;
	}
}

void attention_head_backward(const struct attention_head *h, const struct matrix in[],
        const struct matrix out[], const struct matrix *whole)
{
	struct matrix d_o = in[0], q = in[1], k = in[2], v = in[3];
	int n = (int)h->of.queries, m = (int)h->of.keys, d = (int)h->of.d;
	scores(h, q, k);
	if (whole) {
		softmax_again(h->p.data, &h->of, whole[1].data, whole[1].ld);
		find_delta(h, d_o, whole[0]);
	} else {
		softmax_rows(h->p.data, h->largest, &h->of, NULL, 0);
	}
	/* dv = p.T do; ds = do v.T, p's gradient; softmax_back makes it the scores' */
	matrix_product(m, d, n, 1, transposed(h->p), d_o, 0, out[2]);
	matrix_product(n, m, d, 1, d_o, transposed(v), 0, h->ds);
	softmax_back(h, whole);
	/* dq = ds k and dk = ds.T q: the scores were q k.T, scaled */
	matrix_product(n, d, m, h->scale, h->ds, k, 0, out[0]);
	matrix_product(m, d, n, h->scale, transposed(h->ds), q, 0, out[1]);
}

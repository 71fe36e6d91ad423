/* attention_head.c -- one head in one sequence, as three or five matrix products.
 *
 * The keys that a query sees and those in its softmax; k begins 2 tokens before q (shift = 2),
 * causal, 4 queries and 5 keys:
 *
 *               keys
 *      query 0  x x x . .        seen: keys 0 .. i + shift. A row is computed up to a multiple of
 *            1  x x x x .        16, so that a vector has no remainder; after the last seen key it
 *            2  x x x x x        is -inf, whose exp is 0
 *            3  x x x x x
 *
 * A negative shift leaves the first queries without keys: their row of p is 0 and their lse is
 * -inf. */
#include "kernels/attention_head.h"
#include "base/memory.h"
#include "kernels/common.h"
#include "kernels/exponential.h"

#include <math.h>
#include <string.h>

/* All heads share p and ds, the only memory with queries x keys elements. */
struct attention_head attention_head_make(
        int queries, int keys, int d, bool causal, int64_t shift, bool gradient)
{
	size_t row = (size_t)queries * sizeof(float), square = row * (size_t)keys;
	return (struct attention_head){.queries = queries,
	        .keys = keys,
	        .d = d,
	        .causal = causal,
	        .shift = shift,
	        .scale = (float)(1 / sqrt((double)d)),
	        .p = {mem_alloc(square), NULL, keys, CblasNoTrans},
	        .ds = {mem_alloc(gradient ? square : 0), NULL, keys, CblasNoTrans},
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

/* The `keys` that query r sees */
struct mask {
	int64_t queries, keys, shift;
	bool causal;
};

static struct mask mask_of(const struct attention_head *head)
{
	return (struct mask){head->queries, head->keys, head->shift, head->causal};
}

INLINE int64_t seen(const struct mask *mask, int64_t r)
{
	return mask->causal ? least_of(mask->keys, most_of(r + 1 + mask->shift, 0)) : mask->keys;
}

/* Returns a row's computed elements: the seen ones, rounded up to a multiple of 16. */
INLINE int64_t computed(const struct mask *mask, int64_t r)
{
	return mask->causal ? least_of(mask->keys, parts_of(seen(mask, r), 16) * 16) : mask->keys;
}

/* ---- the probabilities ---- */

enum { PARTS = 8 };

/* May lose a NaN. The maximum runs in vector lanes: part j has the elements j, j+8 ... */
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
 * maximum keeps exp at 1 or below, so nothing overflows. A NaN lost in the maximum returns,
 * because its exp and so the sum are NaN. lse (or NULL), `apart` elements from row to row,
 * receives the log of the sum.
 *
 * In each of the three loops rows are independent, so the processor overlaps them. */
LOOP_OF(softmax_rows, (float *p, float *largest, const struct mask *mask, float *lse, int64_t apart),
        (p, largest, mask, lse, apart))
{
	int64_t n = mask->queries, keys = mask->keys;
	for (int64_t r = 0; r < n; r++) {
		int64_t count = computed(mask, r);
		for (int64_t i = seen(mask, r); i < count; i++)
			p[r * keys + i] = -INFINITY; /* exp gives 0 */
		largest[r] = largest_of(p + r * keys, count);
	}
	for (int64_t r = 0; r < n; r++) {
		int64_t count = computed(mask, r);
		float *row = p + r * keys;
		for (int64_t i = 0; i < count; i++)
			row[i] = (float)exponential((double)row[i] - (double)largest[r]);
	}
	for (int64_t r = 0; r < n; r++) {
		int64_t count = computed(mask, r), whole = count / PARTS * PARTS;
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

/* The same for a block, with the lse over all keys: p = exp(score - lse). A row that sees no key
 * has an lse of -inf and p = 0. */
LOOP_OF(softmax_again, (float *p, const struct mask *mask, const float *lse, int64_t apart),
        (p, mask, lse, apart))
{
	for (int64_t r = 0; r < mask->queries; r++) {
		float *row = p + r * mask->keys;
		double all = (double)lse[r * apart];
		int64_t count = all == -INFINITY ? 0 : computed(mask, r);
		for (int64_t i = seen(mask, r); i < count; i++)
			row[i] = -INFINITY;
		for (int64_t i = 0; i < count; i++)
			row[i] = (float)exponential((double)row[i] - all);
		memset(row + count, 0, (size_t)(mask->keys - count) * sizeof *row);
	}
}

static struct matrix transposed(struct matrix matrix)
{
	matrix.trans = CblasTrans;
	return matrix;
}

static void scores(const struct attention_head *h, struct matrix q, struct matrix k)
{
	matrix_product(h->queries, h->keys, h->d, h->scale, q, transposed(k), 0, h->p);
}

void attention_head_forward(const struct attention_head *h, const struct matrix in[], struct matrix o,
        float beta, struct matrix *lse)
{
	struct mask mask = mask_of(h);
	scores(h, in[0], in[1]);
	softmax_rows(h->p.data, h->largest, &mask, lse ? lse->data : NULL, lse ? lse->ld : 0);
	matrix_product(h->queries, h->d, h->keys, 1, h->p, in[2], beta, o);
}

/* ---- the gradient ---- */

static float dot(const float *p, const float *ds, int n)
{
	float sum = 0;
	for (int j = 0; j < n; j++)
		sum += p[j] * ds[j];
	return sum;
}

/* ds := p (ds - sum), with the sum rowsum(p ds) over all keys */
LOOP_OF(softmax_back_row, (const float *p, float *ds, float sum, int n), (p, ds, sum, n))
{
	for (int j = 0; j < n; j++)
		ds[j] = p[j] * (ds[j] - sum);
}

static void softmax_back(const struct attention_head *h, bool block)
{
	struct mask mask = mask_of(h);
	for (int i = 0; i < h->queries; i++) {
		const float *p = h->p.data + (size_t)i * (size_t)h->keys;
		float *ds = h->ds.data + (size_t)i * (size_t)h->keys;
		int count = (int)seen(&mask, i);
		softmax_back_row(p, ds, block ? h->delta[i] : dot(p, ds, count), count);
		memset(ds + count, 0, (size_t)(h->keys - count) * sizeof *ds);
	}
}

/* delta = rowsum(do o), which equals rowsum(p (do v.T)) over all keys because o = p v
 * (FlashAttention-2, arXiv:2307.08691, section 3.1) */
static void find_delta(const struct attention_head *h, struct matrix d_o, struct matrix o)
{
	for (int i = 0; i < h->queries; i++) {
		const float *a = d_o.data + (int64_t)i * d_o.ld, *b = o.data + (int64_t)i * o.ld;
		double sum = 0;
		for (int j = 0; j < h->d; j++)
			sum += (double)a[j] * (double)b[j];
		h->delta[i] = (float)sum;
	}
}

void attention_head_backward(const struct attention_head *h, const struct matrix in[],
        const struct matrix out[], const struct matrix *whole)
{
	struct matrix d_o = in[0], q = in[1], k = in[2], v = in[3];
	struct mask mask = mask_of(h);
	int n = h->queries, m = h->keys, d = h->d;
	scores(h, q, k);
	if (whole) {
		softmax_again(h->p.data, &mask, whole[1].data, whole[1].ld);
		find_delta(h, d_o, whole[0]);
	} else {
		softmax_rows(h->p.data, h->largest, &mask, NULL, 0);
	}
	/* dv = p.T do; ds = do v.T, p's gradient; softmax_back makes it the scores' */
	matrix_product(m, d, n, 1, transposed(h->p), d_o, 0, out[2]);
	matrix_product(n, m, d, 1, d_o, transposed(v), 0, h->ds);
	softmax_back(h, whole);
	/* dq = ds k and dk = ds.T q: the scores were q k.T, scaled */
	matrix_product(n, d, m, h->scale, h->ds, k, 0, out[0]);
	matrix_product(m, d, n, h->scale, transposed(h->ds), q, 0, out[1]);
}

/* plain_gpt.h -- the gpt of strategies/models/gpt.rsh as a plain C program would train it: f32 arrays, loops,
 * and a CBLAS. The baseline of bench_gpt.c, and what test_plain.c holds the model against: same
 * weights, same text, same losses. */
#ifndef RANKSH_PLAIN_GPT_H
#define RANKSH_PLAIN_GPT_H

#include "../unit/philox_at.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	LAYERS = 4,
	HIDDEN = 64,
	HEAD_COUNT = 4,
	SEQ = 64,
	BATCH = 8,
	TOKENS = BATCH * SEQ,
	WIDE = 4 * HIDDEN,
	HEAD = HIDDEN / HEAD_COUNT
};

struct weight {
	int rows, cols;
	float *w, *g, *m, *v;
};
struct plain_block {
	struct weight q, k, v, o, up, down;
	float *n, *xq, *xk, *xv, *xo, *r, *mid, *u, *act, *x;
};
struct plain {
	int vocab;
	struct weight table, pos, head;
	struct plain_block block[LAYERS];
	float *x0, *n, *logits, *d, *d2, *d3, *dwide, *dq, *dk, *dv, *p, *ds;
	int step;
};

static inline float *plain_array(int count)
{
	return calloc((size_t)count, sizeof(float));
}

static inline void plain_weight(struct weight *w, int rows, int cols, double scale, int seed)
{
	*w = (struct weight){rows, cols, plain_array(rows * cols), plain_array(rows * cols),
	        plain_array(rows * cols), plain_array(rows * cols)};
	for (int i = 0; i < rows * cols; i++)
		w->w[i] = (float)(scale * (double)philox_normal((uint64_t)seed, (uint64_t)i));
}

static inline void plain_weight_free(struct weight *w)
{
	free(w->w), free(w->g), free(w->m), free(w->v);
}

static inline void plain_make(struct plain *p, int vocab)
{
	double s = 1 / sqrt(HIDDEN), residual = s / sqrt(2 * LAYERS);
	int seed = 1;
	*p = (struct plain){.vocab = vocab};
	plain_weight(&p->table, vocab, HIDDEN, 0.02, ++seed);
	plain_weight(&p->pos, SEQ, HIDDEN, 0.02, ++seed);
	for (int i = 0; i < LAYERS; i++) {
		struct plain_block *b = &p->block[i];
		plain_weight(&b->q, HIDDEN, HIDDEN, s, ++seed);
		plain_weight(&b->k, HIDDEN, HIDDEN, s, ++seed);
		plain_weight(&b->v, HIDDEN, HIDDEN, s, ++seed);
		plain_weight(&b->o, HIDDEN, HIDDEN, residual, ++seed);
		plain_weight(&b->up, HIDDEN, WIDE, s, ++seed);
		plain_weight(&b->down, WIDE, HIDDEN, residual / 2, ++seed);
		float **of[] = {&b->n, &b->xq, &b->xk, &b->xv, &b->xo, &b->r, &b->mid, &b->x};
		for (int k = 0; k < 8; k++)
			*of[k] = plain_array(TOKENS * HIDDEN);
		b->u = plain_array(TOKENS * WIDE), b->act = plain_array(TOKENS * WIDE);
	}
	plain_weight(&p->head, HIDDEN, vocab, s, ++seed);
	float **of[] = {&p->x0, &p->n, &p->d, &p->d2, &p->d3, &p->dq, &p->dk, &p->dv};
	for (int k = 0; k < 8; k++)
		*of[k] = plain_array(TOKENS * HIDDEN);
	p->logits = plain_array(TOKENS * vocab), p->dwide = plain_array(TOKENS * WIDE),
	p->p = plain_array(SEQ * SEQ), p->ds = plain_array(SEQ * SEQ);
}

static inline void plain_free(struct plain *p)
{
	for (int i = 0; i < LAYERS; i++) {
		struct plain_block *b = &p->block[i];
		struct weight *weights[] = {&b->q, &b->k, &b->v, &b->o, &b->up, &b->down};
		for (int k = 0; k < 6; k++)
			plain_weight_free(weights[k]);
		float *arrays[] = {b->n, b->xq, b->xk, b->xv, b->xo, b->r, b->mid, b->x, b->u, b->act};
		for (int k = 0; k < 10; k++)
			free(arrays[k]);
	}
	plain_weight_free(&p->table), plain_weight_free(&p->pos), plain_weight_free(&p->head);
	float *arrays[] = {
	        p->x0, p->n, p->d, p->d2, p->d3, p->dq, p->dk, p->dv, p->logits, p->dwide, p->p, p->ds};
	for (int k = 0; k < 12; k++)
		free(arrays[k]);
}

/* The synthetic text: `uniform seed=1001 scale=vocab`, as i32 */
static inline int *plain_text(int count, int vocab)
{
	int *text = malloc((size_t)count * sizeof *text);
	for (int i = 0; text && i < count; i++)
		text[i] = (int)(philox_uniform(1001, (uint64_t)i) * (float)vocab);
	return text;
}

/* y = x w (+ y) ; dx = dy w.T (+ dx) ; dw = x.T dy */
static inline void times(const float *x, const struct weight *w, float *y)
{
	cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, TOKENS, w->cols, w->rows, 1, x, w->rows, w->w,
	        w->cols, 0, y, w->cols);
}

static inline void times_back(const float *x, struct weight *w, const float *dy, float *dx, float beta)
{
	cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, w->rows, w->cols, TOKENS, 1, x, w->rows, dy,
	        w->cols, 0, w->g, w->cols);
	cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, TOKENS, w->rows, w->cols, 1, dy, w->cols, w->w,
	        w->cols, beta, dx, w->rows);
}

static inline void norm(const float *x, float *y)
{
	for (int t = 0; t < TOKENS; t++, x += HIDDEN, y += HIDDEN) {
		float mean = 0, square = 0;
		for (int i = 0; i < HIDDEN; i++)
			mean += x[i] / HIDDEN;
		for (int i = 0; i < HIDDEN; i++)
			square += (x[i] - mean) * (x[i] - mean) / HIDDEN;
		float inverse = 1 / sqrtf(square + 1e-5f);
		for (int i = 0; i < HIDDEN; i++)
			y[i] = (x[i] - mean) * inverse;
	}
}

/* dx += the gradient of norm at x */
static inline void norm_back(const float *x, const float *dy, float *dx)
{
	for (int t = 0; t < TOKENS; t++, x += HIDDEN, dy += HIDDEN, dx += HIDDEN) {
		float mean = 0, square = 0, slope = 0, dmean = 0;
		for (int i = 0; i < HIDDEN; i++)
			mean += x[i] / HIDDEN;
		for (int i = 0; i < HIDDEN; i++)
			square += (x[i] - mean) * (x[i] - mean) / HIDDEN;
		float inverse = 1 / sqrtf(square + 1e-5f);
		for (int i = 0; i < HIDDEN; i++) {
			slope += dy[i] * (x[i] - mean) * inverse / HIDDEN;
			dmean += dy[i] / HIDDEN;
		}
		for (int i = 0; i < HIDDEN; i++)
			dx[i] += (dy[i] - dmean - (x[i] - mean) * inverse * slope) * inverse;
	}
}

static inline void plain_probabilities(struct plain *p, const float *q, const float *k)
{
	cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, SEQ, SEQ, HEAD, 1 / sqrtf(HEAD), q, HIDDEN, k,
	        HIDDEN, 0, p->p, SEQ);
	for (int i = 0; i < SEQ; i++) {
		float *row = p->p + i * SEQ, most = row[0], sum = 0;
		for (int j = 1; j <= i; j++)
			most = row[j] > most ? row[j] : most;
		for (int j = 0; j <= i; j++)
			sum += row[j] = expf(row[j] - most);
		for (int j = 0; j < SEQ; j++)
			row[j] = j <= i ? row[j] / sum : 0;
	}
}

static inline void attend(struct plain *p, struct plain_block *b)
{
	for (int s = 0; s < BATCH * HEAD_COUNT; s++) {
		int at = s / HEAD_COUNT * SEQ * HIDDEN + s % HEAD_COUNT * HEAD;
		plain_probabilities(p, b->xq + at, b->xk + at);
		cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SEQ, HEAD, SEQ, 1, p->p, SEQ,
		        b->xv + at, HIDDEN, 0, b->xo + at, HIDDEN);
	}
}

static inline void attend_back(struct plain *p, struct plain_block *b, const float *d)
{
	float scale = 1 / sqrtf(HEAD);
	for (int s = 0; s < BATCH * HEAD_COUNT; s++) {
		int at = s / HEAD_COUNT * SEQ * HIDDEN + s % HEAD_COUNT * HEAD;
		plain_probabilities(p, b->xq + at, b->xk + at);
		cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, SEQ, HEAD, SEQ, 1, p->p, SEQ, d + at,
		        HIDDEN, 0, p->dv + at, HIDDEN);
		cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, SEQ, SEQ, HEAD, 1, d + at, HIDDEN,
		        b->xv + at, HIDDEN, 0, p->ds, SEQ);
		for (int i = 0; i < SEQ; i++) {
			float sum = 0;
			for (int j = 0; j <= i; j++)
				sum += p->p[i * SEQ + j] * p->ds[i * SEQ + j];
			for (int j = 0; j < SEQ; j++)
				p->ds[i * SEQ + j] = p->p[i * SEQ + j] * (p->ds[i * SEQ + j] - sum);
		}
		cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SEQ, HEAD, SEQ, scale, p->ds, SEQ,
		        b->xk + at, HIDDEN, 0, p->dq + at, HIDDEN);
		cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, SEQ, HEAD, SEQ, scale, p->ds, SEQ,
		        b->xq + at, HIDDEN, 0, p->dk + at, HIDDEN);
	}
}

static inline float tanh_of(float x)
{
	return tanhf(0.7978845608f * (x + 0.044715f * x * x * x));
}

static inline void plain_block(struct plain *p, struct plain_block *b, const float *x)
{
	norm(x, b->n);
	times(b->n, &b->q, b->xq), times(b->n, &b->k, b->xk), times(b->n, &b->v, b->xv);
	attend(p, b);
	times(b->xo, &b->o, b->r);
	for (int i = 0; i < TOKENS * HIDDEN; i++)
		b->r[i] += x[i];
	norm(b->r, b->mid);
	times(b->mid, &b->up, b->u);
	for (int i = 0; i < TOKENS * WIDE; i++)
		b->act[i] = 0.5f * b->u[i] * (1 + tanh_of(b->u[i]));
	times(b->act, &b->down, b->x);
	for (int i = 0; i < TOKENS * HIDDEN; i++)
		b->x[i] += b->r[i];
}

/* p->d: the gradient of the block's output, then of its input */
static inline void plain_block_back(struct plain *p, struct plain_block *b, const float *x)
{
	times_back(b->act, &b->down, p->d, p->dwide, 0);
	for (int i = 0; i < TOKENS * WIDE; i++) {
		float u = b->u[i], t = tanh_of(u);
		p->dwide[i] *=
		        0.5f * (1 + t) + 0.5f * u * (1 - t * t) * 0.7978845608f * (1 + 3 * 0.044715f * u * u);
	}
	times_back(b->mid, &b->up, p->dwide, p->d2, 0);
	norm_back(b->r, p->d2, p->d);
	times_back(b->xo, &b->o, p->d, p->d3, 0);
	attend_back(p, b, p->d3);
	times_back(b->n, &b->q, p->dq, p->d2, 0), times_back(b->n, &b->k, p->dk, p->d2, 1),
	        times_back(b->n, &b->v, p->dv, p->d2, 1);
	norm_back(x, p->d2, p->d);
}

static inline void adam_step(struct weight *w, int t)
{
	float c1 = 1 - powf(0.9f, (float)t), c2 = 1 - powf(0.999f, (float)t);
	for (int i = 0; i < w->rows * w->cols; i++) {
		w->m[i] = 0.9f * w->m[i] + 0.1f * w->g[i];
		w->v[i] = 0.999f * w->v[i] + 0.001f * w->g[i] * w->g[i];
		w->w[i] -= 1e-3f * (w->m[i] / c1) / (sqrtf(w->v[i] / c2) + 1e-8f);
	}
}

/* logits := their gradient; returns the loss */
static inline float plain_loss(struct plain *p, const int *targets)
{
	float loss = 0;
	for (int t = 0; t < TOKENS; t++) {
		float *z = p->logits + t * p->vocab, most = z[0], sum = 0, wanted = z[targets[t]];
		for (int c = 1; c < p->vocab; c++)
			most = z[c] > most ? z[c] : most;
		for (int c = 0; c < p->vocab; c++)
			sum += z[c] = expf(z[c] - most);
		loss += logf(sum) + most - wanted;
		for (int c = 0; c < p->vocab; c++)
			z[c] = (z[c] / sum - (c == targets[t])) / TOKENS;
	}
	return loss / TOKENS;
}

/* One iteration: text[0 .. TOKENS], a token and its next */
static inline float plain_iteration(struct plain *p, const int *text)
{
	for (int i = 0; i < TOKENS * HIDDEN; i++)
		p->x0[i] = p->table.w[text[i / HIDDEN] * HIDDEN + i % HIDDEN] + p->pos.w[i % (SEQ * HIDDEN)];
	for (int i = 0; i < LAYERS; i++)
		plain_block(p, &p->block[i], i ? p->block[i - 1].x : p->x0);
	norm(p->block[LAYERS - 1].x, p->n);
	times(p->n, &p->head, p->logits);
	float loss = plain_loss(p, text + 1);
	times_back(p->n, &p->head, p->logits, p->d2, 0);
	memset(p->d, 0, TOKENS * HIDDEN * sizeof *p->d);
	norm_back(p->block[LAYERS - 1].x, p->d2, p->d);
	for (int i = LAYERS - 1; i >= 0; i--)
		plain_block_back(p, &p->block[i], i ? p->block[i - 1].x : p->x0);
	memset(p->table.g, 0, (size_t)(p->vocab * HIDDEN) * sizeof(float));
	memset(p->pos.g, 0, SEQ * HIDDEN * sizeof(float));
	for (int i = 0; i < TOKENS * HIDDEN; i++) {
		p->table.g[text[i / HIDDEN] * HIDDEN + i % HIDDEN] += p->d[i];
		p->pos.g[i % (SEQ * HIDDEN)] += p->d[i];
	}
	p->step++;
	adam_step(&p->table, p->step), adam_step(&p->pos, p->step), adam_step(&p->head, p->step);
	for (int i = 0; i < LAYERS; i++) {
		struct plain_block *b = &p->block[i];
		struct weight *of[] = {&b->q, &b->k, &b->v, &b->o, &b->up, &b->down};
		for (int k = 0; k < 6; k++)
			adam_step(of[k], p->step);
	}
	return loss;
}

#endif

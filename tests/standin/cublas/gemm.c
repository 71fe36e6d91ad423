/* gemm.c -- by the simulator's own matrix_product, so that the bits are the simulator's.
 *
 * A matrix by columns is its transpose by rows, so c := a b by columns is c' := b' a' by rows: the operands change
 * places, m and n too, and each is told as it lies. */
#include "standin/cublas/gemm.h"
#include "kernels/blas.h"

#include <stdlib.h>

/* `lines` lines of `length` elements, as f32: where they lie, or in *own */
static float *as_f32(const void *data, enum dtype type, int lines, int length, int ld, float **own)
{
	*own = NULL;
	if (type == DT_F32)
		return (float *)data;
	*own = malloc(sizeof **own * (size_t)lines * (size_t)length + 1);
	for (int line = 0; line < lines && *own; line++)
		dtype_to_f32(type, (const char *)data + 2 * (int64_t)line * ld, *own + (int64_t)line * length,
		        length);
	return *own;
}

/* op(x) has `rows` rows; it lies by columns, so a line is a column of x. */
static struct matrix told(const struct operand *x, int rows, int columns)
{
	int lines = x->transposed ? rows : columns, length = x->transposed ? columns : rows;
	struct matrix matrix = {.trans = x->transposed ? CblasTrans : CblasNoTrans};
	matrix.data = as_f32(x->data, x->type, lines, length, x->ld, &matrix.own);
	matrix.ld = matrix.own ? length : x->ld;
	return matrix;
}

static void scale(const struct gemm *gemm, struct matrix c)
{
	for (int column = 0; column < gemm->n; column++)
		for (int row = 0; row < gemm->m; row++) {
			float *x = &c.data[(int64_t)column * c.ld + row];
			*x = gemm->beta == 0 ? 0 : gemm->beta * *x;
		}
}

static void round_to(const struct gemm *gemm, struct matrix c)
{
	for (int column = 0; column < gemm->n; column++)
		dtype_from_f32(gemm->c_type, c.own + (int64_t)column * gemm->m,
		        (char *)gemm->c + 2 * (int64_t)column * gemm->ldc, gemm->m);
}

bool gemm_run(const struct gemm *gemm)
{
	if (gemm->m == 0 || gemm->n == 0)
		return true;
	struct matrix a = told(&gemm->a, gemm->m, gemm->k), b = told(&gemm->b, gemm->k, gemm->n), c;
	c.data = as_f32(gemm->c, gemm->c_type, gemm->n, gemm->m, gemm->ldc, &c.own);
	c.ld = c.own ? gemm->m : gemm->ldc;
	c.trans = CblasNoTrans;
	bool good = a.data && b.data && c.data;
	if (good && gemm->k == 0)
		scale(gemm, c);
	else if (good)
		matrix_product(gemm->n, gemm->m, gemm->k, gemm->alpha, b, a, gemm->beta, c);
	if (good && c.own)
		round_to(gemm, c);
	free(a.own);
	free(b.own);
	free(c.own);
	return good;
}

/* product.c -- the product of two matrices, as they are told to the BLAS */
#include "kernels/blas.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "kernels/kernel.h"

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

/* OpenBLAS's own; not in every cblas.h */
void openblas_set_num_threads(int threads);
char *openblas_get_corename(void);
void cblas_somatcopy(
        CBLAS_ORDER, CBLAS_TRANSPOSE, int rows, int columns, float, const float *, int ld, float *, int);

static bool unpacked; /* it has the kernels that matrix_product cuts its work for */

static void start(void)
{
	openblas_set_num_threads(1);
	unpacked = strstr("SkylakeX Cooperlake SapphireRapids", openblas_get_corename());
}

void kernels_start(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, start);
}

/* OpenBLAS maps a buffer for each of the products that run at the same time, and tries for ever if there is no room for it. So the
 * room is looked for before the first product. Where the address space is limited (ulimit -v) one product runs at a time, after a look
 * for room, until one was large enough to need the buffer: OpenBLAS keeps it for the next. */
static struct {
	pthread_mutex_t lock;
	bool looked, mapped;
} buffer = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool space_is_limited(void)
{
	struct rlimit space;
	return getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
}

/* Returns whether the product is the only one until buffer_leave. */
static bool buffer_enter(void)
{
	enum { BUFFER_BYTES = 128 << 20 };
	bool alone = space_is_limited();
	if (alone)
		pthread_mutex_lock(&buffer.lock);
	if (alone ? !buffer.mapped : !__atomic_exchange_n(&buffer.looked, true, __ATOMIC_RELAXED))
		mem_unmap(mem_map(BUFFER_BYTES), BUFFER_BYTES);
	return alone;
}

/* mapped: the product was large enough to need the buffer. */
static void buffer_leave(bool alone, bool mapped)
{
	if (!alone)
		return;
	buffer.mapped = buffer.mapped || mapped;
	pthread_mutex_unlock(&buffer.lock);
}

static float *element(struct matrix matrix, int64_t row, int64_t column)
{
	return matrix.data +
	        (matrix.trans == CblasTrans ? column * matrix.ld + row : row * matrix.ld + column);
}

/* A product with weights as small as a small model's is cut into parts. OpenBLAS packs its operands before it
 * multiplies: it copies them into the order of its loops, which large matrices repay and these do not. For
 * AVX-512 it also has kernels that do without, and takes them for up to MOST multiplications a call
 * (sgemm_small_kernel_permit_skylakex.c there). They are slow only where b is transposed, so w.T, small as
 * it is, is first copied to rows. All this takes three quarters of the time of one call:
 *
 *      y = x w         [512,64] = [512,64] [64,64]      16 parts: 32 rows of x and of y
 *      dx = dy w.T     [512,64] = [512,64] [64,64]      as well
 *      dw = x.T dy     [64,64] = [64,512] [512,64]      4 parts: 32 rows of dw, the sums over 256 of the 512
 *
 * The bits are mostly those of one call, as OpenBLAS also cuts the sums over 512 in two; they depend on the
 * shapes alone. Without such kernels, with large matrices or with few rows, it is one call. */
void matrix_product(
        int m, int n, int k, float scale, struct matrix a, struct matrix b, float beta, struct matrix y)
{
	enum { MOST = 1000000, WEIGHTS = 128 * 128, ROWS = 32, COLUMNS = 64, DEPTH = 256 };
	bool small = unpacked && m >= 64 && (double)n * (a.trans == CblasTrans ? m : k) <= WEIGHTS;
	float copy[WEIGHTS];

	if (small && a.trans == CblasNoTrans && b.trans == CblasTrans) {
		cblas_somatcopy(CblasRowMajor, CblasTrans, n, k, 1, b.data, b.ld, copy, n);
		b = (struct matrix){copy, NULL, n, CblasNoTrans};
	}
	bool parts = small && b.trans == CblasNoTrans && (double)m * n * k > MOST;
	int rows = parts ? ROWS : m, columns = parts ? COLUMNS : n, depth = parts ? DEPTH : k;
	bool alone = buffer_enter();
	for (int l = 0; l < k; l += depth)
		for (int i = 0; i < m; i += rows)
			for (int j = 0; j < n; j += columns)
				cblas_sgemm(CblasRowMajor, a.trans, b.trans, least_of(rows, m - i),
				        least_of(columns, n - j), least_of(depth, k - l), scale,
				        element(a, i, l), a.ld, element(b, l, j), b.ld, l ? 1 : beta,
				        element(y, i, j), y.ld);
	buffer_leave(alone, !parts && m > 1 && n > 1 && (double)m * n * k > MOST);
}

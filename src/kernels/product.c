/* product.c -- the product of two matrices, as BLAS calls
 *
 * OpenBLAS is opened by the first line that multiplies, because loading it takes longer than all
 * else at the start of a process. */
#include "kernels/blas.h"
#include "base/arithmetic.h"
#include "base/memory.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* OpenBLAS finds its 7,000 symbols in itself first, which halves the time to open it. */
#ifdef __SANITIZE_ADDRESS__ /* which does not allow it */
enum { BLAS_FLAGS = RTLD_LAZY };
#else
enum { BLAS_FLAGS = RTLD_LAZY | RTLD_DEEPBIND };
#endif

static struct {
	__typeof__(cblas_sgemm) *sgemm; /* NULL: OpenBLAS could not be opened */
	void (*somatcopy)(CBLAS_ORDER, CBLAS_TRANSPOSE, int rows, int columns, float, const float *, int ld,
	        float *, int);
	bool unpacked; /* it has the small-matrix kernels that matrix_product targets */
	char failure[300];
} blas;

/* The names of OpenBLAS: in our own packages, beside this program, from PyPI; on a system */
static const struct blas_name {
	const char *file, *prefix; /* of its symbols */
} names[] = {{"libscipy_openblas.so", "scipy_"}, {"libopenblas.so.0", ""}};

static void *blas_symbol(void *library, const char *prefix, const char *name)
{
	char symbol[64];
	snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
	return dlsym(library, symbol);
}

static void blas_load(void)
{
	const struct blas_name *at = names;
	void *library = dlopen(at->file, BLAS_FLAGS);
	void (*set_threads)(int threads);
	char *(*core)(void);
	if (!library)
		library = dlopen((++at)->file, BLAS_FLAGS);
	if (library) {
		*(void **)&blas.somatcopy = blas_symbol(library, at->prefix, "cblas_somatcopy");
		*(void **)&set_threads = blas_symbol(library, at->prefix, "openblas_set_num_threads");
		*(void **)&core = blas_symbol(library, at->prefix, "openblas_get_corename");
	}
	if (!library || !blas.somatcopy || !set_threads || !core) {
		const char *words = dlerror();
		snprintf(blas.failure, sizeof blas.failure, "%s", words ? words : "");
		return;
	}
	*(void **)&blas.sgemm = blas_symbol(library, at->prefix, "cblas_sgemm");
	set_threads(1);
	blas.unpacked = strstr("SkylakeX Cooperlake SapphireRapids", core());
}

const char *blas_open(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, blas_load);
	return blas.sgemm ? NULL : blas.failure;
}

/* OpenBLAS maps a buffer per concurrent product, and retries forever if memory is short. So the
 * first product checks for room. With limited address space (ulimit -v) products run one by one,
 * and each checks until one has needed the buffer, which stays mapped. */
static struct {
	pthread_mutex_t lock;
	bool looked, mapped;
} buffer = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Returns true if the lock is held: no other product may run. */
static bool buffer_enter(void)
{
	enum { BUFFER_BYTES = 128 << 20 };
	struct rlimit space;
	bool alone = getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
	if (alone)
		pthread_mutex_lock(&buffer.lock);
	if (alone ? !buffer.mapped : !__atomic_exchange_n(&buffer.looked, true, __ATOMIC_RELAXED))
		mem_unmap(mem_map(BUFFER_BYTES), BUFFER_BYTES);
	return alone;
}

static float *element(struct matrix matrix, int64_t row, int64_t column)
{
	return matrix.data +
	        (matrix.trans == CblasTrans ? column * matrix.ld + row : row * matrix.ld + column);
}

/* A product with small weights is cut into parts. OpenBLAS packs (copies) operands first, which
 * pays only for large matrices. For AVX-512 it has kernels without packing, which it uses up to
 * MOST multiplications per call (sgemm_small_kernel_permit_skylakex.c). They are slow for a
 * transposed b, so a small w.T is first copied to rows:
 *
 *      y = x w         [512,64] = [512,64] [64,64]      16 parts: 32 rows of x and of y
 *      dx = dy w.T     [512,64] = [512,64] [64,64]      the same
 *      dw = x.T dy     [64,64] = [64,512] [512,64]      4 parts: 32 rows of dw, sums over 256
 *
 * The bits depend only on the shapes. Without such kernels, and for large matrices or few rows, it
 * is one call. */
void matrix_product(
        int m, int n, int k, float scale, struct matrix a, struct matrix b, float beta, struct matrix y)
{
	enum { MOST = 1000000, WEIGHTS = 128 * 128, ROWS = 32, COLUMNS = 64, DEPTH = 256 };
	bool small = blas.unpacked && m >= 64 && (double)n * (a.trans == CblasTrans ? m : k) <= WEIGHTS;
	float copy[WEIGHTS];

	if (small && a.trans == CblasNoTrans && b.trans == CblasTrans) {
		blas.somatcopy(CblasRowMajor, CblasTrans, n, k, 1, b.data, b.ld, copy, n);
		b = (struct matrix){copy, NULL, n, CblasNoTrans};
	}
	bool parts = small && b.trans == CblasNoTrans && (double)m * n * k > MOST;
	int rows = parts ? ROWS : m, columns = parts ? COLUMNS : n, depth = parts ? DEPTH : k;
	bool alone = buffer_enter();
	for (int l = 0; l < k; l += depth)
		for (int i = 0; i < m; i += rows)
			for (int j = 0; j < n; j += columns)
				blas.sgemm(CblasRowMajor, a.trans, b.trans, least_of(rows, m - i),
				        least_of(columns, n - j), least_of(depth, k - l), scale,
				        element(a, i, l), a.ld, element(b, l, j), b.ld, l ? 1 : beta,
				        element(y, i, j), y.ld);
	if (!alone)
		return;
	/* large enough to have needed the buffer */
	buffer.mapped |= !parts && m > 1 && n > 1 && (double)m * n * k > MOST;
	pthread_mutex_unlock(&buffer.lock);
}

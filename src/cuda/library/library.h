/* library.h -- NVIDIA's libraries as one table of functions, opened when first needed.
 *
 * The binary is linked with none of them: the functions of functions.h are looked up and left in the table, where code calls them by their own names: `cuda->cuMemAlloc(&at, bytes)`. The tests' stand-in
 * is opened in their place (RANKSH_CUDA=DIR). An umbrella header: it brings along what it includes. */
#ifndef RANKSH_CUDA_LIBRARY_H
#define RANKSH_CUDA_LIBRARY_H

#include "cuda/library/cublas.h"
#include "cuda/library/driver.h"
#include "cuda/library/functions.h"
#include "cuda/library/nccl.h"
#include "cuda/library/nvrtc.h"

/* X(symbol, functions, what users call it) */
#define CUDA_PARTS(X)                                \
	X(DRIVER, CUDA_FUNCTIONS, "NVIDIA's driver") \
	X(CUBLAS, CUBLAS_FUNCTIONS, "cuBLAS")        \
	X(NCCL, NCCL_FUNCTIONS, "NCCL")              \
	X(NVRTC, NVRTC_FUNCTIONS, "NVRTC")
enum cuda_part {
#define X(symbol, functions, name) CUDA_PART_##symbol,
	CUDA_PARTS(X)
#undef X
	        CUDA_PART_COUNT
};

/* A zeroed one has nothing open. */
struct cuda_library {
	void *handles[CUDA_PART_COUNT]; /* dlopen's, NULL: not open */
	int driver_version;             /* MAJOR * 1000 + MINOR * 10, of CUDA: 13000 */
	int nccl_version;               /* MAJOR * 10000 + MINOR * 100 + PATCH: 22809 */
#define X(name, symbol, needed, result, parameters) result(*name) parameters;
	CUDA_FUNCTIONS(X) CUBLAS_FUNCTIONS(X) NCCL_FUNCTIONS(X) NVRTC_FUNCTIONS(X) CLOCK_FUNCTIONS(X)
#undef X
};

#endif

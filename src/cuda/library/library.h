/* library.h -- NVIDIA's libraries as one table of functions, opened when first needed.
 *
 * The binary is linked with none of them: cuda_library_open finds a library, looks up the functions of functions.h and
 * leaves them in the table, where code calls them by their own names: `cuda->cuMemAlloc(&at, bytes)`. The tests' stand-in
 * is opened in their place (RANKSH_CUDA=DIR). An umbrella header: it brings along what it includes. */
#ifndef RANKSH_CUDA_LIBRARY_H
#define RANKSH_CUDA_LIBRARY_H

#include "base/status.h"
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
	int progress;                   /* descriptor for a line of progress, set by the caller; 0: none */
#define X(name, symbol, needed, result, parameters) result(*name) parameters;
	CUDA_FUNCTIONS(X) CUBLAS_FUNCTIONS(X) NCCL_FUNCTIONS(X) NVRTC_FUNCTIONS(X) CLOCK_FUNCTIONS(X)
#undef X
};

/* Opens a library, the driver's first, if it is not open. ST_GPU says in a sentence which one is missing, where it was
 * looked for and what installs it, or that it is too old; what was open before still is, and nothing else. */
enum status cuda_library_open(struct cuda_library *library, enum cuda_part part);
/* Closes what is open. The table is a zeroed one then. */
void cuda_library_close(struct cuda_library *library);

/* The sentence about what the open NCCL does worse than a later one; NULL: nothing, or it is not open. */
const char *cuda_library_note(const struct cuda_library *library);

/* What a call returned, as a status: ST_DEVICE_MEMORY where the GPU is full, else ST_GPU, worded with the call's name,
 * the error's name and NVIDIA's sentence. ncclInProgress is no failure. */
enum status cuda_call(const struct cuda_library *library, const char *call, CUresult result);
enum status cublas_call(const struct cuda_library *library, const char *call, cublasStatus_t result);
enum status nccl_call(const struct cuda_library *library, const char *call, ncclResult_t result);
enum status nvrtc_call(const struct cuda_library *library, const char *call, nvrtcResult result);

/* A call by its name and arguments, as one of these: CUDA_CALL(cuda, cuMemAlloc, &at, bytes) */
#define CUDA_CALL(library, function, ...) cuda_call(library, #function, (library)->function(__VA_ARGS__))
#define CUBLAS_CALL(library, function, ...) cublas_call(library, #function, (library)->function(__VA_ARGS__))
#define NCCL_CALL(library, function, ...) nccl_call(library, #function, (library)->function(__VA_ARGS__))

/* Queues a kernel that takes one struct, by value. */
enum status cuda_launch(const struct cuda_library *library, CUfunction function, unsigned blocks,
        unsigned threads, const void *argument, CUstream stream);

/* Pinned memory of the host, zeroed, which the GPU reaches at `at`; the caller frees it (cuMemFreeHost). After a failure
 * *memory is NULL. */
enum status cuda_mapped_alloc(
        const struct cuda_library *library, size_t bytes, void **memory, CUdeviceptr *at);

#endif

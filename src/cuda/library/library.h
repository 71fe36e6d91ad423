/* library.h -- NVIDIA's libraries as one table of functions, opened on first use
 *
 * Code calls the functions of functions.h by their names: `cuda->cuMemAlloc(&at, bytes)`.
 * RANKSH_CUDA=DIR opens the tests' stand-in instead. An umbrella header. */
#ifndef RANKSH_CUDA_LIBRARY_H
#define RANKSH_CUDA_LIBRARY_H

#include "base/status.h"
#include "base/text.h"
#include "cuda/library/cublas.h"
#include "cuda/library/driver.h"
#include "cuda/library/functions.h"
#include "cuda/library/nccl.h"
#include "cuda/library/nvrtc.h"

enum cuda_part { CUDA_PART_DRIVER, CUDA_PART_CUBLAS, CUDA_PART_NCCL, CUDA_PART_NVRTC, CUDA_PART_COUNT };

/* A zeroed one has nothing open. */
struct cuda_library {
	void *handles[CUDA_PART_COUNT]; /* from dlopen; NULL: not open */
	int driver_version;             /* CUDA's, MAJOR * 1000 + MINOR * 10: 13000 */
	int nccl_version;               /* MAJOR * 10000 + MINOR * 100 + PATCH: 22809 */
	int progress;                   /* descriptor for the line of progress; 0: none */
#define X(name, symbol, needed, result, parameters) result(*name) parameters;
	CUDA_FUNCTIONS(X) CUBLAS_FUNCTIONS(X) NCCL_FUNCTIONS(X) NVRTC_FUNCTIONS(X) CLOCK_FUNCTIONS(X)
#undef X
};

/* Opens a library, and the driver before it, unless open. Fails with ST_GPU, which says what is
 * missing or too old, the folders that were searched, and what installs it; then nothing new is
 * open. */
enum status cuda_library_open(struct cuda_library *library, enum cuda_part part);
/* As cuda_library_open. After a failure `unusable`, unless NULL, has what is wrong with the first
 * file that was found; nothing if there is none. */
enum status cuda_library_try(struct cuda_library *library, enum cuda_part part, struct text *unusable);
const char *cuda_library_name(enum cuda_part part);
/* Returns pip's package with it, for the driver's version if that is known; NULL for the driver. */
const char *cuda_library_package(const struct cuda_library *library, enum cuda_part part);
/* Closes everything; the table is zeroed. */
void cuda_library_close(struct cuda_library *library);

int64_t cuda_real_now(void); /* CLOCK_MONOTONIC, ns, on the stand-in, too */

/* Convert a call's result to a status: ST_DEVICE_MEMORY if the GPU's memory is full, else ST_GPU,
 * with the call, the error's name and NVIDIA's text. ncclInProgress is ST_OK. */
enum status cuda_call(const struct cuda_library *library, const char *call, CUresult result);
enum status cublas_call(const struct cuda_library *library, const char *call, cublasStatus_t result);
enum status nccl_call(const struct cuda_library *library, const char *call, ncclResult_t result);
enum status nvrtc_call(const struct cuda_library *library, const char *call, nvrtcResult result);

/* Call a function of the table with that conversion: CUDA_CALL(cuda, cuMemAlloc, &at, bytes). */
#define CUDA_CALL(library, function, ...) cuda_call(library, #function, (library)->function(__VA_ARGS__))
#define CUBLAS_CALL(library, function, ...) cublas_call(library, #function, (library)->function(__VA_ARGS__))
#define NCCL_CALL(library, function, ...) nccl_call(library, #function, (library)->function(__VA_ARGS__))

/* Queues a kernel that takes one struct, by value. */
enum status cuda_launch(const struct cuda_library *library, CUfunction function, unsigned blocks,
        unsigned threads, const void *argument, CUstream stream);

/* Allocates pinned host memory, zeroed, which the GPU accesses at `at`; the caller frees it
 * (cuMemFreeHost). On failure *memory is NULL. */
enum status cuda_mapped_alloc(
        const struct cuda_library *library, size_t bytes, void **memory, CUdeviceptr *at);

/* a GPU; no context is made on it */
struct cuda_device {
	char name[96]; /* "NVIDIA H100" */
	CUuuid uuid;   /* the same in every process, whatever CUDA_VISIBLE_DEVICES is */
	int64_t bytes;
};
struct cuda_devices {
	struct cuda_device *items; /* by CUDA's ordinal */
	int count;
};

/* Opens and starts the driver and queries it. Fails with ST_GPU and an empty *devices if there is
 * no driver or no usable GPU. Up to 32 streams get a hardware queue of their own unless the user
 * sets CUDA_DEVICE_MAX_CONNECTIONS. Free with cuda_devices_release. */
enum status cuda_probe(struct cuda_library *library, struct cuda_devices *devices);
void cuda_devices_release(struct cuda_devices *devices);

/* ---- for tests */

/* Adds the folders to search for a library, one per line, in order; an empty line is the loader's
 * path. With RANKSH_CUDA it is that folder alone. root: a prefix for absolute paths, "" except in
 * tests */
void cuda_folders(struct text *folders, enum cuda_part part, const char *root);
/* Adds those of NVIDIA's PyPI packages in the environment into which pip installed this program:
 * program: its full path. None if it is not that of a wheel. */
void cuda_folders_beside(struct text *folders, const char *program);
/* Opens one library from those folders. */
enum status cuda_open_in(struct cuda_library *library, enum cuda_part part, const char *folders);

#endif

/* image.h -- the kernels as modules of the driver. An umbrella header.
 *
 * NVRTC compiles the embedded sources at the first start on a GPU, and the cache (cache.h) keeps
 * the code. A program of `make gpu` has a fat binary for each family; if the driver accepts them,
 * nothing is compiled. */
#ifndef RANKSH_CUDA_IMAGE_H
#define RANKSH_CUDA_IMAGE_H

#include "base/embedded.h"
#include "base/status.h"
#include "cuda/library/library.h"

#include <stdbool.h>

enum { IMAGE_MODULES_MAX = 32 };

/* A zeroed one has nothing loaded. */
struct image {
	struct cuda_library *cuda;
	CUmodule module[IMAGE_MODULES_MAX]; /* one per family */
	int modules;
};

/* The families' fat binaries, made by tools/fatbin and ended by a NULL path; none without `make
 * gpu` */
extern const struct embedded image_binaries[];

/* Opens NVRTC if image_load needs it. Fails with ST_GPU. */
enum status image_prepare(struct cuda_library *cuda);

/* Returns 90 for compute capability 9.0. Fails with ST_GPU. */
enum status image_architecture(struct cuda_library *cuda, CUdevice device, int *architecture);

/* Loads one family ("exchange" for exchange.cu), or all with NULL, into the current context.
 * architecture: of its device. Opens NVRTC if needed. On failure (ST_GPU) nothing stays loaded. */
enum status image_load(struct image *image, struct cuda_library *cuda, int architecture, const char *family);
/* Loads one family on GPU `ordinal`, and looks up functions; a NULL name ends the list. */
struct image_wanted {
	const char *name;
	CUfunction *function;
};
enum status image_load_family(struct image *image, struct cuda_library *cuda, int ordinal, const char *family,
        const struct image_wanted *wanted);
/* Fails with ST_GPU if there is no such function. */
enum status image_function(const struct image *image, const char *name, CUfunction *function);
void image_unload(struct image *image);

#endif

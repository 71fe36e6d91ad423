/* npy.h -- NumPy's .npy files: one tensor, C order, little endian (format:
 * numpy.org/neps/nep-0001-npy-format.html).
 *
 * Reads versions 1.0 to 3.0 of '<f4' '<f2' '<i4'; a file of shape () is [1]. Writes 1.0; bf16, which NumPy
 * lacks, is saved as f4. Every failure is ST_FILE with the path and what is wrong. */
#ifndef RANKSH_NPY_H
#define RANKSH_NPY_H

#include "base/dtype.h"
#include <stdio.h>

/* An open file: first its header, which the books need, then its data, which only the owner reads. A zeroed
 * struct may be closed. */
struct npy {
	FILE *file;
	char path[512];       /* for messages; cut when longer */
	struct layout layout; /* contiguous */
};
/* header only; the file is long enough for the data */
enum status npy_open(struct npy *npy, const char *path);
enum status npy_read(struct npy *npy, void *elements); /* layout_bytes(&npy->layout) bytes; once */
void npy_close(struct npy *npy);

/* elements: layout's, packed (layout_pack). Either the whole file is there afterwards or what was there
 * before. */
enum status npy_save(const char *path, const struct layout *layout, const void *elements);

/* Returns true if the file is one as npy_save writes them, whole and no byte longer. */
bool npy_whole(const char *path);

#endif

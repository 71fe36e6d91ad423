/* npy.h -- NumPy's .npy files: one tensor, C order, little endian
 * (numpy.org/neps/nep-0001-npy-format.html)
 *
 * Reads versions 1.0 to 3.0 with types '<f4' '<f2' '<i4' (also with `=`, `|` or nothing for `<`);
 * a shape () becomes [1]. Writes version 1.0, with bf16 as f4. Every failure is ST_FILE with path
 * and reason. */
#ifndef RANKSH_NPY_H
#define RANKSH_NPY_H

#include "base/dtype.h"
#include <stdio.h>

/* An open file. A zeroed struct may be closed. */
struct npy {
	FILE *file;
	char path[512];       /* for messages; may be cut */
	struct layout layout; /* contiguous */
};
/* Reads the header. Fails if the data is shorter than the shape; further bytes are ignored. */
enum status npy_open(struct npy *npy, const char *path);
/* Reads layout_bytes(&npy->layout) bytes. Call it once. */
enum status npy_read(struct npy *npy, void *elements);
void npy_close(struct npy *npy);

/* Writes the whole file, or leaves the old one. elements: packed (layout_pack) */
enum status npy_save(const char *path, const struct layout *layout, const void *elements);

/* Returns true if npy_open accepts the file and no byte follows its data. */
bool npy_whole(const char *path);

#endif

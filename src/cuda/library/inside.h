/* inside.h -- what the files of this folder share, and their tests */
#ifndef RANKSH_CUDA_LIBRARY_INSIDE_H
#define RANKSH_CUDA_LIBRARY_INSIDE_H

#include "base/text.h"
#include "cuda/library/library.h"

/* Adds the folders in which a library may be, a line each, the first to be asked first; an empty line is the loader's
 * path. With RANKSH_CUDA it is that folder alone. `root` is put before paths that begin at the root ("" but in tests). */
void cuda_folders(struct text *folders, enum cuda_part part, const char *root);
/* Opens one library from those folders, whatever is open. */
enum status cuda_open_in(struct cuda_library *library, enum cuda_part part, const char *folders);

#endif

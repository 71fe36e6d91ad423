/* folders.h -- what the files of library/ and their tests share */
#ifndef RANKSH_CUDA_LIBRARY_FOLDERS_H
#define RANKSH_CUDA_LIBRARY_FOLDERS_H

#include "base/text.h"
#include "cuda/library/library.h"

/* Adds the folders to search for a library, one per line, in order; an empty line is the loader's
 * path. With RANKSH_CUDA it is that folder alone. root: a prefix for absolute paths, "" except in
 * tests */
void cuda_folders(struct text *folders, enum cuda_part part, const char *root);
/* Opens one library from those folders. */
enum status cuda_open_in(struct cuda_library *library, enum cuda_part part, const char *folders);

#endif

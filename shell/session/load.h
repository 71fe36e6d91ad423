/* load.h -- tensors from files: NumPy's (base/npy.h), and texts as the numbers of their characters */
#ifndef RANKSH_LOAD_H
#define RANKSH_LOAD_H

#include "shell/session/shell.h"

/* dtype and shape by the file's header: rank 0's file, known to all processes afterwards. Changes nothing. */
enum status file_header(struct shell *shell, const char *path, struct layout *layout);
/* Fills tensor[i] (index into world.tensors, freshly made) of the i-th rank of `set` with the file's content,
 * as initial data (OP_FILL). */
enum status file_load(struct shell *shell, const char *path, const struct ranks *set, const int *tensor,
        const struct record *like);

#endif

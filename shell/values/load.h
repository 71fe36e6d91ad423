/* load.h -- files of numbers: what tensors and models are made from
 *
 * A file named *.npy is NumPy's (base/npy.h); all else is text, which becomes i32 [characters], each by its place
 * in the file's sorted vocabulary (base/characters.h). Rank 0 reads; what it finds, or its failure, is everyone's:
 * a file that only one machine of a cluster has would otherwise give each rank another model. */
#ifndef RANKSH_LOAD_H
#define RANKSH_LOAD_H

#include "shell/session/shell.h"

bool file_is_npy(const char *path);
/* dtype and shape. ST_FILE: no such file, empty, neither of the two kinds. Changes nothing. */
enum status file_header(struct shell *shell, const char *path, struct layout *layout);
/* Fills tensor[i] (index into world.tensors, freshly made) of the i-th rank of `set` with the file's content,
 * as initial data (OP_FILL, but for the tensor as `like` says). ST_FILE: it is not of that header any more. */
enum status file_load(struct shell *shell, const char *path, const struct layout *header,
        const struct ranks *set, const int *tensor, const struct record *like);

/* What models are trained on */
struct data_facts {
	int64_t count;   /* characters, or rows */
	int64_t vocab;   /* of a text; else 0 */
	int64_t in, out; /* columns of the samples and of the targets; a text has none: 0 */
};
enum status data_text(struct shell *shell, const char *path, struct data_facts *facts);
/* Two .npy files. ST_SHAPE: no rows of numbers, or not as many of samples as of targets. */
enum status data_pair(
        struct shell *shell, const char *samples, const char *targets, struct data_facts *facts);

#endif

/* load.h -- reads files of numbers for tensors and models
 *
 * *.npy files are NumPy's (base/npy.h); a text file is i32 [characters], indices into its sorted
 * vocabulary (base/characters.h). All functions but file_is_npy are collective: rank 0 reads, and
 * all receive the content, or the same failure. */
#ifndef RANKSH_LOAD_H
#define RANKSH_LOAD_H

#include "shell/session/shell.h"

bool file_is_npy(const char *path);
/* Reads dtype and shape; changes nothing. Fails with ST_FILE for a missing or empty file, and for
 * one in neither format. */
enum status file_header(struct shell *shell, const char *path, struct layout *layout);
/* Fills tensor[i] (an index into world.tensors) on the i-th rank of `set` by an operation like
 * `like`, an OP_FILL. Fails with ST_FILE if the file's size has changed since file_header. */
enum status file_load(struct shell *shell, const char *path, const struct layout *header,
        const struct ranks *set, const int *tensor, const struct record *like);

/* Training data */
struct data_facts {
	int64_t count;   /* characters, or rows */
	int64_t vocab;   /* of a text; else 0 */
	int64_t in, out; /* columns of samples and targets; 0 for a text */
};
enum status data_text(struct shell *shell, const char *path, struct data_facts *facts);
/* Reads two .npy files. Fails with ST_SHAPE unless both have rows of floats, equally many. */
enum status data_pair(
        struct shell *shell, const char *samples, const char *targets, struct data_facts *facts);

#endif

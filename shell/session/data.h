/* data.h -- what models are trained on, from files: a text as the numbers of its characters, or rows of .npy
 * files.
 *
 * `load F` reads both, by the file's name: *.npy is NumPy's, all else is text, which becomes i32
 * [characters]. Rank 0 reads; its bytes, or the failure, are everyone's. The vocabulary is that of the file,
 * sorted: base/characters.h. */
#ifndef RANKSH_DATA_FILE_H
#define RANKSH_DATA_FILE_H

#include "shell/session/shell.h"

struct data_facts {
	int64_t count;   /* characters, or rows */
	int vocab;       /* of a text; else 0 */
	int64_t in, out; /* columns of the samples and of the targets; a text has none: 0 */
};

/* What the file holds. ST_FILE: no such file, empty, binary. */
enum status data_text(struct shell *shell, const char *path, struct data_facts *facts);
/* ST_FILE: no .npy; ST_SHAPE: no rows of numbers, or not as many of samples as of targets. */
enum status data_pair(
        struct shell *shell, const char *samples, const char *targets, struct data_facts *facts);

/* False: the file is read as text. */
bool data_is_npy(const char *path);
/* i32 [characters] */
enum status data_text_header(struct shell *shell, const char *path, struct layout *layout);
/* bytes: of all ids; they are in `elements` of everybody then. */
enum status data_text_read(struct shell *shell, const char *path, void *elements, size_t bytes);

#endif

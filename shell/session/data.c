/* data.c -- texts and rows of numbers for `data` and `load`.
 *
 * Rank 0 reads, and its bytes, or its failure, are everyone's: a file that only one machine of a cluster
 * has would otherwise give each rank another model. A file read is noted with a digest, and a replay warns
 * when it has changed. */
#include "shell/session/data.h"
#include "base/characters.h"
#include "base/memory.h"
#include "mpi/plane.h"
#include "shell/session/load.h"
#include "shell/session/share.h"

#include <string.h>

bool data_is_npy(const char *path)
{
	size_t count = strlen(path);
	return count >= 4 && strcmp(path + count - 4, ".npy") == 0;
}

static enum status read_text(struct shell *shell, const char *path, struct characters *characters)
{
	char *bytes;
	size_t count;
	enum status status = shell_file(shell, path, &bytes, &count);
	if (status == ST_OK)
		status = characters_make(characters, path, bytes, count);
	if (status == ST_OK && (!shell->plane || plane_rank(shell->plane) == 0))
		shell_read_file(shell, path, bytes, count);
	mem_free(bytes);
	return status;
}

enum status data_text(struct shell *shell, const char *path, struct data_facts *facts)
{
	struct characters characters = {0};
	enum status status = read_text(shell, path, &characters);
	*facts = (struct data_facts){.count = characters.count, .vocab = characters.vocab};
	characters_release(&characters);
	return status;
}

enum status data_text_header(struct shell *shell, const char *path, struct layout *layout)
{
	struct data_facts facts;
	enum status status = data_text(shell, path, &facts);
	return status == ST_OK ? layout_make(layout, DT_I32, 1, &facts.count) : status;
}

enum status data_text_read(struct shell *shell, const char *path, void *elements, size_t bytes)
{
	struct characters characters = {0};
	enum status status = read_text(shell, path, &characters);
	if (status == ST_OK && (size_t)characters.count * sizeof *characters.id != bytes)
		status = fail(ST_FILE, "%s: it has changed meanwhile", path);
	if (status == ST_OK)
		memcpy(elements, characters.id, bytes);
	characters_release(&characters);
	return status;
}

/* ---- pairs of .npy files ---- */

static enum status not_rows(const char *path, const struct layout *layout)
{
	return fail(ST_SHAPE, "%s is %s %s: wanted are rows of numbers, [rows,columns] of f32 or f16", path,
	        dtype_name((enum dtype)layout->dtype), shape_text(layout).text);
}

static enum status read_rows(struct shell *shell, const char *path, int64_t *rows, int64_t *columns)
{
	struct layout layout;
	enum status status = file_header(shell, path, &layout);
	if (status == ST_OK && (layout.dims != 2 || layout.dtype == DT_I32))
		status = not_rows(path, &layout);
	*rows = status == ST_OK ? layout.dim[0] : 0;
	*columns = status == ST_OK ? layout.dim[1] : 0;
	return status;
}

enum status data_pair(struct shell *shell, const char *samples, const char *targets, struct data_facts *facts)
{
	int64_t rows = 0;
	*facts = (struct data_facts){0};
	enum status status = read_rows(shell, samples, &facts->count, &facts->in);
	if (status == ST_OK)
		status = read_rows(shell, targets, &rows, &facts->out);
	if (status == ST_OK && rows != facts->count)
		status = fail(ST_SHAPE,
		        "%s has %lld rows, %s has %lld: each row of samples wants its row of targets",
		        samples, (long long)facts->count, targets, (long long)rows);
	return status;
}

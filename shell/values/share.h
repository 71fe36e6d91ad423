/* share.h -- shares one process's data or outcome with all, collectively; and decides which files
 * a line may replace: those that such a line wrote, and others with `force` */
#ifndef RANKSH_SHARE_H
#define RANKSH_SHARE_H

#include "shell/session/shell.h"

struct output_kind {
	const char *is;     /* "file of `plot`" */
	const char *begins; /* the first bytes of such a file; NULL: unknown */
	/* or: returns true if a regular file is of this kind; may be NULL */
	bool (*is_own)(const char *path);
};

/* A file to be written; texts borrowed */
struct output {
	const char *path;
	const struct output_kind *kind;
	const char *line; /* without `force`: "plot loss \"my loss.svg\"" */
	bool force;
};

/* Asks on this process alone. Fails with ST_FILE unless the file is missing, empty or of this
 * kind; with force, any regular file passes, and a link to one or to nothing. */
enum status may_replace(const struct output *output);

/* Fails with ST_FILE within a lesson's own lines. */
enum status shell_may_write(const struct shell *shell, const char *path);
/* Rank 0 writes the file, except in a replay; all return its outcome. Fails with ST_FILE as
 * shell_may_write and may_replace do, unless the file already has these bytes. */
enum status shell_write(struct shell *shell, const struct output *output, const struct text *text);
/* Records the outcome of writing a file, which is the same on all processes. A replay, which
 * writes nothing, returns ST_FILE if the recorded outcome was a refusal; else `status`. */
enum status shell_written(struct shell *shell, const char *path, enum status status);
/* The same for the outcome of may_replace, before the line has effects. */
enum status shell_replaces(struct shell *shell, const char *path, enum status status);
/* The following are collective; `mine` is this process's outcome.
 *
 * Returns the outcome of process `owner`, with its message. */
enum status shell_agree(struct shell *shell, int owner, enum status mine);
/* Returns the failure of the first process that failed. */
enum status shell_agree_all(struct shell *shell, enum status mine);
/* Replaces bytes[count] by rank 0's, or returns rank 0's failure. */
enum status shell_spread(struct shell *shell, enum status mine, void *bytes, size_t count);
/* Shows rank 0's words on all, or returns rank 0's failure. */
enum status shell_say_found(struct shell *shell, enum status mine, const struct text *words);
/* Fails with ST_FILE because this session reads no files (files.none). */
enum status shell_no_file(const char *path);
/* Rank 0 reads the file; all receive its bytes (free with mem_free) and record the read. */
enum status shell_file(struct shell *shell, const char *path, char **bytes, size_t *count);

/* Reads on this process alone; the caller frees *bytes with mem_free. Fails with ST_FILE if it is
 * no regular file, and with ST_LIMIT from 64 MB on. */
enum status read_file(const char *path, char **bytes, size_t *count);

#endif

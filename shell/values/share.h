/* share.h -- shares one process's data or outcome with all; collective. A line may replace a file
 * written by such a line; other files need `force`. */
#ifndef RANKSH_SHARE_H
#define RANKSH_SHARE_H

#include "shell/session/shell.h"

struct output_kind {
	const char *is;     /* "file of `plot`" */
	const char *begins; /* its first bytes; NULL: no such check */
	/* or returns true for such a regular file; may be NULL */
	bool (*is_own)(const char *path);
};

/* A file to be written; texts borrowed */
struct output {
	const char *path;
	const struct output_kind *kind;
	const char *line; /* without `force`: "plot loss \"my loss.svg\"" */
	bool force;
};

/* On this process alone. ST_OK if the file is missing, empty or of this kind; with force also for
 * any regular file, and for a link to one or to nothing. ST_FILE names the obstacle. */
enum status may_replace(const struct output *output);

/* Fails with ST_FILE within a lesson's own lines. */
enum status shell_may_write(const struct shell *shell, const char *path);
/* Rank 0 writes the file, except in a replay; all return its outcome. Fails with ST_FILE as
 * shell_may_write and may_replace do, unless the file has these bytes already. */
enum status shell_write(struct shell *shell, const struct output *output, const struct text *text);
/* `status`: the outcome of writing the file, the same on all. Keeps a refusal as a steering value,
 * with which a replay, which writes nothing, is refused again: ST_FILE. */
enum status shell_written(struct shell *shell, const char *path, enum status status);
/* The same for may_replace, before the line has effects. */
enum status shell_replaces(struct shell *shell, const char *path, enum status status);
/* Shares process `owner`'s outcome `mine`, with its words. */
enum status shell_agree(struct shell *shell, int owner, enum status mine);
/* The outcome of the first process that failed becomes everyone's. */
enum status shell_agree_all(struct shell *shell, enum status mine);
/* Rank 0's `count` bytes, or its failure `mine`, become everyone's. */
enum status shell_spread(struct shell *shell, enum status mine, void *bytes, size_t count);
/* Says rank 0's words everywhere, or shares its failure. */
enum status shell_say_found(struct shell *shell, enum status mine, const struct text *words);
/* ST_FILE: this session reads no files (files.none) */
enum status shell_no_file(const char *path);
/* Rank 0 reads the file; all receive its bytes (free with mem_free) and record the read. */
enum status shell_file(struct shell *shell, const char *path, char **bytes, size_t *count);

/* Reads on this process alone. ST_FILE: not a regular file; ST_LIMIT: above 64 MB. */
enum status read_file(const char *path, char **bytes, size_t *count);

#endif

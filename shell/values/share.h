/* share.h -- what one process knows becomes everyone's. All of it is collective: every process calls it at the same
 * place, and none goes on before it knows the outcome. */
#ifndef RANKSH_SHARE_H
#define RANKSH_SHARE_H

#include "shell/values/replace.h"
#include "shell/session/shell.h"

/* ST_FILE: the line at hand is a lesson's own, which writes no file */
enum status shell_may_write(const struct shell *shell, const char *path);
/* Rank 0 writes the file (not where lines run again); everyone learns how it went. ST_FILE too, as shell_may_write and may_replace
 * say; a file that has these bytes already is no failure. */
enum status shell_write(struct shell *shell, const struct output *output, const struct text *text);
/* What lies on a disk decides how a line goes on: `status` is everyone's outcome of writing the file. A refusal is kept as
 * a value that steered the line, and one that runs again, and writes nothing, is refused here again: ST_FILE. */
enum status shell_written(struct shell *shell, const char *path, enum status status);
/* The same for the outcome of may_replace, before the line has done anything. */
enum status shell_replaces(struct shell *shell, const char *path, enum status status);
/* One process's outcome becomes everyone's: `mine` of process `owner`, with its words. */
enum status shell_agree(struct shell *shell, int owner, enum status mine);
/* Rank 0's `count` bytes, or its failure `mine`, become everyone's. */
enum status shell_spread(struct shell *shell, enum status mine, void *bytes, size_t count);
/* What rank 0 has put in words, or its failure `mine`, said by all */
enum status shell_say_found(struct shell *shell, enum status mine, const struct text *words);
/* ST_FILE: of a session in which none is read (shell->files.none) */
enum status shell_no_file(const char *path);
/* Rank 0 reads the file, everyone gets the bytes (mem_free) and notes that it was read. */
enum status shell_file(struct shell *shell, const char *path, char **bytes, size_t *count);

/* On this process alone. ST_FILE: no regular file, which might never end; ST_LIMIT: more than 64 MB. */
enum status read_file(const char *path, char **bytes, size_t *count);

#endif

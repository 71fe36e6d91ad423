/* share.h -- what one process knows becomes everyone's */
#ifndef RANKSH_SHARE_H
#define RANKSH_SHARE_H

#include "shell/session/shell.h"

/* Rank 0 reads the file, everyone gets the bytes (mem_free). */
enum status shell_file(struct shell *shell, const char *path, char **bytes, size_t *count);
/* Rank 0 writes the file (not where lines run again); everyone learns how it went. */
enum status shell_write(struct shell *shell, const char *path, const struct text *text);
/* One process's outcome becomes everyone's: `mine` of process `owner`, with its words. */
enum status shell_agree(struct shell *shell, int owner, enum status mine);

#endif

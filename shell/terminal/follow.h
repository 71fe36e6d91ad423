/* follow.h -- reads another session's journal while it grows, from a pipe or a polled file */
#ifndef RANKSH_TERMINAL_FOLLOW_H
#define RANKSH_TERMINAL_FOLLOW_H

#include "shell/session/options.h"
#include "shell/terminal/journal_file.h"

struct follow {
	const char *path;         /* as typed; "-": descriptor 0 */
	const char *name;         /* for messages */
	struct journal_file told; /* the session according to the lines read so far */
	int file;                 /* -1: not open */
	bool pipe;
	struct text bytes;
	size_t taken; /* bytes returned as lines */
	int64_t size; /* bytes read in all */
	size_t lines;
	int nap_ms; /* interval until the next read */
};

/* Opens `path`; "-" is descriptor 0, which /dev/tty then replaces. Fails with ST_FILE. */
enum status follow_open(struct follow *follow, const char *path);
/* Returns in *line the next whole line without its newline, valid until the next call; NULL if it
 * is incomplete: ask again after nap_ms. Fails, worded, with ST_QUIT (the pipe has ended) or
 * ST_FILE (the file was replaced or has become shorter). */
enum status follow_take(struct follow *follow, const char **line, size_t *count);
/* Waits for the first line: a session with this version of ranksh that agrees with the given
 * options (n, machine, dry). Fails with ST_FILE or ST_ARGUMENT. */
enum status follow_head(struct follow *follow, const struct options *options);
/* Closes the source. */
void follow_release(struct follow *follow);

#endif

/* follow.h -- another session's journal, read as it grows: from a file, also one of a shared folder, where nobody tells of
 * changes, or from a pipe. */
#ifndef RANKSH_TERMINAL_FOLLOW_H
#define RANKSH_TERMINAL_FOLLOW_H

#include "shell/session/options.h"
#include "shell/terminal/journal_file.h"

struct follow {
	const char *path;         /* as typed; "-": descriptor 0 */
	const char *name;         /* for messages */
	struct journal_file told; /* what the lines so far say */
	int file;                 /* -1: none is open */
	bool pipe;                /* it ends, and cannot be read again */
	struct text bytes;        /* read, */
	size_t taken;             /* of which so many were taken as lines */
	int64_t size;             /* bytes read in all */
	size_t lines;             /* lines taken */
	int nap_ms;               /* until it is looked at again */
};

/* Opens what `path` names; "-" is what is at descriptor 0, where /dev/tty takes its place if there is one. */
enum status follow_open(struct follow *follow, const char *path);
/* The next whole line, without its newline: *line, which holds until the next call; NULL: it has not come yet, and nap_ms
 * says when to ask again. ST_QUIT: the pipe has ended, ST_FILE: the file is not what it was, both with words. */
enum status follow_take(struct follow *follow, const char **line, size_t *count);
/* Waits for the first line, which says what the session is: it is to be one of this ranksh, and what the options say, if
 * they do (n, machine, dry). */
enum status follow_head(struct follow *follow, const struct options *options);
/* Closes it; what it told goes, too. */
void follow_release(struct follow *follow);

#endif

/* roll.h -- all sessions of a class: the files in its folder, read incrementally */
#ifndef RANKSH_CLASS_ROLL_H
#define RANKSH_CLASS_ROLL_H

#include "shell/course/class/class_file.h"
#include "shell/course/class/rules.h"
#include <sys/types.h>

enum { SESSIONS_MOST = 2000 };
struct class_session {
	char *file; /* owned */
	struct class_head head;
	struct class_event *event; /* owned, as are their texts */
	size_t events;
	int64_t grew; /* last modification, by the disk's clock: seconds since 1970 */

	/* the reader's state */
	off_t read;
	ino_t inode;
	struct text half; /* incomplete last line */
	bool spoiled;     /* not a session's file */
	bool seen;        /* present at the last reading */
};
struct roll {
	const char *folder;
	struct class_session *session; /* sorted by file name */
	size_t sessions;
	struct class_rules rules; /* from the file `class`, as last read */
	struct text mistake;      /* first error in that file; "": none */
};

/* Reads additions, and drops sessions whose files are gone; *changed: there were any of these.
 * Fails with ST_FILE if the folder cannot be read; *roll then keeps its contents. */
enum status roll_read(struct roll *roll, bool *changed);
/* Reads the folder's file `class`. Fails with ST_FILE, and *rules stay; with ST_SYNTAX for the
 * first mistake, and takes the other lines. */
enum status roll_rules(const char *folder, struct class_rules *rules);
void roll_release(struct roll *roll);

#endif

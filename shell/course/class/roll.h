/* roll.h -- all sessions of a class: the files of its folder, read incrementally */
#ifndef RANKSH_CLASS_ROLL_H
#define RANKSH_CLASS_ROLL_H

#include "shell/course/class/class_file.h"
#include "shell/course/class/rules.h"
#include <sys/types.h>

enum { SESSIONS_MOST = 2000 };
struct class_session {
	char *file; /* its name in the folder; owned */
	struct class_head head;
	struct class_event *event; /* owned, with their texts */
	size_t events;
	int64_t grew; /* when the file was last written, by its disk's clock: seconds since 1970 */

	/* the state of reading */
	off_t read;
	ino_t inode;
	struct text half; /* the incomplete last line */
	bool spoiled;     /* not a file of a session */
	bool seen;        /* in the folder at the last look */
};
struct roll {
	const char *folder;
	struct class_session *session; /* sorted by file name */
	size_t sessions;
	struct class_rules rules; /* of the file `class`, as last read */
	struct text mistake;      /* in that file; "": none */
};

/* Reads additions, and sets *changed if there are any. Fails with ST_FILE if the folder cannot be
 * read; the contents of *roll stay. */
enum status roll_read(struct roll *roll, bool *changed);
/* Reads the file `class` of a folder. Fails with ST_FILE if it cannot be read, and leaves
 * *rules as they are; with ST_SYNTAX for the first mistake, and takes the other lines. */
enum status roll_rules(const char *folder, struct class_rules *rules);
void roll_release(struct roll *roll);

#endif

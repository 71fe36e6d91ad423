/* roll.h -- all sessions of a class: the files of its folder, read as they grow */
#ifndef RANKSH_CLASS_ROLL_H
#define RANKSH_CLASS_ROLL_H

#include "shell/course/class/class_file.h"
#include "shell/course/class/rules.h"
#include <sys/types.h>

enum { SESSIONS_MOST = 2000 };
struct class_session {
	char *file; /* its name in the folder; owned */
	struct class_head head;
	struct class_event *event; /* owned, as their texts are */
	size_t events;
	int64_t grew; /* when the file was last written, by its disk's clock: seconds since 1970 */

	/* how far it was read */
	off_t read;
	ino_t inode;
	struct text half; /* the beginning of a line */
	bool spoiled;     /* no file of a session */
	bool seen;        /* still there */
};
struct roll {
	const char *folder;
	struct class_session *session; /* by their files' names */
	size_t sessions;
	struct class_rules rules; /* of the file `class`, as it was last read */
	struct text mistake;      /* in it; "" none */
};

/* What is new there. *changed: something is. ST_FILE: the folder cannot be read; what was read stays. */
enum status roll_read(struct roll *roll, bool *changed);
/* What the file `class` of a folder says now in the place of what it said. ST_FILE: there is none, or it cannot be read for the moment,
 * and *rules stays; ST_SYNTAX: a mistake in it, and the rest counts. */
enum status roll_rules(const char *folder, struct class_rules *rules);
void roll_release(struct roll *roll);

#endif

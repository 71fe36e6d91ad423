/* roll.h -- a class's folder: a file for each session of a learner (docs/guide/classes.md)
 *
 * Each session is the only writer of its own file, because shared disks do not order appends:
 *
 *     {"ranksh":"0.1","class":1,"name":"ada","id":"5f0c...","at":"2025-03-01T10:15:00+0100"}
 *     {"what":"open","task":"1.1","words":"Queue it","at":"...","seconds":4}
 *     {"what":"check","task":"1.1","words":"y1 is not x w","lines":"y1 = relu x\n","typed":1,...}
 *
 * A line is one write(2); seconds count from the session's start. */
#ifndef RANKSH_CLASS_ROLL_H
#define RANKSH_CLASS_ROLL_H

#include "shell/course/class/rules.h"

#include <sys/types.h>

enum { CLASS_VERSION = 1, CLASS_LINES_MOST = 4000, CLASS_NAME_MOST = 60 };
extern const char class_suffix[];

/* The first line; texts owned */
struct class_head {
	struct text name, id; /* id: differs between learners with the same name */
	struct text at;       /* start time, by the learner's clock */
	int class;            /* CLASS_VERSION; 0: not a file of ranksh */
};
struct class_event {
	struct text what, task; /* "check", "4.2" */
	struct text words;      /* of a check: "right", or the first mistake */
	struct text lines;      /* of a check: lines typed since the previous check, truncated */
	struct text at;
	int typed; /* number of lines */
	int64_t seconds;
};
void class_head_release(struct class_head *head);
void class_event_release(struct class_event *event);

/* Read a line (no newline) into a zeroed *head or *event. Return false if it is none. */
bool class_head_read(struct class_head *head, const char *line, size_t count);
bool class_event_read(struct class_event *event, const char *line, size_t count);

struct class_file {
	int descriptor; /* -1: closed, later events are dropped */
	int64_t began_ns;
	char path[1200];
};
/* Fails with ST_ARGUMENT and the reason if a learner cannot have this name. */
enum status class_file_name(const char *name);
/* Creates a file. Fails with ST_FILE. */
enum status class_file_open(struct class_file *file, const char *folder, const char *name, const char *id);
/* Writes the event and the time. Fails with ST_FILE at the first error only. */
enum status class_file_event(struct class_file *file, struct class_event *event);
void class_file_close(struct class_file *file);
/* Adds the current time in the files' format. */
void class_now(struct text *at);

/* ---- roll.c: all sessions of a class */

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

/* Reads additions, and drops sessions whose files are gone; *changed: something did. Fails with
 * ST_FILE if the folder cannot be read; *roll then keeps its contents. */
enum status roll_read(struct roll *roll, bool *changed);
/* Reads the folder's file `class`. Fails with ST_FILE, without changing *rules; with ST_SYNTAX for
 * the first mistake, after it has read the other lines. */
enum status roll_rules(const char *folder, struct class_rules *rules);
void roll_release(struct roll *roll);

#endif

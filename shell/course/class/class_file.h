/* class_file.h -- what a learner has done, in a file of the class's folder
 *
 * One file a session, made by it alone (O_EXCL) and written by it alone, since shared disks do not append in turns:
 *
 *     {"ranksh":"0.1","class":1,"name":"ada","id":"5f0c...","at":"2025-03-01T10:15:00+0100"}
 *     {"what":"open","task":"1.1","words":"Queue it","at":"...","seconds":4}
 *     {"what":"check","task":"1.1","words":"y1 is not x w","lines":"y1 = relu x\n","typed":1,...}
 *
 * A line is one write(2); seconds are since the session's start. docs/classes.md has all that there can be. */
#ifndef RANKSH_CLASS_FILE_H
#define RANKSH_CLASS_FILE_H

#include "base/status.h"
#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

enum { CLASS_VERSION = 1, CLASS_LINES_MOST = 4000, CLASS_NAME_MOST = 60 };
extern const char class_suffix[]; /* of the files' names */

/* The first line; texts owned. */
struct class_head {
	struct text name, id; /* id: of the learner's computer or home, so that two of one name are two */
	struct text at;       /* when, by the learner's clock */
	int class;            /* CLASS_VERSION; 0: no file of ours */
};
struct class_event {
	struct text what, task; /* "check", "4.2": docs/classes.md */
	struct text words;      /* a check: "right", or what is wrong */
	struct text lines;      /* a check: lines typed since the one before; cut */
	struct text at;
	int typed; /* so many lines */
	int64_t seconds;
};
void class_head_release(struct class_head *head);
void class_event_release(struct class_event *event);

/* A line of a file, without its newline. false: it is none of those. *head, *event: zeroed. */
bool class_head_read(struct class_head *head, const char *line, size_t count);
bool class_event_read(struct class_event *event, const char *line, size_t count);

struct class_file {
	int descriptor;   /* -1: nothing is written */
	int64_t began_ns; /* by wall_ns */
	char path[1200];
};
/* ST_ARGUMENT: it could not be a learner's name, and why. */
enum status class_file_name(const char *name);
/* A new file. ST_FILE: none can be made there. */
enum status class_file_open(struct class_file *file, const char *folder, const char *name, const char *id);
/* Writes the event, at the present time. ST_FILE once: the file cannot be written, or is gone; nothing is written from then on. */
enum status class_file_event(struct class_file *file, struct class_event *event);
void class_file_close(struct class_file *file);
/* The time of day by this computer's clock, as files have it */
void class_now(struct text *at);

#endif

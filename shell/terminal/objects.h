/* objects.h -- the lines of JSON that --json prints (docs/guide/json.md) */
#ifndef RANKSH_OBJECTS_H
#define RANKSH_OBJECTS_H

#include "shell/terminal/talk.h"

enum { OBJECTS_VERSION = 1 };
struct session;
struct objects {
	int line; /* number of the current input line, from 1; 0: before the first */
};

/* Each prints an object; if the reader has left, signal_end(). */
void objects_start(const struct objects *objects, const struct session *session);
void objects_say(const struct objects *objects, const struct saying *saying);
/* Prints the line's lesson events, then its end. */
void objects_done(const struct objects *objects, const struct session *session, enum status status);
void objects_end(const struct objects *objects, int code);

#endif

/* watch.h -- who looks at the statements of the learner as they run: a task, which refuses some and keeps what was typed
 *
 *     y = matmul x w            before: may it?   (it runs)   after: it is one of the lines typed
 *     repeat 4 { set launch=0 } before the repeat, before each `set`;         after: the repeat, with its block
 *
 * Lines of a strategy's or a model's file are not the learner's, nor are those of `own_file`, under whose name a task's starter runs. */
#ifndef RANKSH_SESSION_WATCH_H
#define RANKSH_SESSION_WATCH_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>

struct shell;
struct statement;
struct watch {
	const void *of; /* whose these are */
	const char *
	        own_file; /* lines of a text of that name are not the learner's: a task's own; defs of it too */
	/* A statement is about to run: ST_OK, or its refusal, worded. NULL: any may */
	enum status (*before)(struct shell *shell, const struct statement *statement);
	/* One of the outermost is over: all of its text, and the number of its line. NULL: nobody wants it */
	void (*after)(struct shell *shell, const char *text, size_t count, int line, enum status status);
	bool program_alone; /* looks and commands of the session do nothing */
};

#endif

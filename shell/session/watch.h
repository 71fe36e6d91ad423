/* watch.h -- a task watches the learner's statements: refuses some, keeps what was typed
 *
 *     y = matmul x w            before: may it?   (it runs)   after: one of the typed lines
 *     repeat 4 { set launch=0 } before the repeat, before each `set`;   after: repeat and block
 *
 * Lines from strategies, models and `own_file` (a task's starter) are not watched. */
#ifndef RANKSH_SESSION_WATCH_H
#define RANKSH_SESSION_WATCH_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>

struct shell;
struct statement;
struct watch {
	const void *of;       /* their owner */
	const char *own_file; /* the task's own text and its defs */
	/* Returns ST_OK or a worded refusal; may be NULL. */
	enum status (*before)(struct shell *shell, const struct statement *statement);
	/* After an outermost statement: its text and line number; may be NULL. */
	void (*after)(struct shell *shell, const char *text, size_t count, int line, enum status status);
	bool program_alone; /* read-only and session commands have no effect */
};

#endif

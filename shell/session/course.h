/* course.h -- how the shell calls the course (shell/course/): by functions that main.c puts into
 * shell->course.functions; NULL in a sandbox */
#ifndef RANKSH_SESSION_COURSE_H
#define RANKSH_SESSION_COURSE_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>

struct learning;
struct options;
struct shell;
struct statement;
struct text;

struct course {
	/* ---- in a process of the job */
	/* Create and free the course's state, before the world is made and before it is freed. */
	void (*open)(struct shell *shell, const struct options *options);
	void (*close)(struct shell *shell);
	/* Receives the tasks solved in earlier sessions: "1.1 4.2". */
	void (*solved)(struct shell *shell, const char *tasks, size_t count);
	/* Called when a prompt line begins. */
	void (*line)(struct shell *shell);
	/* Called after a line has emptied the world. */
	void (*emptied)(struct shell *shell);
	/* Called before the journal's lines of this world, or of all worlds (whole), run again. */
	void (*again)(struct shell *shell, bool whole);
	/* Returns true if the course's lines in this world are hidden. */
	bool (*hides_start)(const struct shell *shell);
	/* Returns true if Enter on an empty line means `next`. */
	bool (*goes_on)(const struct shell *shell);
	/* Appends the open task: "task 4.2", "task 2 of F.rsh", or nothing. */
	void (*task)(const struct shell *shell, struct text *out);
	/* Moves the learner's actions since the last call to `events`: "WHAT<tab>TASK<tab>WORDS\n"
	 * each. */
	void (*events)(struct shell *shell, struct text *events);
	/* Runs --grade or --check-lessons; counts failures in shell->expect.failed. */
	enum status (*run)(struct shell *shell, const struct options *options);

	/* ---- in the front end: the learner's record */
	/* state: the journals' folder; NULL: no record. Appends lines to show to `told`. */
	struct learning *(*learning_open)(
	        const struct options *options, const char *state, struct text *told);
	/* Records a line and its events. Fails with ST_FILE, once, if it cannot write. */
	enum status (*learning_line)(struct learning *learning, const char *line, const char *events);
	/* Returns the tasks solved so far: "1.1 4.2 ". */
	const char *(*learning_solved)(const struct learning *learning);
	/* Returns the learner's name in the class; NULL without a class. */
	const char *(*learning_name)(const struct learning *learning);
	void (*learning_close)(struct learning *learning);
};

/* An open task watches the learner's statements: it may refuse one, and records the lines typed
 *
 *     y = matmul x w            before: may it?   (it runs)   after: one of the typed lines
 *     repeat 4 { set launch=0 } before the repeat, before each `set`;   after: repeat and block
 *
 * Lines from strategies, models and `own_file` (a task's starter) are not watched. */
struct watch {
	const void *of;       /* the owner of the watch */
	const char *own_file; /* the task's own text and its defs */
	/* Called before each statement. Returns ST_OK, or a refusal with its message; may be
	 * NULL. */
	enum status (*before)(struct shell *shell, const struct statement *statement);
	/* Called after an outermost statement, with its text and line number; may be NULL. */
	void (*after)(struct shell *shell, const char *text, size_t count, int line, enum status status);
	bool program_alone; /* read-only and session commands are skipped */
};

#endif

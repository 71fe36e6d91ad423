/* course.h -- the course (lessons, hunts, classes: shell/course/) as the rest of the shell knows it: a table of functions that main.c
 * hands down. shell->course.functions points to it, and is NULL in a world beside the session. */
#ifndef RANKSH_SESSION_COURSE_H
#define RANKSH_SESSION_COURSE_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>

struct learning;
struct options;
struct shell;
struct text;

struct course {
	/* ---- in a process of the job ---- */
	/* Makes and frees what the course keeps in a session; before its world is there, and before it goes. */
	void (*open)(struct shell *shell, const struct options *options);
	void (*close)(struct shell *shell);
	/* Tasks solved in earlier sessions: "1.1 4.2" */
	void (*solved)(struct shell *shell, const char *tasks, size_t count);
	/* A line of the prompt begins. */
	void (*line)(struct shell *shell);
	/* A line has emptied the world. */
	void (*emptied)(struct shell *shell);
	/* The journal's lines are about to run again: those of this world, or all (whole). */
	void (*again)(struct shell *shell, bool whole);
	/* Returns true if the lines that the course ran in this world are not to be shown. */
	bool (*hides_start)(const struct shell *shell);
	/* Returns true if `next` is what Enter on an empty line means. */
	bool (*goes_on)(const struct shell *shell);
	/* Adds the task that is open: "task 4.2", "task 2 of F.rsh", or nothing. */
	void (*task)(const struct shell *shell, struct text *out);
	/* Moves what the learner has done to `events`, one "WHAT<tab>TASK<tab>WORDS\n" each. */
	void (*events)(struct shell *shell, struct text *events);
	/* Carries out --grade or --check-lessons, and counts what failed in shell->expect.failed. */
	enum status (*run)(struct shell *shell, const struct options *options);

	/* ---- in the front end: what is kept of a learner from session to session ---- */
	/* state: the folder of the journals; NULL: nothing is kept. Adds lines for the learner to `told`. */
	struct learning *(*learning_open)(
	        const struct options *options, const char *state, struct text *told);
	/* A line was typed, and its reply had these events. Fails with ST_FILE, once, if a file cannot be written. */
	enum status (*learning_line)(struct learning *learning, const char *line, const char *events);
	/* Returns the tasks solved so far: "1.1 4.2 ". */
	const char *(*learning_solved)(const struct learning *learning);
	/* Returns the learner's name in the class; NULL if there is no class. */
	const char *(*learning_name)(const struct learning *learning);
	void (*learning_close)(struct learning *learning);
};

#endif

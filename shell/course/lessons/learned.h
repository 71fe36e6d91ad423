/* learned.h -- a learner's results in lessons, and the class's rules
 *
 * Replicated on all processes. Rank 0 sends new events with the line's reply
 * (docs/internals/wire.md) to the front end, which stores them. Replayed lines record nothing. */
#ifndef RANKSH_LESSONS_LEARNED_H
#define RANKSH_LESSONS_LEARNED_H

#include "shell/course/class/rules.h"
#include "shell/session/shell.h"

#include <time.h>

struct options;
struct learned {
	const char *folder; /* --class; NULL: no class */
	struct class_rules rules;
	int64_t ends;       /* end of the lesson's time, in seconds since 1970; 0: no limit */
	struct text solved; /* "1.1 4.2 ": tasks, in the order in which they were solved */
	struct text events; /* the line's events, each "WHAT<tab>TASK<tab>WORDS\n" */
	struct text wrong;  /* the current check's first mistake */
};

void learned_open(struct shell *shell, const struct options *options);
void learned_close(struct shell *shell);
/* Adds tasks solved in earlier sessions: "1.1 4.2". */
void learned_solved_before(struct shell *shell, const char *tasks, size_t count);
/* Begins a line: drops its predecessor's events. */
void learned_line(struct shell *shell);
/* Records `what` for `task` ("4.2"). words: details, or ""; for a check "right", or NULL for the
 * text of learned_wrong. */
void learned_note(struct shell *shell, const char *what, const char *task, const char *words);
/* Records the check's first mistake; later ones are ignored. */
void learned_wrong(struct shell *shell, const char *words, size_t count);
/* Moves the new events to *events. */
void learned_take(struct shell *shell, struct text *events);
bool learned_solved(const struct shell *shell, const char *task);

/* Collective. With a class, rank 0 reads its file and the clock, and sends them to all. */
enum status learned_class(struct shell *shell);
/* For `lesson`: fails with ST_ARGUMENT if the class has not opened it. Prints the time limit, and
 * a mistake in the class's file. */
enum status learned_lesson(struct shell *shell, int number);
/* For `hint`, or else `solution`: fails with ST_ARGUMENT if the class does not show it now. */
enum status learned_shows(struct shell *shell, bool hint);
/* For a check: prints a note if the lesson's time is over. */
enum status learned_time(struct shell *shell);

#endif

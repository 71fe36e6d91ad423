/* learned.h -- what a learner has done in lessons, and what the class allows
 *
 * Every process keeps the same. Rank 0 hands what is new to the front end with the reply to the line (docs/internals/wire.md), which
 * keeps it for the next session and writes it into the class's folder. Lines that run again note nothing. */
#ifndef RANKSH_LESSONS_LEARNED_H
#define RANKSH_LESSONS_LEARNED_H

#include "shell/course/class/rules.h"
#include "shell/session/shell.h"

#include <time.h>

struct options;
struct learned {
	const char *folder; /* --class; NULL: there is none */
	struct class_rules rules;
	int64_t ends;       /* of the lesson at hand: seconds since 1970; 0: no time was set */
	struct text solved; /* "1.1 4.2 ": tasks, in the order in which they were */
	struct text events; /* of the line at hand: "WHAT<tab>TASK<tab>WORDS\n" each */
	struct text wrong;  /* what the check at hand has found */
};

void learned_open(struct shell *shell, const struct options *options);
void learned_close(struct shell *shell);
/* Tasks solved in sessions before this one: "1.1 4.2" */
void learned_solved_before(struct shell *shell, const char *tasks, size_t count);
/* A line begins: nothing was done by it yet. */
void learned_line(struct shell *shell);
/* Something was done: `what` at `task` ("4.2"). words: more about it, "" nothing; of a check "right", or NULL: what
 * learned_wrong was told. */
void learned_note(struct shell *shell, const char *what, const char *task, const char *words);
/* A check that is not right has found this; the first one counts. */
void learned_wrong(struct shell *shell, const char *words, size_t count);
/* What is new is given away. */
void learned_take(struct shell *shell, struct text *events);
bool learned_solved(const struct shell *shell, const char *task);

/* Where there is a class, rank 0 reads its file anew and looks at the clock; all processes call these alike.
 * The list of lessons is wanted. */
enum status learned_class(struct shell *shell);
/* A lesson is to be opened: ST_ARGUMENT where the class has not got it. Says how much time there is, and what is wrong in the file. */
enum status learned_lesson(struct shell *shell, int number);
/* `hint` (or else `solution`) is asked for: ST_ARGUMENT where the class does not show it now */
enum status learned_shows(struct shell *shell, bool hint);
/* A check: says when its time is over. */
enum status learned_time(struct shell *shell);

#endif

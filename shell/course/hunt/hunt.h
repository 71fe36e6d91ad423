/* hunt.h -- a program with a bug in one line, which the learner finds and fixes
 *
 *     hunt ddp 2     program -> its changes -> an observable one -> the session's program
 *     run 2; races   ... which runs like any other
 *     fix 31 LINE    another text for line 31 -> is it right again? -> the session's program
 *
 * The program owns its hunt (struct hunted), so `undo` restores both together. The chosen change
 * and a fix's verdict are logged with the line, as values that it read (session/steering.h). */
#ifndef RANKSH_HUNT_H
#define RANKSH_HUNT_H

#include "shell/training/choose.h"

enum { HUNT_LEVELS = 3 };
struct hunt_asked {
	/* a built-in strategy with options, or a script's path */
	struct choice *strategy;
	long level;  /* 1 to HUNT_LEVELS; 0: not given */
	long seed;   /* -1: not given */
	long change; /* number of the change to plant; 0: search */
};
/* Loads a program with a bug into an empty world. Text, level and seed determine the bug. */
enum status hunt_begin(struct shell *shell, const struct hunt_asked *asked);
/* Prints every observable change with its number, for instructors. */
enum status hunt_list(struct shell *shell, const struct hunt_asked *asked);
/* Prints the program's lines and the attempts so far. */
enum status hunt_show(struct shell *shell);
enum status hunt_give_up(struct shell *shell);
/* words: "31 wait comm on compute". Judges the program with this line 31, reports the result, and
 * loads it unless it does not end. */
enum status hunt_fix(struct shell *shell, const char *words, size_t count);

#endif

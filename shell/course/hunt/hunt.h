/* hunt.h -- a program with a bug in one line, which the learner finds and fixes
 *
 *     hunt ddp 2     program -> its changes -> an observable one -> the session's program
 *     run 2; races   ... which runs like any other
 *     fix 31 LINE    another text of line 31 -> is it right again? -> the session's program
 *
 * The hunt belongs to the program (struct hunted), and `undo` removes or restores both
 * together. The change that was chosen, and the verdict of a fix, are logged with the line as
 * values that it read (session/steering.h). */
#ifndef RANKSH_HUNT_H
#define RANKSH_HUNT_H

#include "shell/training/choose.h"

enum { HUNT_LEVELS = 3 };
struct hunt_asked {
	/* a strategy of the binary with its options, or a script by its path */
	struct choice *strategy;
	long level;  /* 1 to HUNT_LEVELS; 0: not given */
	long seed;   /* -1: not given */
	long change; /* number of the change to plant; 0: search one */
};
/* Loads the program with a bug into an empty world. The same text, level and seed give the same
 * bug. */
enum status hunt_begin(struct shell *shell, const struct hunt_asked *asked);
/* Prints every observable change with its number, for the instructor of a class. */
enum status hunt_list(struct shell *shell, const struct hunt_asked *asked);
/* Prints the lines of the program and the results so far. */
enum status hunt_show(struct shell *shell);
enum status hunt_give_up(struct shell *shell);
/* words: "31 wait comm on compute". Loads the program with this line 31 into an empty world,
 * and says whether it is right. */
enum status hunt_fix(struct shell *shell, const char *words, size_t count);

#endif

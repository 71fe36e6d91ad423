/* hunt.h -- a program with one line wrong, to be found and mended
 *
 *     hunt ddp 2        whole program -> changes of its lines -> one that can be told (judge.h) -> the session's program
 *     run 2; races      ... which is played like any other
 *     fix 31 LINE       another text of it -> is it the whole program again? -> the session's program
 *
 * The hunt is the program's (struct hunted): it goes and comes with it, as `undo` makes the world again. Which change was
 * chosen, and how a mending was judged, is kept beside the line as a value that it read (session/steering.h). */
#ifndef RANKSH_HUNT_H
#define RANKSH_HUNT_H

#include "shell/training/choose.h"

enum { HUNT_LEVELS = 3 };
struct hunt_asked {
	struct choice
	        *strategy; /* a strategy of those in the binary, with its options; or a script, by its path */
	long level;        /* 1 to HUNT_LEVELS; 0: not given */
	long seed;         /* -1: not given */
	long change;       /* of that number, whatever it does; 0: one is looked for */
};
/* The program with a wrong line, in an empty world. Of the same text, level and seed it is the same line. */
enum status hunt_begin(struct shell *shell, const struct hunt_asked *asked);
/* Every change that can be told, with its number: for who prepares a class */
enum status hunt_list(struct shell *shell, const struct hunt_asked *asked);
/* The lines, and what is known */
enum status hunt_show(struct shell *shell);
enum status hunt_give_up(struct shell *shell);
/* "31 wait comm on compute": the program with another line 31, in an empty world, and whether it is right. */
enum status hunt_fix(struct shell *shell, const char *words, size_t count);

#endif

/* sandbox.h -- lines played beside the session, in worlds of their own: all ranks with their data, in one process
 *
 *     the session    tensor ...  y = matmul x w | check             nothing of it changes
 *     sandbox         thread 0: a session of rank 0 of n  --.
 *                    thread 1:                rank 1 of n  --+-- a team's transports: src/mpi/team.h
 *                    thread 2 ...                          --'
 *
 * Always on the simulator. Nothing is said in it, no file is written, and none read. What runs for ever ends by steps, which
 * are the same on every computer; Ctrl-C ends all. */
#ifndef RANKSH_SEALED_H
#define RANKSH_SEALED_H

#include "shell/session/shell.h"

/* What somebody has typed may take so many times the steps and the memory of what it should be, and so many steps in any case;
 * what it should be may take that many. */
enum { SEALED_TIMES = 64, SEALED_STEPS_LEAST = 20000, SEALED_STEPS_OWN = 1000000 };
struct sandbox {
	int n;               /* ranks */
	const char *machine; /* its name; NULL: that of `of` */
	int64_t steps_most;  /* 0: as many as it takes */
	int64_t memory_most; /* bytes of each device, disk and host, where these have more; 0: what they have */
	char *const *argument; /* NAME=VALUE: these beat the `let` of texts with a file's name */
	int arguments;

	int64_t steps; /* what came of it: that it took */
};
/* What each rank does, on a thread of its own and all alike; `self` is for all: rank 0 alone writes to what it does not have by
 * rank. A rank's failure is its own affair; one that leaves early ends those that wait for it. */
typedef void sandbox_play(struct shell *shell, void *self);
/* By one process, on which nobody else works for `of`: the others wait for what it finds. ST_INTERRUPTED: Ctrl-C ended it; else why
 * a rank could not begin. */
enum status sandbox_run(struct sandbox *sandbox, struct shell *of, sandbox_play *play, void *self);

/* In `play`: a text's lines, as of a script. file: for messages, and NAME=VALUE holds in it; NULL: lines that somebody typed. A
 * command that wants an empty world gets one. */
enum status sandbox_lines(struct shell *shell, const char *text, size_t count, const char *file, int line);
/* No more lines come: hosts run to their ends, and what is not final is projected. */
enum status sandbox_end(struct shell *shell);

#endif

/* sandbox.h -- runs lines in worlds beside the session: all ranks with data, in one process
 *
 *     the session    tensor ...  y = matmul x w | check           unchanged
 *     sandbox        thread 0: a session of rank 0 of n  --.
 *                    thread 1:                rank 1 of n  --+-- team transports: src/mpi/team.h
 *                    thread 2 ...                          --'
 *
 * It runs on the simulator, without output and files. A limit of steps, equal on every computer,
 * ends infinite loops; Ctrl-C ends all ranks. */
#ifndef RANKSH_SEALED_H
#define RANKSH_SEALED_H

#include "shell/session/shell.h"

/* A typed text may take SEALED_TIMES times the steps and memory of its reference, and
 * SEALED_STEPS_LEAST steps in any case; the reference may take SEALED_STEPS_OWN. */
enum { SEALED_TIMES = 64, SEALED_STEPS_LEAST = 20000, SEALED_STEPS_OWN = 1000000 };
struct sandbox {
	int n;
	const char *machine;   /* NULL: the session's */
	int64_t steps_most;    /* 0: no limit */
	int64_t memory_most;   /* bytes, a limit for each device, disk and host; 0: none */
	char *const *argument; /* NAME=VALUE: override `let` in texts with a file name */
	int arguments;

	int64_t steps; /* result: steps that rank 0 took */
};
/* Runs on each rank's thread; only rank 0's may write to shared parts of `self`. It must record
 * its own failure. If it returns early, ranks that wait for it fail. */
typedef void sandbox_play(struct shell *shell, void *self);
/* Runs `play` on all ranks. Call it on one process, while the others wait. Fails with
 * ST_INTERRUPTED after Ctrl-C, or with the reason why a rank could not begin. */
enum status sandbox_run(struct sandbox *sandbox, struct shell *of, sandbox_play *play, void *self);

/* In `play`: runs a text, and grants only empty worlds. file: for messages, NAME=VALUE; NULL:
 * typed. */
enum status sandbox_lines(struct shell *shell, const char *text, size_t count, const char *file, int line);
/* Ends the input: runs the hosts to their ends and forecasts the rest. */
enum status sandbox_end(struct shell *shell);
/* The same after the last line. Fails with ST_STUCK if an operation still waits. */
enum status sandbox_finish(struct shell *shell);

/* A rank's tensors at the end of a world */
struct kept_tensor {
	char *name; /* owned, as are the elements */
	struct layout layout;
	void *elements; /* packed */
	bool starters;  /* a lesson's starter made it */
};
struct kept_rank {
	struct kept_tensor *tensor;
	size_t count;
};
struct kept_world {
	struct kept_rank *rank; /* by rank; NULL: empty */
	int n;
};
struct kept_world kept_world_make(int n);
void kept_world_release(struct kept_world *kept);
void kept_rank_release(struct kept_rank *kept);
/* Adds a tensor, with memory for its elements in that type. */
struct kept_tensor *kept_add(
        struct kept_rank *kept, const char *name, const struct layout *layout, enum dtype dtype);
/* Returns NULL if there is none. */
const struct kept_tensor *kept_find(const struct kept_rank *kept, const char *name);

#endif

/* launch.h -- the job: mpirun and its ranks, or the one process of --dry and -n 1, as a child of the front
 * end.
 *
 * The job has a process group of its own, so that Ctrl-C at the terminal reaches the front end alone; and it
 * dies with the front end (PR_SET_PDEATHSIG here and in every rank), so that nothing is left behind. */
#ifndef RANKSH_LAUNCH_H
#define RANKSH_LAUNCH_H

#include "base/text.h"
#include "shell/session/options.h"
#include <sys/types.h>

struct job {
	pid_t pid;
	bool mpi;            /* pid is mpirun's */
	int in, out, err;    /* our ends of its descriptors 0 1 2; -1: inherited, or closed */
	struct text chatter; /* what mpirun said in its boxes of dashes */
	bool boxed;          /* within such a box */
	struct text partial; /* the beginning of a line of its descriptor 2 */
};

/* wire: descriptor 0 becomes a pipe, and the job is told `--wire`; else it is inherited, where lines come
 * from it. 1 and 2 become pipes. */
enum status job_start(struct job *job, const struct options *options, bool wire);
/* Bytes that came out of descriptor 2: mpirun's own boxes are kept in `chatter`, the rest is appended to
 * `shown`. */
void job_hear(struct job *job, const char *bytes, size_t count, struct text *shown);
/* After it has ended with `status` (of waitpid): its exit status for ours. With words (fail_text): 4 when it
 * died, EXIT_NO_MEMORY (rank/process.h) when a process of it found no memory. */
int job_verdict(const struct job *job, int status);
/* SIGTERM, and SIGKILL when it does not go. Collects it. */
void job_end(struct job *job);
void job_release(struct job *job);

/* A run without prompt: starts the job, passes its output on, and returns its exit status. */
int launch_batch(const struct options *options);

#endif

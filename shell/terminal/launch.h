/* launch.h -- the job: mpirun and its ranks, or the one process of --dry and -n 1, as a child of the front
 * end.
 *
 * The job has a process group of its own, so that Ctrl-C at the terminal reaches the front end alone; and it
 * dies with the front end (PR_SET_PDEATHSIG here and in every rank), so that nothing is left behind. */
#ifndef RANKSH_LAUNCH_H
#define RANKSH_LAUNCH_H

#include "base/text.h"
#include "shell/session/options.h"
#include "shell/terminal/segments.h"
#include <sys/types.h>

struct job {
	pid_t pid;
	bool mpi;            /* pid is mpirun's */
	int in, out, err;    /* our ends of its descriptors 0 1 2; -1: inherited, or closed */
	struct text chatter; /* what mpirun said in its boxes of dashes */
	bool boxed;          /* within such a box */
	struct text partial; /* the beginning of a line of its descriptor 2 */
	int64_t death_ns;    /* when mpirun told of a rank that died; 0: of none */
	bool started;        /* rank 0 has reported that MPI has started (START_MARK) */
	struct segments segments;
};

/* wire: descriptor 0 becomes a pipe, and the job is told `--wire`; else it is inherited, where lines come
 * from it. 1 and 2 become pipes. */
enum status job_start(struct job *job, const struct options *options, bool wire);
/* Waits at most wait_ms (-1: as long as it takes) for something, and adds it to `out` and `err`: what came out
 * of descriptor 1, and whole lines of 2. mpirun's own boxes are kept in `chatter` instead. job->out and
 * job->err are -1 when they have ended. */
void job_hear(struct job *job, int wait_ms, struct text *out, struct text *err);
/* After it has ended with `status` (of waitpid): its exit status for ours. With words (fail_text): 4 when it
 * died, EXIT_NO_MEMORY (rank/process.h) when a process of it found no memory. */
int job_outcome(const struct job *job, int status);
/* What the end of a job may take, before it is ended */
enum { END_WAIT_MS = 3000 };
/* Waits so long for its end, and then ends what is left of it; the status of waitpid. */
int job_collect(struct job *job);
/* SIGTERM, and SIGKILL when it does not go. Collects it. */
void job_end(struct job *job);
void job_release(struct job *job);

/* A run without prompt: starts the job, passes its output on, and returns its exit status. */
int launch_batch(const struct options *options);

#endif

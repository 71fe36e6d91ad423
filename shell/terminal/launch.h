/* launch.h -- the job: mpirun and its ranks, or one process for --dry and -n 1
 *
 * The job has its own process group, so that Ctrl-C reaches the front end alone. It dies with the
 * front end (system_end_with_parent here and in every rank). */
#ifndef RANKSH_LAUNCH_H
#define RANKSH_LAUNCH_H

#include "base/text.h"
#include "shell/session/options.h"
#include "shell/terminal/feed.h"
#include "shell/terminal/room.h"
#include <sys/types.h>

struct job {
	pid_t pid;
	bool mpi;            /* pid is mpirun's */
	int in, out, err;    /* our ends of descriptors 0 1 2; -1: none, or closed */
	struct text chatter; /* the text in mpirun's boxes */
	bool boxed;
	struct text partial;  /* an incomplete line from descriptor 2 */
	int64_t memory_kills; /* system_memory_kills at the start */
	int64_t death_ns;     /* when mpirun reported a dead rank; 0: not yet */
	bool started;         /* MPI has started (START_MARK) */
	bool hosts;           /* --hosts, --hostfile or an allocation */
	struct text waits;    /* hosts that have not answered yet (reach.c) */
	struct text faults;   /* why hosts could not take part, a line each */
	struct feed feed;     /* a script's input */
	struct segments segments;
};

/* Starts the job with pipes as descriptors 1 and 2, and as 0 if it reads anything; with `wire` it
 * gets the option `--wire`. Fails with ST_FILE. */
enum status job_start(struct job *job, const struct options *options, bool wire);
/* Passes our input on and waits for output, at most wait_ms (-1: forever). Appends descriptor 1's output to `out`, whole
 * lines from 2 to `err`, mpirun's boxes to `chatter`. At their end job->out and job->err become
 * -1. */
void job_hear(struct job *job, int wait_ms, struct text *out, struct text *err);
/* Returns our exit status; sets fail_text for 4 (the job died) and EXIT_NO_MEMORY
 * (rank/process.h). */
int job_outcome(const struct job *job, int status);
enum { END_WAIT_MS = 3000 };
/* Waits END_WAIT_MS, then kills the rest. Returns the wait status. */
int job_collect(struct job *job);
/* Ends the job by SIGTERM, then SIGKILL, and collects it. */
void job_end(struct job *job);
void job_release(struct job *job);

/* Runs the job without a prompt and passes its output on. Returns the exit status. */
int launch_batch(const struct options *options);
struct course;
/* session.c: runs the prompt. Returns the exit status. */
int session_run(const struct options *options, const struct course *course);

#endif

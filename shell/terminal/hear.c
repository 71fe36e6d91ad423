/* hear.c -- reads what a job writes, and reports its end
 *
 * mpirun reports a dead rank on its standard error, in boxes of dashes. hear_line collects the
 * boxes; job_outcome makes one sentence of them and the exit status. */
#include "shell/terminal/launch.h"
#include "shell/rank/process.h"
#include "shell/session/options.h"
#include "shell/terminal/feed.h"
#include "shell/terminal/hosts.h"
#include "shell/wire/io.h"
#include "system/system.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HOST_BYTES = 256 };

static void hear_line(struct job *job, const char *line, size_t count, struct text *shown)
{
	struct text *into = job->boxed ? &job->chatter : shown;
	if (memmem(line, count, START_MARK, strlen(START_MARK))) {
		job->started = true;
		return;
	}
	if (job->hosts && reach_hear(line, count, &job->waits, &job->faults))
		return;
	if (job->mpi && count >= 40 && strspn(line, "-") >= count) {
		job->boxed = !job->boxed;
		return;
	}
	if (job->mpi &&
	        (memmem(line, count, "mpirun noticed", 14) || memmem(line, count, "ORTE_ERROR_LOG", 14) ||
	                memmem(line, count, "Warning: setpgid", 16) || memmem(line, count, "PMIX ERROR", 10)))
		into = &job->chatter;
	else if (job->mpi && !job->boxed &&
	        (memmem(line, count, "help message", 12) || memmem(line, count, "help_aggregate", 14)))
		return; /* of the boxes, which are not shown */
	text_put(into, line, count);
	text_put(into, "\n", 1);
}

static void take(int *end, short events, struct text *into)
{
	char piece[65536];
	ssize_t got = events ? read(*end, piece, sizeof piece) : 0;
	if (got > 0) {
		text_put(into, piece, got);
	} else if (events && !(got < 0 && errno == EINTR)) {
		close(*end);
		*end = -1;
	}
}

/* Reads the box of a dead rank; its words are alike in all versions, but not its lines: "mpirun
 * noticed that process rank 2 with PID 71 on node x exited on signal 9 (Killed)." */
static bool box_of_death(const struct job *job, int *rank, int *number, char host[HOST_BYTES])
{
	const char *chatter = text_string(&job->chatter);
	const char *process = strstr(chatter, "process rank "), *on = strstr(chatter, "exited on");
	const char *node = process ? strstr(process, "on node ") : NULL;
	if (!node || sscanf(node, "on node %255s", host) != 1)
		snprintf(host, HOST_BYTES, "another host");
	return process && on && sscanf(process, "process rank %d", rank) == 1 &&
	        sscanf(on, "exited on signal %d", number) == 1;
}

void job_hear(struct job *job, int wait_ms, struct text *out, struct text *err)
{
	struct pollfd ends[] = {{.fd = job->out, .events = POLLIN}, {.fd = job->err, .events = POLLIN},
	        {.fd = feed_source(&job->feed), .events = POLLIN}};
	struct text line = {0};
	int rank, number;
	char host[HOST_BYTES];
	/* mpirun ends after it reports a dead rank. If the rank was just starting, mpirun may wait
	 * forever for its own lock (Open MPI 4.1, in PMIx_server_finalize) */
	if (!job->death_ns && box_of_death(job, &rank, &number, host))
		job->death_ns = wall_ns();
	if (job->death_ns && wall_ns() - job->death_ns > END_WAIT_MS * 1000000LL)
		kill(-job->pid, SIGKILL);
	if (poll(ends, 3, wait_ms) <= 0)
		return;
	if (ends[2].revents)
		feed_pass(&job->feed);
	take(&job->out, ends[0].revents, out);
	take(&job->err, ends[1].revents, &job->partial);
	while (take_line(&job->partial, &line))
		hear_line(job, text_string(&line), line.count, err);
	if (job->faults.count)
		text_clear(out); /* no rank writes: Open MPI 5 puts a box there */
	text_release(&line);
}

/* Reports the first that holds: no memory; a dead rank or process; ranksh's status; mpirun's. */
int job_outcome(const struct job *job, int status)
{
	const char *chatter = text_string(&job->chatter);
	int rank, number, code = WIFEXITED(status) ? WEXITSTATUS(status) : 4;
	char host[HOST_BYTES];
	if (code == EXIT_NO_MEMORY) {
		/* the rank has reported it */
		fail(ST_MEMORY, "this line found no memory on this computer");
		return code;
	}
	const char *lost = strstr(chatter, "Remote daemon:");
	if (job->faults.count)
		fail(ST_MPI, "%s", text_string(&job->faults));
	else if (job->mpi && box_of_death(job, &rank, &number, host))
		fail(ST_MPI, "rank %d%s%s died of signal %d (%s)%s", rank, job->hosts ? " on " : "",
		        job->hosts ? host : "", number, strsignal(number),
		        number == SIGKILL && system_memory_kills() > job->memory_kills
		                ? ": memory ran out; fewer ranks (-n) or smaller tensors take less, and "
		                  "`ranksh doctor` shows how much there is"
		                : "");
	else if (lost && sscanf(lost, "Remote daemon: %*s on node %255s", host) == 1)
		fail(ST_MPI, "%s was lost: mpirun's connection to it broke; `ssh %s true` tries it", host,
		        host);
	else if (WIFSIGNALED(status))
		fail(ST_MPI, "%s died of signal %d (%s)", job->mpi ? "mpirun" : "the process",
		        WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (code == 4 && !strstr(chatter, "mpirun was unable"))
		fail(ST_MPI, "the ranks have ended the job"); /* a rank has reported why */
	else if (code < 4 &&
	        (code == 0 || !job->mpi || strstr(chatter, "non-zero") || (job->started && !*chatter)))
		return code; /* in Open MPI 5, often without a box */
	else
		fail(ST_MPI, "%s ended with status %d%s%s", job->mpi ? "mpirun" : "the process", code,
		        *chatter           ? " (`ranksh doctor` looks for the cause) and said:\n"
		                : job->mpi ? ", which no rank returned; `ranksh doctor` looks for the cause"
		                           : "",
		        chatter);
	return 4;
}

/* launch.c -- starts mpirun, or one process, and reports its end
 *
 *     mpirun -n 4 --oversubscribe ...   ranksh -n 4 --wire   -n 4 --machine this   --device sim
 *     `-------- add_mpirun ---------'   `- make_words --'    `--- as typed ----'   `- chosen -'
 *
 * mpirun reports a dead rank on its standard error, in boxes of dashes. hear_line collects the
 * boxes; job_outcome makes one sentence of them and the exit status. */
#include "shell/terminal/launch.h"
#include "base/memory.h"
#include "mpi/install.h"
#include "shell/rank/process.h"
#include "shell/terminal/hosts.h"
#include "shell/wire/io.h"
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OWN_WORDS = 16, LOOK_MS = 10, START_TICK_MS = 100, QUIET_S = 5, HOST_BYTES = 256 };

/* ---- the job's command line ---- */

struct words {
	const char **word;
	int count;
	char n[16];
	char self[4096];
	struct mpi_install mpi;
	struct text hosts; /* mpirun's words for the hosts, and the program; each with its NUL */
};

static void add(struct words *words, const char *word)
{
	words->word[words->count++] = word;
}

static void add_option(struct words *words, const char *name, const char *value)
{
	add(words, name);
	add(words, value);
}

/* The user's environment has priority. */
static void add_mpirun(struct words *words)
{
	add(words, words->mpi.mpirun);
	add_option(words, "-n", words->n);
	if (!words->hosts.count)
		add(words, "--oversubscribe");
	add_option(words, "--bind-to", "none");
	static const char *const for_root[] = {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
	        "PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"};
	for (size_t i = 0; i < sizeof for_root / sizeof *for_root && geteuid() == 0; i++)
		setenv(for_root[i], "1", 1);
	setenv("OMPI_MCA_btl", "self,vader,tcp", 0);
	/* mpirun starts processes on other nodes by srun, which would wait until the step ends in which
	 * this front end runs (`srun --pty bash`) */
	setenv("SLURM_OVERLAP", "1", 0);
	/* kill at once: a dead rank's peers have nothing to clean up */
	setenv("OMPI_MCA_odls_base_sigkill_timeout", "0", 0);
	setenv("RANKSH_MPI", words->mpi.library, 1); /* for the ranks of this host */
}

static bool progress_can_be_shown(void)
{
	const char *term = getenv("TERM");
	return isatty(2) && term && *term && strcmp(term, "dumb") != 0;
}

/* Puts the user's words between ours. The caller frees words->word and words->hosts. */
static enum status make_words(struct words *words, const struct options *options, bool wire, bool mpi)
{
	if (!system_own_file(words->self, sizeof words->self))
		return fail(ST_FILE, "cannot find my own file: %s", strerror(errno));
	int n = options->n ? options->n : mpi ? 0 : RANKS_DEFAULT, count = 0;
	if (mpi &&
	        (reach_words(options, words->self, &n, &words->hosts, &count) != ST_OK ||
	                mpi_install_find(&words->mpi) != ST_OK ||
	                room_for_mpirun(n, atoi(words->mpi.version)) != ST_OK))
		return ST_FILE;
	words->word = mem_alloc((OWN_WORDS + count + options->words) * sizeof *words->word);
	snprintf(words->n, sizeof words->n, "%d", n);
	if (mpi)
		add_mpirun(words);
	for (const char *at = text_string(&words->hosts); count; count--, at += strlen(at) + 1)
		add(words, at);
	if (!words->hosts.count)
		add(words, words->self);
	add_option(words, "-n", words->n);
	if (options->dry)
		add(words, "--dry");
	if (options->machine_then)
		add_option(words, "--machine", options->machine_then);
	if (wire)
		add(words, "--wire");
	if (mpi)
		add(words, "--report");
	for (int i = 0, skip; i < options->words; i += skip ? skip : 1)
		if ((skip = hosts_option(options->word[i])) == 0)
			add(words, options->word[i]);
	add_option(words, "--device", options->device); /* so that all hosts use one device */
	return ST_OK;
}

/* ---- starting ---- */

static void become(const struct words *words, int in, int out, int err, pid_t parent)
{
	system_end_with_parent(SIGTERM);
	if (getppid() != parent)
		_exit(127);
	setpgid(0, 0);
	if (in >= 0)
		dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	execv(words->word[0], (char *const *)words->word);
	_exit(127);
}

static void close_ends(const int *ends, int count)
{
	for (int i = 0; i < count; i++)
		if (ends[i] >= 0)
			close(ends[i]);
}

/* indices of read ends; each write end follows its read end */
enum { IN, OUT = 2, ERR = 4, ENDS = 6 };

/* Returns whether a job without wire reads lines from its input. */
static bool reads_input(const struct options *options)
{
	return !options->file && !options->lines && !options->asked && !options_course(options);
}

/* IN: a pipe, or /dev/null if the job reads nothing */
static bool open_ends(const struct options *options, bool wire, int ends[ENDS])
{
	bool ok = pipe2(ends + ERR, O_CLOEXEC) == 0 && pipe2(ends + OUT, O_CLOEXEC) == 0;
	if (wire || reads_input(options))
		return ok && pipe2(ends + IN, O_CLOEXEC) == 0;
	return ok && (ends[IN] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;
}

/* If we kept the child's ends, its death would stay unseen. Both sides call setpgid. */
enum status job_start(struct job *job, const struct options *options, bool wire)
{
	struct words words = {0};
	int ends[ENDS] = {-1, -1, -1, -1, -1, -1};
	pid_t parent = getpid();

	*job = (struct job){.mpi = !options->dry && options->n != 1,
	        .in = -1,
	        .out = -1,
	        .err = -1,
	        .segments.lock = -1,
	        .memory_kills = system_memory_kills()};
	enum status status = make_words(&words, options, wire, job->mpi);
	if (status == ST_OK && !open_ends(options, wire, ends))
		status = fail(ST_FILE, "cannot make a pipe: %s", strerror(errno));
	if (status == ST_OK && job->mpi)
		segments_open(&job->segments);
	if (status == ST_OK && (job->pid = fork()) < 0)
		status = fail(ST_FILE, "cannot start a process: %s", strerror(errno));
	if (status == ST_OK && job->pid == 0)
		become(&words, ends[IN], ends[OUT + 1], ends[ERR + 1], parent);
	job->hosts = words.hosts.count > 0;
	mem_free(words.word);
	text_release(&words.hosts);
	if (status == ST_OK) {
		setpgid(job->pid, job->pid);
		job->in = ends[IN + 1];
		job->feed.to = wire ? -1 : job->in;
		job->out = ends[OUT];
		job->err = ends[ERR];
		ends[IN + 1] = ends[OUT] = ends[ERR] = -1;
	} else {
		segments_close(&job->segments);
	}
	close_ends(ends, ENDS);
	return status;
}

/* ---- hearing ---- */

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

/* Always kills the group, because a rank that hangs would survive mpirun. */
int job_collect(struct job *job)
{
	int status = 0;
	for (int ms = 0; ms < END_WAIT_MS && waitpid(job->pid, &status, WNOHANG) == 0; ms += LOOK_MS)
		poll(NULL, 0, LOOK_MS);
	kill(-job->pid, SIGKILL);
	while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

void job_end(struct job *job)
{
	kill(-job->pid, SIGTERM);
	job_collect(job);
}

void job_release(struct job *job)
{
	close_ends((const int[]){job->in, job->out, job->err}, 3);
	text_release(&job->chatter);
	text_release(&job->partial);
	text_release(&job->waits);
	text_release(&job->faults);
	segments_close(&job->segments);
	*job = (struct job){.in = -1, .out = -1, .err = -1, .segments.lock = -1};
}

/* ---- a run without prompt ---- */

static volatile sig_atomic_t asked_to_end;

static void note_signal(int number)
{
	asked_to_end = number;
}

/* On a terminal shows one line, and returns true; else writes a line every QUIET_S seconds if the
 * ranks are on several hosts. *said: when it wrote the last one, in seconds */
static bool show_start(const struct job *job, long long seconds, long long *said)
{
	struct text words = {0};
	bool line = progress_can_be_shown();
	reach_starting(job->hosts, &job->waits, seconds, &words);
	if (line && seconds > 0)
		fprintf(stderr, "\r\033[K   %.50s  %lld s   (Ctrl-C stops it)", text_string(&words), seconds);
	else if (!line && seconds >= *said + QUIET_S)
		fprintf(stderr, "ranksh: %s: %lld s\n", text_string(&words), *said = seconds);
	text_release(&words);
	return line && seconds > 0;
}

/* mpirun itself ignores a full disk, and crashes when its reader leaves. Fails with ST_FILE if the
 * output cannot be written. */
static enum status pass_on(struct job *job)
{
	enum status status = ST_OK;
	struct text out = {0}, err = {0};
	int64_t began_ns = wall_ns();
	bool starting = job->mpi && (job->hosts || progress_can_be_shown()), shown = false;
	long long said = 0;
	while ((job->out >= 0 || job->err >= 0) && !asked_to_end && status == ST_OK) {
		job_hear(job, starting ? START_TICK_MS : END_WAIT_MS, &out, &err);
		starting = starting && !job->started && !out.count && !asked_to_end;
		if (shown)
			fputs("\r\033[K", stderr);
		size_t whole = job->out >= 0 ? feed_reports(&job->feed, &out) : out.count;
		status = write_all(1, out.bytes, whole);
		if (whole)
			memmove(out.bytes, out.bytes + whole, out.count -= whole);
		fwrite(text_string(&err), 1, err.count, stderr);
		text_clear(&err);
		if (job->feed.error)
			status = fail(
			        ST_FILE, "cannot read the standard input: %s", strerror(job->feed.error));
		long long seconds = (long long)((wall_ns() - began_ns) / 1000000000);
		shown = starting && (job->out >= 0 || job->err >= 0) && show_start(job, seconds, &said);
	}
	text_release(&out);
	text_release(&err);
	return status;
}

/* After a signal, returns 128 plus its number, as a shell does. */
int launch_batch(const struct options *options)
{
	struct job job;
	int status = 0, code = 4;
	struct sigaction action = {.sa_handler = note_signal};
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	if (job_start(&job, options, false) != ST_OK) {
		fprintf(stderr, "ranksh: %s\n", fail_text());
		return 4;
	}
	if (job.feed.to >= 0 && isatty(0))
		fprintf(stderr,
		        "note: there is no prompt, because the output is not a terminal; lines run as they "
		        "come, and Ctrl-D ends them\n");
	enum status passed = pass_on(&job);
	if (asked_to_end) {
		job_end(&job);
		code = 128 + asked_to_end;
	} else if (passed != ST_OK) {
		fprintf(stderr, "%s\n", fail_text());
		job_end(&job);
	} else {
		while (waitpid(job.pid, &status, 0) < 0 && errno == EINTR)
			;
		code = job_outcome(&job, status);
		/* a job that exits with 4 has reported why */
		if (code == 4 && !(WIFEXITED(status) && WEXITSTATUS(status) == 4))
			fprintf(stderr, "ranksh: %s\n", fail_text());
	}
	job_release(&job);
	return code;
}

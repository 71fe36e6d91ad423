/* launch.c -- starts and ends mpirun, or one process
 *
 *     mpirun -n 4 --oversubscribe ...   ranksh -n 4 --wire   -n 4 --machine this   --device sim
 *     `-------- add_mpirun ---------'   `- make_words --'    `--- as typed ----'   `- chosen -' */
#include "shell/terminal/launch.h"
#include "base/memory.h"
#include "mpi/install.h"
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

enum { OWN_WORDS = 16, LOOK_MS = 10, START_TICK_MS = 100, QUIET_S = 5 };

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

/* ---- the end of a job ---- */

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

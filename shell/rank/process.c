/* process.c -- one process of a job, from start to end
 *
 *     descriptors 1 and 2 moved --- MPI started --- session opened, on all or on none ---
 *     rank 0 leads, others follow --- session closed --- MPI ended --- descriptors restored
 *
 * Until all have opened, rank 0 alone reports failures, on the real descriptor 2; the exit status
 * is then 2, as for a refused line. */
#include "shell/rank/process.h"
#include "mpi/transport.h"
#include "shell/rank/conductor.h"
#include "shell/rank/launcher.h"
#include "base/file.h"
#include "base/memory.h"
#include "system/system.h"
#include "shell/session/device.h"
#include "shell/wire/io.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The process's last message. It is global because any thread or signal handler may write it. */
static struct {
	int descriptor, rank, ranks, status;
	char late[100];
} last_words = {.descriptor = 2, .ranks = 1, .status = MEM_EXIT};

/* ---- a process over its limit ---- */

/* Exits without MPI_Finalize, so that mpirun ends the other ranks. */
static void end_late(int number)
{
	(void)number;
	write_all(last_words.descriptor, last_words.late, strlen(last_words.late));
	_exit(4);
}

/* SIGALRM ends a rank that no longer checks its limit: it is in a long step, or waits for such a
 * rank. Other ranks wait OTHERS_GRACE_S longer, so that only rank 0 reports it. */
enum { LIMIT_GRACE_S = 3, OTHERS_GRACE_S = 2, START_GRACE_S = 60 };
static void set_alarm(const struct options *options, int grace)
{
	unsigned seconds = (unsigned)(options->limit_ns / 1000000000) + (unsigned)grace;
	if (!options->limit_ns)
		return;
	snprintf(last_words.late, sizeof last_words.late, "ranksh: stopped: more than %.3g s (--limit)%s\n",
	        (double)options->limit_ns / 1e9, grace == START_GRACE_S ? ", and MPI has not started" : "");
	signal(SIGALRM, end_late);
	alarm(seconds + (last_words.rank ? OTHERS_GRACE_S : 0));
}

/* ---- a process without memory ---- */

/* Exits without MPI_Abort, which would allocate; mpirun ends the other ranks. */
static void say_exhausted(size_t bytes)
{
	char words[200];
	int count = last_words.ranks > 1 ? snprintf(words, sizeof words, "rank %d: ", last_words.rank) : 0;
	count += snprintf(words + count, sizeof words - (size_t)count,
	        "this computer is out of memory (%zu bytes wanted)\n%s", bytes,
	        last_words.ranks > 1 ? "the ranks cannot go on without it: the job ends\n" : "");
	write_all(last_words.descriptor, words, (size_t)count);
	_exit(last_words.status);
}

/* ---- start and end ---- */

static void early_failure(const struct capture *capture, int rank)
{
	if (rank == 0)
		dprintf(capture_err(capture), "ranksh: %s\n", fail_text());
}

enum status process_version(void)
{
	const char *front_end = getenv("RANKSH_FRONT_END");
	struct utsname here;
	char self[4096], version[32] = "", host[65] = "";
	if (!front_end || !getenv("OMPI_COMM_WORLD_SIZE") || uname(&here) != 0)
		return ST_OK;
	sscanf(front_end, "%31s %64s", version, host);
	if (strcmp(host, here.nodename) != 0)
		file_name_host(here.nodename);
	if (strcmp(version, RANKSH_VERSION) == 0)
		return ST_OK;
	return fail(ST_ARGUMENT,
	        "%s: %s there is ranksh " RANKSH_VERSION ", and this is ranksh %s; install the same "
	        "version on each host, or name its folder by --prefix DIR",
	        here.nodename, system_own_file(self, sizeof self) ? self : "ranksh", version);
}

/* If a device cannot start, the simulator replaces it, unless the user has chosen the device. */
static enum status open_session(struct conductor *conductor, struct transport *t, struct capture *capture,
        const struct options *options, struct device *device)
{
	const struct course *course = conductor->shell.course.functions;
	conductor->shell.device = device;
	enum status status = outcome_share(t, conductor_open(conductor, t, capture, options));
	if (status != ST_GPU || options->device_by != DEVICE_AUTO || !device->job)
		return status;
	conductor_close(conductor);
	device_give_up(device);
	*conductor = (struct conductor){.shell.device = device, .shell.course.functions = course};
	return outcome_share(t, conductor_open(conductor, t, capture, options));
}

/* Opens a session on all or none. Close *device afterwards. */
static enum status open_together(struct conductor *conductor, struct transport *t, struct capture *capture,
        struct options *options, bool mpi, struct device **device)
{
	if (transport_size(t) > RANKS_MPI_MOST)
		return fail(ST_RANGE, "%d processes are too many: --dry models up to %d ranks in one",
		        transport_size(t), RANKS_DRY_MOST);
	/* each process chooses by its host's environment; without mpi main.c has chosen */
	enum status status = mpi ? device_choose(options) : ST_OK;
	status = outcome_share(t, status);
	if (status == ST_OK)
		status = outcome_share(t, device_open(options, t, capture_err(capture), device));
	return status == ST_OK ? open_session(conductor, t, capture, options, *device) : status;
}

/* Returns the job's exit status on rank 0, else 0: mpirun ends the job for another one. */
static int run(struct options *options, const struct course *course, struct transport *t,
        struct capture *capture, bool mpi)
{
	struct conductor conductor = {.shell.course.functions = course};
	struct device *device = NULL;
	int code = 2, rank = transport_rank(t);
	enum status status = ST_OK;
	if (mpi && options->n && options->n != transport_size(t))
		status = fail(ST_ARGUMENT, "-n %d, but mpirun started %d", options->n, transport_size(t));
	if (mpi && !options->wire && options_front_end(options))
		status = fail(ST_ARGUMENT, "%s starts the ranks itself: `ranksh %s ... -n %d`",
		        options_front_end(options), options_front_end(options), transport_size(t));
	if (status == ST_OK)
		status = open_together(&conductor, t, capture, options, mpi, &device);
	if (status == ST_OK && rank == 0 && !options->wire && *device_words(device))
		dprintf(capture_err(capture), "%s\n", device_words(device));
	if (status != ST_OK) {
		early_failure(capture, rank);
	} else if (rank == 0) {
		code = options->wire ? serve_run(&conductor) : batch_run(&conductor);
		conductor_order(&conductor, &(struct order){.kind = ORDER_LEAVE});
	} else {
		conductor_follow(&conductor);
	}
	if (conductor.transport)
		conductor_close(&conductor);
	device_close(device);
	return rank == 0 ? code : 0;
}

/* Returns this process's number among those of its host, by the launcher's environment. */
static int place_on_host(void)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (getenv(names[i]))
			return atoi(getenv(names[i]));
	return 0;
}

/* Redirects descriptor 1 first, so that no library's print can break the wire. Redirects 2 when MPI
 * has started: if MPI_Init ends the process, its reason is on descriptor 2. */
int process_run(struct options *options, const struct course *course, bool mpi, int argc, char **argv)
{
	struct capture *capture = NULL;
	struct transport *t = NULL;
	struct launcher launcher;
	int code = 2, rank = 0;
	bool direct = !getenv("OMPI_COMM_WORLD_SIZE"); /* not by mpirun; MPI may set this variable */

	mem_keep();
	if (mpi) /* so that this rank does not outlive mpirun */
		system_end_with_parent(SIGKILL);
	signal(SIGPIPE, options->wire ? SIG_IGN : SIG_DFL);
	set_alarm(options, START_GRACE_S);
	if (options->wire)
		last_words.status = EXIT_NO_MEMORY;
	mem_on_exhausted(say_exhausted);
	enum status status = mpi || options->wire ? capture_start(&capture) : ST_OK;
	/* descriptor 2 may be this process's own pipe, which is lost with it */
	last_words.descriptor = capture_err(capture);
	/* without PMIx, Open MPI may end all processes with one page of text each */
	if (mpi && direct && !getenv("PMIX_RANK") && launcher_several(&launcher) && launcher.number > 0)
		capture_errors(capture);
	if (status == ST_OK)
		status = transport_start(&t, mpi, &argc, &argv);
	capture_errors(capture);
	if (status == ST_OK) {
		rank = last_words.rank = transport_rank(t);
		last_words.ranks = transport_size(t);
		set_alarm(options, LIMIT_GRACE_S);
		if (options->report && rank == 0)
			dprintf(capture_err(capture), START_MARK "\n");
		if (mpi && direct && transport_size(t) == 1 && options->n != 1 && launcher_several(&launcher))
			code = launcher_refuse(&launcher, capture_err(capture));
		else
			code = run(options, course, t, capture, mpi);
		transport_stop(t);
	} else {
		early_failure(capture, mpi ? place_on_host() : 0);
	}
	mem_on_exhausted(NULL);
	capture_stop(capture, rank);
	return code;
}

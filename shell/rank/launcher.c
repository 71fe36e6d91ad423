/* launcher.c -- recognizes launchers by the variables that they set */
#include "shell/rank/launcher.h"
#include "system/system.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NUMBER_0_MS = 500, SRUN_INPUT_MS = 4000 };

/* An inner launcher is before those that may have started it: torchrun runs under srun, and so do
 * the proxies of MPICH's mpiexec. A row needs all its variables; `also` may be NULL. */
static const struct {
	const char *name, *number, *count, *also, *type;
} launcher_rows[] = {
        {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", NULL},
        {"horovodrun", "HOROVOD_RANK", "HOROVOD_SIZE", NULL, NULL},
        {"MPICH's mpiexec", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", NULL},
        {"flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", NULL, "flux run -o pmi=pmix"},
        {"jsrun", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", NULL, NULL},
        {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID", "srun --mpi=pmix"},
        {"a PMI launcher", "PMI_RANK", "PMI_SIZE", NULL, NULL},
};
enum { LAUNCHER_ROWS = sizeof launcher_rows / sizeof *launcher_rows };

static bool launcher_number(const char *variable, int *number)
{
	const char *value = getenv(variable);
	char *end;
	if (!value || !*value)
		return false;
	long read = strtol(value, &end, 10);
	*number = (int)read;
	return !*end && read >= 0 && read < 1000000000;
}

static bool launcher_find(struct launcher *launcher)
{
	for (int i = 0; i < LAUNCHER_ROWS; i++) {
		if (!launcher_number(launcher_rows[i].number, &launcher->number) ||
		        !launcher_number(launcher_rows[i].count, &launcher->count) ||
		        (launcher_rows[i].also && !getenv(launcher_rows[i].also)))
			continue;
		launcher->name = launcher_rows[i].name;
		launcher->variable = launcher_rows[i].count;
		/* if PMIx is there and MPI has not connected the processes, PMIx is no advice */
		launcher->type = getenv("PMIX_RANK") ? NULL : launcher_rows[i].type;
		return true;
	}
	return false;
}

static bool launcher_ignored(void)
{
	const char *value = getenv("RANKSH_LAUNCHER");
	return value && strcmp(value, "none") == 0;
}

/* `srun --pty bash` gives its variables to all that the shell starts, also to steps of its own, but
 * only the shell's processes have a terminal. */
static bool launcher_in_shell(void)
{
	int task;
	if (!launcher_number("SLURM_TASK_PID", &task) || task == getpid())
		return false;
	int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (terminal >= 0)
		close(terminal);
	return terminal >= 0;
}

bool launcher_joins(int n)
{
	struct launcher launcher;
	if (getenv("OMPI_COMM_WORLD_SIZE"))
		return true;
	if (launcher_ignored() || !(getenv("PMIX_RANK") || getenv("PMI_RANK") || getenv("PMI_SIZE")) ||
	        launcher_in_shell())
		return false;
	/* a single process may start n ranks itself, or open a prompt */
	return !launcher_find(&launcher) || launcher.count > 1 || (n <= 1 && !(isatty(0) && isatty(1)));
}

bool launcher_first(void)
{
	int number;
	return !(launcher_number("OMPI_COMM_WORLD_RANK", &number) || launcher_number("PMIX_RANK", &number)) ||
	        number == 0;
}

bool launcher_several(struct launcher *launcher)
{
	return !launcher_ignored() && launcher_find(launcher) && launcher->count > 1 && !launcher_in_shell();
}

/* The others end later, because some launchers end the whole job when a first process fails. */
int launcher_refuse(const struct launcher *launcher, int err)
{
	char join[100] = "";
	if (launcher->number != 0) {
		poll(NULL, 0, NUMBER_0_MS);
		return 2;
	}
	if (launcher->type)
		snprintf(join, sizeof join, "`%s -n %d ranksh FILE.rsh`, or ", launcher->type,
		        launcher->count);
	dprintf(err,
	        "ranksh: %s started %d processes (%s), and MPI does not connect them\n"
	        "   type %s`ranksh -n %d FILE.rsh` once\n"
	        "   (RANKSH_LAUNCHER=none: each starts a session of its own)\n",
	        launcher->name, launcher->count, launcher->variable, join, launcher->count);
	return 2;
}

int launcher_patience_ms(const char **name)
{
	const char *job = getenv("PMIX_NAMESPACE");
	struct stat input;
	bool pipe = fstat(0, &input) == 0 && (S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode));
	bool mpirun = getenv("OMPI_COMM_WORLD_SIZE");
	*name = job && strncmp(job, "slurm", 5) == 0 ? "srun" : "mpirun";
	if (**name == 's')
		return isatty(0) ? 0 : pipe ? SRUN_INPUT_MS : -1;
	return mpirun && pipe && system_reads_terminal(getppid()) ? 0 : -1;
}

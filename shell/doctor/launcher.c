/* launcher.c -- what started this process, and where ranks of a session would run */
#include "shell/rank/launcher.h"
#include "shell/doctor/check.h"
#include "shell/terminal/hosts.h"
#include "shell/session/options.h"

#include <stdio.h>
#include <stdlib.h>

/* Reads the first of the variables that is set; -1: none is. */
static int number_of(const char *const *variables, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (getenv(variables[i]))
			return atoi(getenv(variables[i]));
	return -1;
}

/* The processes of a job, and this one's number, by the variables of Open MPI, PMIx and PMI */
static void job_find(int *number, int *count)
{
	static const char *const numbers[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
	static const char *const counts[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
	*number = number_of(numbers, sizeof numbers / sizeof *numbers);
	*count = number_of(counts, sizeof counts / sizeof *counts);
}

bool doctor_is_first(void)
{
	struct launcher launcher;
	int number, count;
	job_find(&number, &count);
	if (number < 0 && launcher_several(&launcher))
		number = launcher.number;
	return number <= 0;
}

void doctor_place(struct doctor *doctor)
{
	int number, count, n = doctor->options->n;
	job_find(&number, &count);
	doctor->n = n ? n : count > 0 && launcher_joins(n) ? count : RANKS_DEFAULT;
	if (!doctor->mpi || launcher_joins(n))
		return;
	if (hosts_read(doctor->options, &doctor->hosts) == ST_OK && hosts_share(&doctor->hosts, &n) == ST_OK)
		doctor->n = n;
	else
		doctor->refused = fail_copy();
}

/* Processes that MPI does not connect are refused (launcher_refuse). */
static void launcher_alone(
        const struct doctor *doctor, const struct launcher *launcher, struct finding *finding)
{
	finding->severity = doctor->mpi ? CHECK_PROBLEM : CHECK_NOTE;
	text_add(&finding->text, "%s started %d processes (%s), which MPI does not connect", launcher->name,
	        launcher->count, launcher->variable);
	text_add(&finding->consequence, "`ranksh` is refused in them");
	if (launcher->type)
		text_add(&finding->type, "%s -n %d ranksh FILE.rsh", launcher->type, launcher->count);
	else
		text_add(&finding->type, "ranksh -n %d FILE.rsh", launcher->count);
}

void check_launcher(const struct doctor *doctor, struct finding *finding)
{
	struct launcher launcher;
	int number, count;
	job_find(&number, &count);
	if (launcher_joins(doctor->options->n)) {
		const char *name = getenv("OMPI_COMM_WORLD_SIZE") ? "mpirun"
		        : launcher_several(&launcher)             ? launcher.name
		                                                  : "a launcher of PMIx";
		text_add(&finding->text, "this is process 0 of %d of %s", count > 0 ? count : 1, name);
		text_add(&finding->consequence, "a file or lines run on all; a prompt needs a shell");
	} else if (launcher_several(&launcher)) {
		launcher_alone(doctor, &launcher, finding);
	} else {
		text_add(&finding->text, "none");
		text_add(&finding->consequence, "`ranksh` starts the ranks itself");
	}
	finding_number(finding, "processes", count > 0 ? count : 1);
}

void check_allocation(const struct doctor *doctor, struct finding *finding)
{
	const struct hosts *hosts = &doctor->hosts;
	if (doctor->refused) {
		finding->severity = CHECK_PROBLEM;
		text_add(&finding->text, "%s", doctor->refused);
		text_add(&finding->consequence, "no session starts");
	} else if (hosts->from != HOSTS_NONE) {
		text_add(&finding->text, "%s: %d host%s", hosts->name, hosts->nodes,
		        hosts->nodes == 1 ? "" : "s");
		if (hosts->slots)
			text_add(&finding->text, ", %d slots", hosts->slots);
		text_add(&finding->consequence, "`ranksh` starts %d ranks", doctor->n);
		finding_number(finding, "hosts", hosts->nodes);
		finding_number(finding, "slots", hosts->slots ? hosts->slots : INT64_MAX);
	}
}

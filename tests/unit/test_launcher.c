/* test_launcher.c -- launchers and their variables */
#include "check.h"
#include "shell/rank/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Replaces the environment by NAME=VALUE words that are split at blanks. */
static void environment(const char *words)
{
	static char copy[400];
	clearenv();
	snprintf(copy, sizeof copy, "%s", words);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		putenv(word);
}

static void each_launcher_is_known(void **state)
{
	(void)state;
	static const struct {
		const char *words, *name;
		int number, count; /* 0: one process, or none of several */
	} rows[] = {
	        {"", NULL, 0, 0},
	        {"SLURM_STEP_ID=0 SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=4", "srun", 3, 4},
	        {"SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 SLURM_NTASKS=4", NULL, 0, 0},
	        {"SLURM_JOB_ID=7 SLURM_NTASKS=4 SLURM_NNODES=2", NULL, 0, 0}, /* salloc's shell */
	        {"SLURM_JOB_ID=7 SLURM_NTASKS=4 SLURM_PROCID=0", NULL, 0, 0}, /* sbatch's script */
	        {"RANK=1 WORLD_SIZE=8 LOCAL_RANK=1", "torchrun", 1, 8},
	        {"RANK=1 WORLD_SIZE=8", NULL, 0, 0},
	        {"RANK=1 WORLD_SIZE= LOCAL_RANK=1", NULL, 0, 0},
	        {"RANK=1 WORLD_SIZE=8x LOCAL_RANK=1", NULL, 0, 0},
	        {"RANK=5 WORLD_SIZE=8 LOCAL_RANK=1 SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2",
	                "torchrun", 5, 8},
	        {"FLUX_TASK_RANK=0 FLUX_JOB_SIZE=2 PMI_RANK=0 PMI_SIZE=2", "flux", 0, 2},
	        {"JSM_NAMESPACE_RANK=1 JSM_NAMESPACE_SIZE=2", "jsrun", 1, 2},
	        {"HOROVOD_RANK=1 HOROVOD_SIZE=2", "horovodrun", 1, 2},
	        {"PMI_RANK=1 PMI_SIZE=2 MPI_LOCALNRANKS=1 SLURM_STEP_ID=0 SLURM_PROCID=0 "
	         "SLURM_STEP_NUM_TASKS=2",
	                "MPICH's mpiexec", 1, 2},
	        {"PMI_RANK=1 PMI_SIZE=2 SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2", "srun", 1, 2},
	        {"PMI_RANK=1 PMI_SIZE=2", "a PMI launcher", 1, 2},
	        {"RANK=1 WORLD_SIZE=8 LOCAL_RANK=1 RANKSH_LAUNCHER=none", NULL, 0, 0},
	};
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		struct launcher launcher = {0};
		environment(rows[i].words);
		bool several = launcher_several(&launcher);
		if (several != (rows[i].name != NULL))
			fail_msg("%s: %s", rows[i].words, several ? launcher.name : "none");
		if (!several)
			continue;
		assert_string_equal(launcher.name, rows[i].name);
		assert_int_equal(launcher.number, rows[i].number);
		assert_int_equal(launcher.count, rows[i].count);
	}
}

static void only_mpi_makes_ranks(void **state)
{
	(void)state;
	static const struct {
		const char *words;
		int n;
		bool joins;
	} rows[] = {
	        {"", 0, false},
	        {"OMPI_COMM_WORLD_SIZE=1", 0, true},
	        {"OMPI_COMM_WORLD_SIZE=4 RANKSH_LAUNCHER=none", 4, true},
	        {"PMIX_RANK=0 SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4", 0, true},
	        {"PMIX_RANK=0 SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4", 4, true},
	        /* a single process of srun that starts the ranks itself */
	        {"PMIX_RANK=0 SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1", 4, false},
	        {"PMIX_RANK=0 SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1", 1, true},
	        {"PMIX_RANK=0", 4, true},
	        {"PMI_RANK=0 PMI_SIZE=2", 0, true},
	        {"PMI_RANK=0 PMI_SIZE=2 RANKSH_LAUNCHER=none", 0, false},
	        {"SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4", 0, false},
	        {"RANK=1 WORLD_SIZE=8 LOCAL_RANK=1", 0, false},
	};
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		environment(rows[i].words);
		if (launcher_joins(rows[i].n) != rows[i].joins)
			fail_msg("%s, -n %d: %d", rows[i].words, rows[i].n, !rows[i].joins);
	}
}

/* Returns what launcher_refuse writes for that environment. */
static const char *refusal(const char *words)
{
	static char text[1000];
	struct launcher launcher = {0};
	int ends[2];
	environment(words);
	assert_true(launcher_several(&launcher));
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(launcher_refuse(&launcher, ends[1]), 2);
	close(ends[1]);
	ssize_t got = read(ends[0], text, sizeof text - 1);
	text[got > 0 ? got : 0] = '\0';
	close(ends[0]);
	return text;
}

static void number_0_reports(void **state)
{
	(void)state;
	const char *srun = "SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4";
	assert_non_null(strstr(refusal(srun), "srun started 4 processes (SLURM_STEP_NUM_TASKS)"));
	assert_non_null(strstr(refusal(srun),
	        "type `srun --mpi=pmix -n 4 ranksh FILE.rsh`, or `ranksh -n 4 FILE.rsh` once"));
	assert_non_null(
	        strstr(refusal("RANK=0 WORLD_SIZE=2 LOCAL_RANK=0"), "type `ranksh -n 2 FILE.rsh` once"));
	/* with PMIx, and yet not connected */
	assert_non_null(strstr(refusal("PMIX_RANK=0 SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4"),
	        "type `ranksh -n 4 FILE.rsh` once"));
	assert_string_equal(refusal("RANK=1 WORLD_SIZE=2 LOCAL_RANK=1"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_launcher_is_known),
	        cmocka_unit_test(only_mpi_makes_ranks), cmocka_unit_test(number_0_reports)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

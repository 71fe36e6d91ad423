/* test_hosts.c -- lists of hosts, typed, in files and of batch systems; the lines by which a host
 * answers */
#include "shell/terminal/hosts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Checks the list for mpirun and the number of ranks, or the words of the refusal. */
static void expect_hosts(const struct options *options, const char *list, int ranks, const char *refused)
{
	struct hosts hosts;
	int n = options->n;
	enum status status = hosts_read(options, &hosts);
	if (status == ST_OK)
		status = hosts_share(&hosts, &n);
	if (refused) {
		assert_int_not_equal(status, ST_OK);
		if (!strstr(fail_text(), refused))
			fail_msg("\"%s\" does not name \"%s\"", fail_text(), refused);
	} else {
		if (status != ST_OK)
			fail_msg("%s", fail_text());
		assert_string_equal(text_string(&hosts.list), list);
		assert_int_equal(n, ranks);
	}
	hosts_release(&hosts);
}

static void typed_lists(void **state)
{
	(void)state;
	static const struct {
		const char *typed;
		int n;
		const char *list;
		int ranks;
		const char *refused;
	} rows[] = {
	        {"n1,n2", 16, "n1:8,n2:8", 16, NULL},
	        {"n1,n2", 7, "n1:4,n2:3", 7, NULL},
	        {"n1,n2", 0, "n1:2,n2:2", 4, NULL},
	        {"n1:12,n2:4", 0, "n1:12,n2:4", 16, NULL},
	        {"n1:12,n2:4", 13, "n1:12,n2:1", 13, NULL},
	        {"n1:12,n2:4", 8, "n1:8", 8, NULL},
	        {"n1,n2:4,n3", 7, "n1:2,n2:4,n3:1", 7, NULL},
	        {"10.0.0.1,a-b.c_d", 4, "10.0.0.1:2,a-b.c_d:2", 4, NULL},
	        {"n1:12,n2:4", 20, NULL, 0, "-n 20 is more than the 16 slots of --hosts; -n 16 or fewer"},
	        {"n1,n2,n3", 2, NULL, 0, "no rank is left for n3"},
	        {"n1:2,n2", 0, NULL, 0, "give each a number"},
	        {"n1:1", 0, NULL, 0, "ranksh -n 1"},
	        {"n1:300,n2:300", 0, NULL, 0, "600 slots"},
	        {"", 4, NULL, 0, "name is missing"},
	        {"n1,", 4, NULL, 0, "name is missing"},
	        {"n1,N1", 4, NULL, 0, "N1 is listed twice"},
	        {"n[1-4]", 4, NULL, 0, "'n[1-4]'"},
	        {"-oProxyCommand=x", 4, NULL, 0, "no host name"},
	        {"n1 n2", 4, NULL, 0, "'n1 n2'"},
	        {"me@n1", 4, NULL, 0, "~/.ssh/config"},
	        {"n1:", 4, NULL, 0, "'n1:'"},
	        {"n1:0", 4, NULL, 0, "'n1:0'"},
	        {"n1:4x", 4, NULL, 0, "'n1:4x'"},
	        {"n1:-4", 4, NULL, 0, "'n1:-4'"},
	        {"n1:99999999999999999999", 4, NULL, 0, "1 to 4096"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct options options = {.hosts = rows[i].typed, .n = rows[i].n};
		expect_hosts(&options, rows[i].list, rows[i].ranks, rows[i].refused);
	}
}

static void write_file(const char *path, const char *bytes)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(bytes, file);
	fclose(file);
}

static void files(void **state)
{
	(void)state;
	char path[] = "/tmp/test_hosts.XXXXXX", place[64];
	static const struct {
		const char *bytes;
		int n;
		const char *list;
		int ranks;
		const char *refused; /* after the path */
	} rows[] = {
	        {"n1\nn2\n", 8, "n1:4,n2:4", 8, NULL},
	        {"# two\nn1 slots=3 max_slots=9 # a\r\n\n\tn2 slots=1\r\n", 0, "n1:3,n2:1", 4, NULL},
	        {"n1:3\nn2:1", 0, "n1:3,n2:1", 4, NULL},
	        {"n1\nn1\nn2\n", 0, "n1:2,n2:1", 3, NULL},
	        {"n1 slots=4\n\nn2 slot=4\n", 0, NULL, 0, ":3: 'slot=4' is unknown: did you mean slots?"},
	        {"n1 slots=4 user=me\n", 0, NULL, 0, ":1: 'user=me' is unknown; a line is"},
	        {"n1 slots\n", 0, NULL, 0, ":1: 'slots' is unknown"},
	        {"n1 slots=four\n", 0, NULL, 0, ":1: 'slots=four': slots are a number"},
	        {"n1 slots=2\nn1\n", 0, NULL, 0, ":2: n1 is listed twice"},
	        {"n1;n2\n", 0, NULL, 0, ":1: 'n1;n2' is no host name"},
	        {"n1 slots=2\n", 3, NULL, 0, " -n 2 or fewer, or more slots"},
	        {"# nothing\n", 0, NULL, 0, " names no host"},
	        {"\xff\xfen\0001\0", 0, NULL, 0, "UTF-16"},
	};
	int file = mkstemp(path);
	assert_true(file >= 0);
	close(file);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct options options = {.hostfile = path, .n = rows[i].n};
		write_file(path, rows[i].bytes);
		snprintf(place, sizeof place, "%s%s", rows[i].refused && *rows[i].refused == ':' ? path : "",
		        rows[i].refused ? rows[i].refused : "");
		expect_hosts(&options, rows[i].list, rows[i].ranks, rows[i].refused ? place : NULL);
	}
	unlink(path);
	struct options options = {.hostfile = path};
	expect_hosts(&options, NULL, 0, "--hostfile");
}

static void clear_jobs(void)
{
	static const char *const names[] = {"SLURM_JOB_ID", "SLURM_TASKS_PER_NODE", "SLURM_JOB_NODELIST",
	        "PBS_JOBID", "PBS_NODEFILE", "LSB_JOBID", "LSB_MCPU_HOSTS", "RANKSH_LAUNCHER"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unsetenv(names[i]);
}

static void slurm(void **state)
{
	(void)state;
	static const struct {
		const char *tasks;
		int n;
		const char *list;
		int ranks;
		const char *refused;
	} rows[] = {
	        {"8(x2)", 0, "n[1-2]", 16, NULL},
	        {"8(x2)", 4, "n[1-2]", 4, NULL},
	        {"8(x2),4", 0, "n[1-2]", 20, NULL},
	        {"3,2(x2),1", 0, "n[1-2]", 8, NULL},
	        {"1", 0, "", RANKS_DEFAULT, NULL}, /* an interactive shell */
	        {"1", 8, "", 8, NULL},
	        {"", 0, "", RANKS_DEFAULT, NULL},
	        {"x(", 0, "", RANKS_DEFAULT, NULL},
	        {"8(x2)", 20, NULL, 0,
	                "-n 20 is more than the 16 slots of the Slurm job 12; -n 16 or fewer, or a larger"},
	        {"600", 0, NULL, 0, "600 slots"},
	};
	clear_jobs();
	setenv("SLURM_JOB_ID", "12", 1);
	setenv("SLURM_JOB_NODELIST", "n[1-2]", 1);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		setenv("SLURM_TASKS_PER_NODE", rows[i].tasks, 1);
		struct options options = {.n = rows[i].n};
		expect_hosts(&options, rows[i].list, rows[i].ranks, rows[i].refused);
	}
	setenv("SLURM_TASKS_PER_NODE", "8(x2)", 1);
	expect_hosts(&(struct options){.hosts = "n1", .n = 4}, "n1:4", 4, NULL);
	setenv("RANKSH_LAUNCHER", "none", 1);
	expect_hosts(&(struct options){.n = 20}, "", 20, NULL);
	clear_jobs();
	expect_hosts(&(struct options){0}, "", RANKS_DEFAULT, NULL);
	expect_hosts(&(struct options){.prefix = "/opt"}, NULL, 0, "--prefix /opt: on which hosts?");
}

static void pbs_and_lsf(void **state)
{
	(void)state;
	char path[] = "/tmp/test_hosts.XXXXXX";
	int file = mkstemp(path);
	assert_true(file >= 0);
	close(file);
	clear_jobs();
	setenv("PBS_JOBID", "7.server", 1);
	setenv("PBS_NODEFILE", path, 1);
	write_file(path, "n1\nn1\nn2\n");
	expect_hosts(&(struct options){0}, "n1:2,n2:1", 3, NULL);
	expect_hosts(&(struct options){.n = 2}, "n1:2", 2, NULL);
	expect_hosts(
	        &(struct options){.n = 4}, NULL, 0, "the 3 slots of the PBS job 7.server; -n 3 or fewer");
	write_file(path, "n1\nn2\n");
	expect_hosts(&(struct options){0}, "n1:1,n2:1", 2, NULL);
	write_file(path, "n1\n");
	expect_hosts(&(struct options){.n = 4}, "", 4, NULL);
	unlink(path); /* the variable of a job that is over */
	expect_hosts(&(struct options){0}, "", RANKS_DEFAULT, NULL);
	clear_jobs();
	setenv("LSB_JOBID", "3", 1);
	setenv("LSB_MCPU_HOSTS", "n1 8 n2 4 ", 1);
	expect_hosts(&(struct options){0}, "n1:8,n2:4", 12, NULL);
	expect_hosts(&(struct options){.n = 13}, NULL, 0, "the 12 slots of the LSF job 3");
	setenv("LSB_MCPU_HOSTS", "n1", 1);
	expect_hosts(&(struct options){0}, NULL, 0, "LSB_MCPU_HOSTS: 'n1'");
	clear_jobs();
}

static void lines_of_hosts(void **state)
{
	(void)state;
	struct text waits = {0}, faults = {0};
	static const char *const lines[] = {"\036ask n1", "\036ask n10", "\036ask n2", "noise\036answer n1",
	        "\036fault n2: no", "\036fault n3: no", "\036fault n2: no"};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_true(reach_hear(lines[i], strlen(lines[i]), &waits, &faults));
	assert_string_equal(text_string(&waits), "n10 n2");
	assert_string_equal(text_string(&faults), "n2: no\nn3: no");
	assert_false(reach_hear("\036started", 8, &waits, &faults));
	assert_false(reach_hear("\036as", 3, &waits, &faults));
	assert_false(reach_hear("", 0, &waits, &faults));
	text_release(&waits);
	text_release(&faults);
	assert_int_equal(hosts_option("--hosts"), 2);
	assert_int_equal(hosts_option("--hosts=n1"), 1);
	assert_int_equal(hosts_option("--prefix"), 2);
	assert_int_equal(hosts_option("--host") + hosts_option("-n") + hosts_option("n1"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(typed_lists),
	        cmocka_unit_test(files),
	        cmocka_unit_test(slurm),
	        cmocka_unit_test(pbs_and_lsf),
	        cmocka_unit_test(lines_of_hosts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

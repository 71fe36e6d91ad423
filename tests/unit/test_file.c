/* test_file.c -- a file appears complete or not at all */
#include "check.h"
#include "base/file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/ranksh-file-XXXXXX";

static void assert_content(const char *path, const char *wanted)
{
	char got[64] = "";
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	got[fread(got, 1, sizeof got - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(got, wanted);
}

static void test_written_and_replaced(void **state)
{
	(void)state;
	assert_int_equal(file_write("a", "first", 5), ST_OK);
	assert_content("a", "first");
	assert_int_equal(file_write("a", "second", 6), ST_OK);
	assert_content("a", "second");
	assert_int_equal(symlink("a", "link"), 0);
	assert_int_equal(file_write("link", "third", 5), ST_OK); /* the link stays one */
	assert_content("a", "third");
}

/* What stood there stays, and nothing else is left. */
static void test_not_finished(void **state)
{
	struct rlimit limit, small;
	(void)state;
	assert_int_equal(file_write("b", "old", 3), ST_OK);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = (struct rlimit){4, limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(file_write("b", "too long", 8), ST_FILE);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_string_equal(fail_text(), "b cannot be written: File too large");
	assert_content("b", "old");
	assert_int_equal(system("test -z \"$(ls | grep part)\""), 0);
}

static void test_refused(void **state)
{
	struct stat about;
	(void)state;
	assert_int_equal(file_write("no/such/folder", "x", 1), ST_FILE);
	assert_non_null(strstr(fail_text(), "no/such/folder cannot be written: No such file"));
	assert_int_equal(file_write(".", "x", 1), ST_FILE);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(file_write("pipe", "x", 1), ST_FILE);
	assert_string_equal(fail_text(), "pipe is not a regular file");
	assert_int_equal(stat("pipe", &about), 0);
}

static int enter(void **state)
{
	(void)state;
	return !mkdtemp(folder) || chdir(folder) != 0;
}

static int leave(void **state)
{
	char command[64];
	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return chdir("/") != 0 || system(command) != 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_written_and_replaced),
	        cmocka_unit_test(test_not_finished),
	        cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, enter, leave);
}

/* test_options.c -- the command line, and the device that it selects */
#include "shell/session/device.h"
#include "shell/session/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { WORDS = 10 };

/* One line of words, split at blanks, as the command line. */
static enum status read_words(const char *line, struct options *options)
{
	static char copy[256];
	static char *words[WORDS + 2];
	int count = 1;
	strncpy(copy, line, sizeof copy - 1);
	words[0] = "ranksh";
	for (char *word = strtok(copy, " "); word && count <= WORDS; word = strtok(NULL, " "))
		words[count++] = word;
	return options_read(options, count, words);
}

static void what_is_asked_is_read(void **state)
{
	(void)state;
	struct options options;
	assert_int_equal(read_words("-n 8 --machine dgx-h100 --limit 10s a.rsh M=16 N=2", &options), ST_OK);
	assert_int_equal(options.n, 8);
	assert_string_equal(options.machine, "dgx-h100");
	assert_string_equal(options.file, "a.rsh");
	assert_int_equal(options.limit_ns, 10000000000);
	assert_int_equal(options.arguments, 2);
	assert_string_equal(options.argument[0], "M=16");
	assert_string_equal(options.argument[1], "N=2");
	assert_true(options_batch(&options));
	assert_int_equal(read_words("--dry -n 4096 -c sync", &options), ST_OK);
	assert_true(options.dry);
	assert_string_equal(options.lines, "sync");
	assert_int_equal(read_words("--test -n 4 a.rsh M=1", &options), ST_OK);
	assert_true(options.test && options.n == 4 && options.arguments == 1);
	assert_string_equal(options.file, "a.rsh");
	assert_int_equal(read_words("-n 4 --test", &options), ST_ARGUMENT);
	assert_int_equal(read_words("--test a.rsh --machine=classroom", &options), ST_OK);
	assert_true(options.test);
	assert_string_equal(options.machine, "classroom");
	assert_int_equal(read_words("a.rsh -n 2 M=1", &options), ST_OK);
	assert_int_equal(options.n, 2);
	assert_string_equal(options.argument[0], "M=1");
}

static void mistakes_are_named(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		enum status status;
		const char *words;
	} rows[] = {
	        {"--dyr", ST_ARGUMENT, "did you mean --dry"},
	        {"--machin x", ST_ARGUMENT, "did you mean --machine"},
	        {"-n", ST_ARGUMENT, "-n needs a value"},
	        {"-n four", ST_RANGE, "'four'"},
	        {"-n 0", ST_RANGE, "'0'"},
	        {"-n 4097", ST_RANGE, "4097"},
	        {"-n 2000", ST_RANGE, "--dry"},
	        {"--limit ten", ST_UNIT, "'ten'"},
	        {"--limit 10", ST_UNIT, "10s"},
	        {"--limit 10kB", ST_UNIT, "10kB"},
	        {"--dry=1", ST_ARGUMENT, "--dry takes no value"},
	        {"a.rsh b.rsh", ST_ARGUMENT, "b.rsh"},
	        {"-c sync a.rsh", ST_ARGUMENT, "a.rsh"},
	        {"-c a -c b", ST_ARGUMENT, "twice"},
	        {"--resume a.rsh", ST_ARGUMENT, "--resume"},
	        {"--class", ST_ARGUMENT, "--class needs a value"},
	        {"--clas lab", ST_ARGUMENT, "did you mean --class"},
	        {"--class lab --test a.rsh", ST_ARGUMENT, "--class runs lines as if typed"},
	        {"--json --follow j", ST_ARGUMENT, "--json runs lines as if typed"},
	        {"--json a.rsh M=1", ST_ARGUMENT, "M=1"},
	        {"--as ada", ST_ARGUMENT, "--class DIR"},
	        {"--csv", ST_ARGUMENT, "--overview DIR"},
	        {"--overview lab --resume", ST_ARGUMENT, "--overview shows a class"},
	        {"--journal j a.rsh", ST_ARGUMENT, "--journal"},
	        {"--follow j -c sync", ST_ARGUMENT, "--follow"},
	        {"--follow j --resume", ST_ARGUMENT, "--follow and --resume"},
	        {"--follow j --journal k", ST_ARGUMENT, "--follow and --journal"},
	        {"--follow j --follow k", ST_ARGUMENT, "--follow twice"},
	        {"--hosts n1 --dry", ST_ARGUMENT, "--hosts and --dry cannot be combined"},
	        {"--hosts n1 -n 1", ST_ARGUMENT, "--hosts and -n 1 cannot be combined"},
	        {"--hostfile f --grade 1 f", ST_ARGUMENT, "--hostfile and --grade"},
	        {"--hosts n1 help", ST_ARGUMENT, "--hosts and help"},
	        {"--hosts n1 --hostfile f", ST_ARGUMENT, "--hosts and --hostfile"},
	        {"--hosts n1 --hosts n2", ST_ARGUMENT, "--hosts twice"},
	        {"--hosts n1 --prefix opt", ST_ARGUMENT, "'opt'"},
	        {"--hosts n1 -n 600", ST_RANGE, "at most 512 processes"},
	        {"--host n1", ST_ARGUMENT, "did you mean --hosts"},
	        {"--folow j", ST_ARGUMENT, "did you mean --follow"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct options options;
		assert_int_equal(read_words(rows[i].line, &options), rows[i].status);
		if (!strstr(fail_text(), rows[i].words))
			fail_msg("%s: \"%s\" does not name \"%s\"", rows[i].line, fail_text(), rows[i].words);
	}
}

/* The words, and RANKSH_DEVICE: the device; or the refusal's words */
static void the_device_is_chosen(void **state)
{
	(void)state;
	static const struct {
		const char *line, *set, *device, *words;
	} rows[] = {
	        {"-c sync", NULL, "auto", "no GPU is used"},
	        {"-c sync", "", "auto", "no GPU is used"},
	        {"--machine this", NULL, "auto", NULL},
	        {"--machine dgx-h100", NULL, "sim", "no GPU is used"},
	        {"--machine dgx-h100 --wire", NULL, "auto", NULL}, /* a resumed session's: job.c */
	        {"--machine dgx-h100 --device cuda", NULL, "cuda", NULL},
	        {"--check-lessons", NULL, "sim", "no GPU is used"},
	        {"--test a.rsh", "auto", "sim", "no GPU is used"},
	        {"-c sync", "cuda", "cuda", NULL},
	        {"-c sync", "sim", "sim", "by RANKSH_DEVICE=sim"},
	        {"--device auto", "cuda", "auto", "no GPU is used"},
	        {"--device sim --device cuda", "sim", "cuda", NULL},
	        {"--device sim", "cuda", "sim", "by --device sim"},
	        {"--device sim --dry", NULL, "sim", "shapes and times only"},
	        {"--dry", "cuda", "sim", "shapes and times only"},
	        {"--test a.rsh", "cuda", "cuda", NULL},
	        {"--dry --device cuda", NULL, NULL, "--dry --device cuda: --dry only models"},
	        {"--device cdua", NULL, NULL,
	                "--device is auto, sim or cuda, not 'cdua'; did you mean cuda?"},
	        {"--device tpu3", "sim", NULL, "not 'tpu3'"},
	        {"-c sync", "simm", NULL,
	                "RANKSH_DEVICE is auto, sim or cuda, not 'simm'; did you mean sim?"},
	        {"--dry", "simm", NULL, "'simm'"},
	        {"help why", "simm", "sim", NULL}, /* help needs no device */
	        {"--device cuda help why", NULL, "sim", NULL},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct options options;
		if (rows[i].set)
			setenv("RANKSH_DEVICE", rows[i].set, 1);
		else
			unsetenv("RANKSH_DEVICE");
		assert_int_equal(read_words(rows[i].line, &options), ST_OK);
		assert_int_equal(device_choose(&options), rows[i].device ? ST_OK : ST_ARGUMENT);
		if (rows[i].device)
			assert_string_equal(options.device, rows[i].device);
		const char *said = rows[i].device ? device_why(&options) : fail_text();
		if (rows[i].words && !strstr(said, rows[i].words))
			fail_msg("%s: \"%s\" does not say \"%s\"", rows[i].line, said, rows[i].words);
	}
}

/* Every option of the help is read, and every option that is read is in the help; but --wire, which is
 * between ranksh and ranksh. */
static void help_names_every_option(void **state)
{
	(void)state;
	static const char *const lines[] = {"-n 4", "-c x", "--test x", "--machine x", "--dry", "--limit 1s",
	        "--device sim", "--resume", "--journal j", "--follow j", "--check-lessons", "--class x",
	        "--class x --as y", "--overview x", "--overview x --once", "--overview x --csv", "--version",
	        "--help"};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct options options;
		char name[32] = "";
		const char *last = strstr(lines[i], " --"); /* the first one is there for it */
		last = last ? last + 1 : lines[i];
		strncpy(name, last, strcspn(last, " "));
		assert_int_equal(read_words(lines[i], &options), ST_OK);
		assert_non_null(strstr(options_help(), name));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_is_asked_is_read),
	        cmocka_unit_test(mistakes_are_named),
	        cmocka_unit_test(the_device_is_chosen),
	        cmocka_unit_test(help_names_every_option),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

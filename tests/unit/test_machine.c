/* test_machine.c -- machine descriptions: the embedded ones, a user's file, its mistakes, and
 * the costs that follow */
#include "check.h"
#include "base/arithmetic.h"
#include "machine/machine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct machine load(const char *name)
{
	struct machine machine;

	if (machine_load(&machine, name))
		fail_msg("%s", fail_text());
	return machine;
}

static void every_machine_loads_with_sources(void **state)
{
	char name[64];
	int count = 0;

	(void)state;
	for (; machine_embedded(count); count++) {
		struct machine machine;

		snprintf(name, sizeof name, "%s", machine_embedded(count));
		machine = load(name);
		assert_string_equal(machine.name, name);
		assert_true(*machine.title);
		for (int i = 0; i < MACHINE_KEY_COUNT; i++) {
			const char *about;
			enum unit unit;
			struct number value;

			assert_true(strchr(machine.source[i], ':') != NULL);
			value.value = machine_value(&machine, i);
			assert_true(*machine_key(i, &about, &unit) && *about);
			value.unit = unit;
			assert_int_equal(machine_set(&machine, machine_key(i, NULL, NULL), value), ST_OK);
			assert_string_equal(machine.source[i], "set by you");
		}
	}
	assert_int_equal(count, 11);
}

static void classroom_is_readable(void **state)
{
	struct machine machine = load("classroom");
	struct path path;
	double block = 256 * 256 * 4;

	(void)state;
	assert_true(machine.launch == 20e3);
	assert_int_equal(machine_kernel_ns(&machine, DT_F32, 2.0 * 256 * 256 * 256, 3 * block), 2000000);
	assert_int_equal(machine_kernel_ns(&machine, DT_BF16, 2.0 * 256 * 256 * 256, 3 * block / 2), 1000000);
	assert_int_equal(machine_kernel_ns(&machine, DT_F32, 256 * 256, 2 * block), 31250);
	assert_int_equal(round_up(machine.copy_latency + block * 1e9 / machine.h2d), 1000000);
	assert_int_equal(round_up(machine.copy_latency + block * 1e9 / machine.pageable), 2000000);
	machine_path(&machine, 0, 1, &path);
	assert_int_equal(round_up(path.latency_ns + block * 1e9 / path.rate), 970000);
}

static void variants_differ_only_in_nodes(void **state)
{
	struct machine one = load("dgx-h100"), many = load("dgx-h100-128");

	(void)state;
	assert_true(many.nodes == 128);
	for (int i = 0; i < MACHINE_KEY_COUNT; i++) {
		if (strcmp(machine_key(i, NULL, NULL), "nodes") != 0)
			assert_true(machine_value(&one, i) == machine_value(&many, i));
	}
}

static void paths(void **state)
{
	struct machine machine = load("dgx-h100-2");
	struct path path;

	(void)state;
	machine_path(&machine, 0, 7, &path);
	assert_int_equal(path.count, 2);
	assert_int_equal(path.link[0], 0 * LINK_KINDS + LINK_OUT);
	assert_int_equal(path.link[1], 7 * LINK_KINDS + LINK_IN);
	assert_true(path.rate == 376e9);
	machine_path(&machine, 7, 8, &path);
	assert_int_equal(path.link[0], 7 * LINK_KINDS + LINK_NIC_OUT);
	assert_int_equal(path.link[1], 8 * LINK_KINDS + LINK_NIC_IN);
	assert_true(path.rate == 48.5e9 && path.latency_ns == 1800);
	assert_int_equal(machine_node(&machine, 40), 5); /* more ranks than GPUs: more nodes */
	machine = load("pcie-4gpu");
	machine_path(&machine, 2, 1, &path);
	assert_int_equal(path.link[0], 2 * LINK_KINDS + LINK_UP);
	assert_int_equal(path.link[1], 1 * LINK_KINDS + LINK_DOWN);
	assert_true(path.rate == 20e9);
	for (int kind = 0; kind < LINK_KINDS; kind++)
		assert_true(*link_name(kind) && machine_link_rate(&machine, kind) > 0);
}

static void whole_ns_rounds_up(void **state)
{
	(void)state;
	assert_int_equal(round_up(0), 0);
	assert_int_equal(round_up(5), 5);
	assert_int_equal(round_up(5.0000001), 5); /* what doubles made of 5 */
	assert_int_equal(round_up(5.01), 6);
}

static void setting(void **state)
{
	static const struct {
		const char *key;
		double value;
		enum unit unit;
		enum status status;
		const char *words;
	} rows[] = {
	        {"launch", 5e3, UNIT_TIME, ST_OK, ""},
	        {"launch", 0, UNIT_PLAIN, ST_OK, ""},
	        {"launch", 20, UNIT_PLAIN, ST_UNIT,
	                "launch is a time, such as 20us; here it is a plain number"},
	        {"launch", -1, UNIT_TIME, ST_RANGE, "launch must be between"},
	        {"lanch", 1, UNIT_TIME, ST_NAME, "did you mean 'launch'?"},
	        {"colour", 1, UNIT_TIME, ST_NAME, "`machine` lists them"},
	        {"h2d", 12e9, UNIT_BYTES, ST_UNIT, "h2d is bytes/s, such as 12GB/s"},
	        {"h2d", 0, UNIT_BYTE_RATE, ST_RANGE, "h2d must be between"},
	        {"efficiency", 1.5, UNIT_PLAIN, ST_RANGE, "efficiency must be between"},
	        {"efficiency", 0, UNIT_PLAIN, ST_RANGE, "efficiency must be between"},
	        {"collective_sms", 1, UNIT_PLAIN, ST_RANGE, "collective_sms must be between"},
	        {"memory", 1000, UNIT_BYTES, ST_RANGE, "memory must be between 1 MB and"},
	        {"gpus", 2.5, UNIT_PLAIN, ST_RANGE, "gpus must be a whole number"},
	        {"gpus", 0, UNIT_PLAIN, ST_RANGE, "gpus must be between 1 and 4096"},
	        {"nccl_generation", 4, UNIT_PLAIN, ST_RANGE, "between 0 and 3"},
	};
	struct machine machine = load("classroom");

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct machine before = machine;

		assert_int_equal(
		        machine_set(&machine, rows[i].key, (struct number){rows[i].value, rows[i].unit}),
		        rows[i].status);
		if (!rows[i].status)
			continue;
		assert_true(memcmp(&before, &machine, sizeof machine) == 0);
		if (!strstr(fail_text(), rows[i].words))
			fail_msg("'%s' lacks '%s'", fail_text(), rows[i].words);
	}
}

static enum status load_text(struct machine *machine, const char *text)
{
	char path[] = "/tmp/ranksh-test-XXXXXX.machine";
	int descriptor = mkstemps(path, 8);
	FILE *file = fdopen(descriptor, "w");
	enum status status;

	fputs(text, file);
	fclose(file);
	status = machine_load(machine, path);
	unlink(path);
	return status;
}

static void a_file_of_ones_own(void **state)
{
	struct machine machine;

	(void)state;
	if (load_text(&machine,
	            "title = mine\nlike = classroom\n\n# slow to launch\nlaunch=1ms # measured at home\n"))
		fail_msg("%s", fail_text());
	assert_true(machine.launch == 1e6);
	assert_string_equal(machine.title, "mine");
	assert_int_equal(machine.gpus, 8);
	assert_true(strstr(machine.source[0], ":5 measured at home") != NULL);
}

/* It has the figures of the nearest that is shipped; a file may say that it is the GPU's, a machine that is like it is not. */
static void the_gpu_at_hand(void **state)
{
	static const struct {
		const char *gpu, *like;
	} rows[] = {{"NVIDIA H200", "hgx-h200"}, {"NVIDIA GH200 480GB", "hgx-h200"},
	        {"NVIDIA H100 80GB HBM3", "dgx-h100"}, {"NVIDIA A100-SXM4-80GB", "dgx-a100"},
	        {"Tesla T4", "pcie-4gpu"}};
	struct machine machine;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct machine like = load(rows[i].like);
		assert_int_equal(machine_here(&machine, rows[i].gpu, 33e9, 3, 2), ST_OK);
		assert_string_equal(machine.name, "this");
		assert_memory_equal(machine.title, rows[i].gpu, strlen(rows[i].gpu));
		assert_non_null(strstr(machine.title, rows[i].like));
		assert_true(
		        machine.here && machine.memory == 33e9 && machine.gpus == 3 && machine.nodes == 2);
		assert_true(machine.memory_rate == like.memory_rate);
	}
	assert_int_equal(load_text(&machine, "title = t\nhere = yes\nlike = classroom\n"), ST_OK);
	assert_true(machine.here);
	assert_int_equal(load_text(&machine, "like = classroom\nhere = no\n"), ST_OK);
	assert_true(!machine.here && !load("hgx-h200").here);
}

/* A description's texts have room for so many bytes, and no half of a character is shown. */
static void long_texts_are_cut_behind_a_character(void **state)
{
	char text[600], long_text[200];

	(void)state;
	for (int begin = 0; begin < 2; begin++) {
		struct machine machine;
		memset(long_text, 'a', (size_t)begin);
		for (size_t i = (size_t)begin; i + 2 < sizeof long_text; i += 2)
			memcpy(long_text + i, "\303\251", 3);
		snprintf(text, sizeof text, "title = %s\nlike = classroom\nlaunch = 1us # %s\n", long_text,
		        long_text);
		assert_int_equal(load_text(&machine, text), ST_OK);
		assert_int_equal(strlen(machine.title), sizeof machine.title - 2 + (size_t)begin);
		assert_int_equal(text_valid(machine.title, sizeof machine.title), strlen(machine.title));
		assert_int_equal(text_valid(machine.source[0], 96), strlen(machine.source[0]));
	}
}

static void mistakes_in_files(void **state)
{
	static const struct {
		const char *text;
		enum status status;
		const char *words;
	} rows[] = {
	        {"", ST_SYNTAX, "launch is missing"},
	        {"launch = 20 us # x\n", ST_SYNTAX, "segment is missing"},
	        {"like = classroom\nlaunch = 20 us\n", ST_SYNTAX, ":2: launch has no source"},
	        {"like = classroom\nlaunch = 20 GB # x\n", ST_UNIT, ":2: launch is a time"},
	        {"like = classroom\nlanch = 20 us # x\n", ST_NAME,
	                ":2: a machine has no number 'lanch'; did you mean 'launch'?"},
	        {"like = classroom\nlaunch = 1 us # x\nlaunch = 2 us # x\n", ST_SYNTAX,
	                ":3: launch is given twice"},
	        {"like = classroom\nlaunch = much # x\n", ST_SYNTAX, ":2: "},
	        {"like = classroom\nlaunch = 1 us 2 # x\n", ST_UNIT, ":2: "},
	        {"like = classroom\nefficiency = 120% # x\n", ST_RANGE, ":2: efficiency must be between"},
	        {"like = clasroom\n", ST_NAME, ":1: no machine 'clasroom'; did you mean 'classroom'?"},
	        {"launch = 1us # x\nlike = classroom\n", ST_SYNTAX,
	                ":2: `like` must come before the numbers"},
	        {"here = maybe\n", ST_SYNTAX, ":1: `here` is yes or no, not 'maybe'"},
	        {"hello\n", ST_SYNTAX, ":1: 'hello': a line is KEY = NUMBER UNIT"},
	        {"\xff\n", ST_SYNTAX, ":1: this is not text"},
	};
	struct machine machine = load("classroom"), before = machine;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		enum status status = load_text(&machine, rows[i].text);

		if (status != rows[i].status || !strstr(fail_text(), rows[i].words))
			fail_msg("row %zu: %s: %s", i, status_name(status), fail_text());
		assert_true(memcmp(&before, &machine, sizeof machine) == 0);
	}
	assert_int_equal(machine_load(&machine, "clasroom"), ST_NAME);
	assert_non_null(strstr(fail_text(), "did you mean 'classroom'"));
	assert_int_equal(machine_load(&machine, "./none.machine"), ST_FILE);
	assert_int_equal(machine_load(&machine, "/tmp/"), ST_FILE);
}

static void a_long_line_or_file_is_refused(void **state)
{
	struct machine machine;
	static char text[2 << 20];

	(void)state;
	memset(text, 'a', 2000);
	assert_int_equal(load_text(&machine, text), ST_SYNTAX);
	memset(text, '\n', sizeof text - 1);
	assert_int_equal(load_text(&machine, text), ST_FILE);
}

static bool load_quietly(void *self)
{
	struct machine machine;
	(void)self;
	return machine_load(&machine, "dgx-h100-2") == ST_OK && mem_live() == 0;
}

static void without_memory(void **state)
{
	(void)state;
	sweep_memory(load_quietly, NULL);
}

static void the_table_shows_every_number(void **state)
{
	struct machine machine = load("dgx-h100");
	struct text text = {0};

	(void)state;
	machine_text(&machine, &text);
	assert_non_null(strstr(text_string(&text), "dgx-h100: DGX H100"));
	assert_non_null(strstr(text_string(&text), "376 GB/s"));
	for (int i = 0; i < MACHINE_KEY_COUNT; i++)
		assert_non_null(strstr(text_string(&text), machine_key(i, NULL, NULL)));
	text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_machine_loads_with_sources),
	        cmocka_unit_test(classroom_is_readable),
	        cmocka_unit_test(variants_differ_only_in_nodes),
	        cmocka_unit_test(paths),
	        cmocka_unit_test(whole_ns_rounds_up),
	        cmocka_unit_test(setting),
	        cmocka_unit_test(a_file_of_ones_own),
	        cmocka_unit_test(the_gpu_at_hand),
	        cmocka_unit_test(long_texts_are_cut_behind_a_character),
	        cmocka_unit_test(mistakes_in_files),
	        cmocka_unit_test(a_long_line_or_file_is_refused),
	        cmocka_unit_test(without_memory),
	        cmocka_unit_test(the_table_shows_every_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

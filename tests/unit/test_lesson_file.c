/* test_lesson_file.c -- a lesson's text parsed, and the mistakes in it */
#include "shell/course/lessons/lesson_file.h"
#include "check.h"

static const char whole[] = "# lesson: One\n"
                            "# minutes: 12\n"
                            "# ranks: 2 4\n"
                            "# learned: first\n"
                            "# learned: second\n"
                            "a line for who reads the file\n"
                            "## The task\n"
                            "# story\n"
                            "#\n"
                            "#   indented\n"
                            "#: start\n"
                            "let M = 8;  tensor x[4]\n"
                            "# a comment of the starter's\n"
                            "#: reference\n"
                            "r = relu x\n"
                            "#: vary seed M=2:9 ranks=2,4,8\n"
                            "#: allow slow M\n"
                            "#: predict is a = b or not = time\n"
                            "#: choice the copy is free\n"
                            "set pcie_rate=1TB/s\n"
                            "#: check\n"
                            "expect time < 2ms   # late\n"
                            "#: hint\n"
                            "# think\n"
                            "#: solution\n"
                            "y = relu x\n"
                            "#: right\n"
                            "z = relu x\n"
                            "#: wrong\n"
                            "sync\n"
                            "#: wrong\n"
                            "#: naive\n"
                            "spin 9ms\n"
                            "#: ask who = \"io\"\n"
                            "#: transfer\n"
                            "# in torch\n";

static enum status read_text(struct lesson_file *file, const char *text)
{
	*file = (struct lesson_file){0};
	return lesson_file_read(file, text, strlen(text), "one.rsh", false);
}

static void every_part_finds_its_place(void **state)
{
	struct lesson_file file;
	(void)state;
	assert_int_equal(read_text(&file, whole), ST_OK);
	const struct lesson_task *task = &file.task[0];
	assert_string_equal(text_string(&file.title), "One");
	assert_string_equal(text_string(&file.minutes), "12");
	assert_string_equal(text_string(&file.learned), "first\nsecond\n");
	assert_int_equal(file.counts, 2);
	assert_int_equal(file.tasks, 1);
	assert_string_equal(text_string(&task->part[PART_STORY]), "story\n\n  indented\n");
	assert_string_equal(text_string(&task->part[PART_START]),
	        "let M = 8;  tensor x[4]\n# a comment of the starter's\n");
	assert_string_equal(text_string(&task->part[PART_REFERENCE]), "r = relu x\n");
	assert_string_equal(text_string(&task->part[PART_PREDICT]), "is a = b or not");
	assert_string_equal(text_string(&task->part[PART_ANSWER]), "time");
	assert_string_equal(text_string(&task->part[PART_ASK_ANSWER]), "\"io\"");
	assert_string_equal(text_string(&task->part[PART_ALLOW]), "slow M");
	assert_string_equal(text_string(&task->part[PART_TRANSFER]), "in torch\n");
	assert_int_equal(task->varies, 1);
	assert_string_equal(task->varied[0].name, "M");
	assert_int_equal(task->varied[0].from, 2);
	assert_int_equal(task->varied[0].to, 8);
	assert_int_equal(task->counts, 3);
	assert_int_equal(task->attempts, 5);
	assert_int_equal(task->attempt[0].kind, ATTEMPT_CHOICE);
	assert_string_equal(text_string(&task->attempt[0].words), "the copy is free");
	assert_string_equal(text_string(&task->attempt[1].lines), "z = relu x\n");
	assert_int_equal(task->attempt[3].lines.count, 0);
	assert_int_equal(task->attempt[4].kind, ATTEMPT_NAIVE);
	assert_int_equal(task->attempt[2].line, 29);
	lesson_file_release(&file);
}

/* The text with its first `what` replaced */
static void refuses(const char *what, const char *by, const char *words)
{
	struct lesson_file file;
	struct text text = {0};
	const char *at = strstr(whole, what);
	assert_non_null(at);
	text_put(&text, whole, (size_t)(at - whole));
	text_add(&text, "%s%s", by, at + strlen(what));
	assert_int_equal(read_text(&file, text_string(&text)), ST_SYNTAX);
	assert_words("one.rsh");
	assert_words(words);
	lesson_file_release(&file);
	text_release(&text);
}

static void what_is_wrong_is_named(void **state)
{
	(void)state;
	refuses("# lesson: One\n", "", "a lesson begins with");
	refuses("## The task\n", "", "comes before the first task");
	refuses("#: hint\n# think\n", "", "has no '#: hint'");
	refuses("expect time < 2ms   # late\n", "", "has no '#: check'");
	refuses("#: reference", "#: solution\n#: reference",
	        "a second '#: solution': the first is in line 14");
	refuses("#: right", "#: rihgt", "did you mean 'right'?");
	refuses("#: right", "#: x", "is not a part of a task (parts: start check");
	refuses("#: right", "#:", "is not a part of a task");
	refuses("M=2:9", "M=9", "'M=9': a range was expected");
	refuses("M=2:9", "M=9:2", "'M=9:2': a range was expected");
	refuses("# ranks: 2 4", "# ranks: many", "one.rsh:3: 'many': numbers of ranks were expected");
	refuses("ranks=2,4,8", "ranks=all", "'all': numbers of ranks were expected");
	refuses("M=2:9", "Q=2:9", "the starter has no `let Q = NUMBER`");
	refuses("ranks=2,4,8", "ranks=2,468", "'2,468': numbers of ranks were expected, up to 64");
	refuses("seed M", "sed M", "'sed': vary knows");
	refuses("is a = b or not = time", "is it so", "a question and its answer");
	refuses("expect time", "sync;  expect time",
	        "one.rsh:22: 'sync;  expect time < 2ms   # late': a check is made");
	refuses("#: check\n", "#: choice\n#: choice\n#: choice\n#: choice\n#: choice\n#: check\n",
	        "one.rsh:25: more than 5 choices");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_part_finds_its_place), cmocka_unit_test(what_is_wrong_is_named)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

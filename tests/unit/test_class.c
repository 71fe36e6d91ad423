/* test_class.c -- a class's rules, foreign texts on a screen, learners counted from events, the
 * board as text, and files that grow while they are read */
#include "base/text.h"
#include "shell/course/class/board.h"
#include "shell/course/class/learners.h"
#include "shell/course/class/rules.h"

#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- rules ---- */

static enum status rules_of(struct class_rules *rules, const char *text)
{
	return rules_read(rules, text, strlen(text), "class");
}

static void rules_are_read(void **state)
{
	(void)state;
	struct class_rules rules;
	struct text words = {0};
	assert_int_equal(
	        rules_of(&rules,
	                "# ours\nlessons = 1 2, 4-6   # no 3\n\nminutes=90\nuntil = 14:30\nhint = after "
	                "9:05\nsolution = no"),
	        ST_OK);
	assert_true(rules_opens(&rules, 1) && rules_opens(&rules, 2) && rules_opens(&rules, 4) &&
	        rules_opens(&rules, 6));
	assert_false(rules_opens(&rules, 3) || rules_opens(&rules, 7) || rules_opens(&rules, 0) ||
	        rules_opens(&rules, 99));
	assert_int_equal(rules.minutes, 90);
	assert_int_equal(rules.until, 14 * 60 + 30);
	assert_int_equal(rules.hint, 9 * 60 + 5);
	assert_int_equal(rules.solution, DAY_MINUTES);
	rules_words(&rules, &words);
	assert_string_equal(text_string(&words),
	        "lessons 1-2 4-6, 90 minutes each, until 14:30, hints after 9:05, no solutions");
	text_release(&words);
	assert_int_equal(rules_of(&rules, ""), ST_OK);
	rules_words(&rules, &words);
	assert_true(rules_opens(&rules, 1) && rules_opens(&rules, 99) && words.count == 0);
	assert_int_equal(rules_of(&rules, "lessons = 64\n"), ST_OK);
	rules_lessons(&rules, &words);
	assert_string_equal(text_string(&words), "64");
	text_release(&words);
}

static void mistakes_in_rules_are_named(void **state)
{
	(void)state;
	static const struct {
		const char *text, *wanted;
	} rows[] = {
	        {"\nlesson = 1", "class, line 2: no setting 'lesson'; did you mean lessons?"},
	        {"colour = red", "no setting 'colour'; there are lessons minutes until hint solution"},
	        {"hint = no\nhint = yes", "class, line 2: hint twice"},
	        {"hint no", "hint = needs yes, no or a time, as in after 14:00, not 'no'"},
	        {"hint = after", "not 'after'"},
	        {"hint = after 24:00", "not 'after 24:00'"},
	        {"lessons = 3-1", "lessons = needs numbers of lessons, as in 1 2 4-6, not '3-1'"},
	        {"lessons = 65", "not '65'"},
	        {"lessons =", "not ''"},
	        {"lessons = 1x", "not '1x'"},
	        {"minutes = 0", "minutes = needs a number of minutes, as in 90, not '0'"},
	        {"minutes = 5min", "not '5min'"},
	        {"until = 14:60", "until = needs a time of day, as in 14:30, not '14:60'"},
	        {"until = 2", "not '2'"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct class_rules rules;
		assert_int_equal(rules_of(&rules, rows[i].text), ST_SYNTAX);
		if (!strstr(fail_text(), rows[i].wanted))
			fail_msg("%s: %s", rows[i].text, fail_text());
	}
	struct class_rules rules;
	assert_int_equal(rules_of(&rules, "hint = no\nminutes = x\nlessons = y\nsolution = no"), ST_SYNTAX);
	assert_non_null(strstr(fail_text(), "line 2: minutes"));
	assert_true(rules.hint == DAY_MINUTES && rules.solution == DAY_MINUTES && !rules.minutes &&
	        !rules.lessons);
}

/* ---- texts of others ---- */

static void texts_are_made_fit(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int columns;
		const char *wanted;
	} rows[] = {
	        {"plain", 5, "plain"},
	        {"plain", 4, "pla…"},
	        {"", 4, ""},
	        {"a\033[31mb\007\tc\nd", 40, "a?[31mb? c d"},
	        {"\302\233"
	         "31m",
	                40, "?31m"},     /* CSI as one character */
	        {"\300\233x", 40, "?x"}, /* an escape, spelled too long */
	        {"\303", 40, "?"},
	        {"e\314\201\342\200\256x", 40, "ex"}, /* an accent apart, right to left */
	        {"李小龍", 6, "李小龍"},
	        {"李小龍", 5, "李小…"},
	        {"李小龍", 4, "李…"},
	        {"ok", 0, ""},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct text clean = {0};
		clean_put(&clean, rows[i].text, rows[i].columns);
		assert_string_equal(text_string(&clean), rows[i].wanted);
		assert_true(clean_columns(text_string(&clean)) <= rows[i].columns);
		text_release(&clean);
	}
}

static void names_are_checked(void **state)
{
	(void)state;
	static const char *const bad[] = {"", ".ada", "a/b", "a\nb", "a\033b", "\303", "a\342\200\256b",
	        "\302\233", "1234567890123456789012345678901234567890123456789012345678901"};
	assert_int_equal(class_file_name("ada"), ST_OK);
	assert_int_equal(class_file_name("José 李 (2)"), ST_OK);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (class_file_name(bad[i]) != ST_ARGUMENT)
			fail_msg("'%s' is taken", bad[i]);
}

/* ---- a folder of files ---- */

static char folder[] = /* where the tests stand */
        "/tmp/ranksh-class-XXXXXX";

static void append(const char *name, const char *text)
{
	int file = open(name, O_WRONLY | O_CREAT | O_APPEND, 0644);
	assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
	close(file);
}

static int clear_folder(void **state)
{
	DIR *here = opendir(".");
	(void)state;
	for (struct dirent *entry; here && (entry = readdir(here));)
		unlink(entry->d_name);
	closedir(here);
	return 0;
}

static void begin_file(const char *name, const char *who, const char *id)
{
	char head[200];
	snprintf(head, sizeof head, "{\"class\":1,\"name\":\"%s\",\"id\":\"%s\"}\n", who, id);
	append(name, head);
}

static void event(const char *name, const char *what, const char *task, const char *words, int seconds)
{
	char line[300];
	snprintf(line, sizeof line,
	        "{\"what\":\"%s\",\"task\":\"%s\",\"words\":\"%s\",\"typed\":1,\"lines\":\"a\\n\","
	        "\"seconds\":%d,\"at\":\"T%"
	        "d\"}\n",
	        what, task, words, seconds, seconds);
	append(name, line);
}

static int three(int lesson)
{
	return lesson == 1 ? 3 : lesson == 2 ? 12 : 0;
}

/* The board, as it is `later` seconds behind the last line that was written */
static void expect_board(const struct roll *roll, int later, int height, const char *wanted)
{
	struct learners learners;
	struct picture picture;
	struct text text = {0};
	int64_t now = 0;
	for (size_t i = 0; i < roll->sessions; i++)
		now = roll->session[i].grew > now ? roll->session[i].grew : now;
	learners_make(&learners, roll, now + later);
	struct class_board board = {
	        .roll = roll, .learners = &learners, .tasks = three, .clock = "14:02", .first = 99};
	board_draw(&board, 80, height, &picture);
	picture_text(&picture, false, &text);
	assert_string_equal(text_string(&text), wanted);
	picture_release(&picture);
	text_release(&text);
	learners_release(&learners);
}

static void a_board_is_drawn_from_files_that_grow(void **state)
{
	(void)state;
	struct roll roll = {.folder = "."};
	bool changed;
	begin_file("ada.1.jsonl", "ada", "A");
	event("ada.1.jsonl", "open", "1.1", "One", 10);
	event("ada.1.jsonl", "check", "1.1", "y is not x", 70);
	event("ada.1.jsonl", "check", "1.1", "right", 190);
	event("ada.1.jsonl", "open", "1.2", "Two", 200);
	begin_file("ada.2.jsonl", "ada", "B");
	event("ada.2.jsonl", "open", "1.1", "One", 0);
	event("ada.2.jsonl", "check", "1.1", "y is not x", 60);
	event("ada.2.jsonl", "check", "1.1", "y is not x", 61);
	append("ada.2.jsonl", "{\"what\":\"check\",\"task\":\"1.1\",\"wor"); /* the rest comes later */
	append("junk.jsonl", "not ours\n{\"what\":\"check\",\"task\":\"1.1\",\"words\":\"spoiled\"}\n");
	append("half.jsonl", "{\"class\":1,\"name\":\"half\"");
	append(".hidden.jsonl", "{\"class\":1,\"name\":\"hidden\"}\n");
	assert_int_equal(mkfifo("pipe.jsonl", 0600), 0);
	assert_int_equal(symlink("half.jsonl", "link.jsonl"), 0);
	append("notes.txt", "{\"class\":1,\"name\":\"notes\"}\n");
	assert_int_equal(roll_read(&roll, &changed), ST_OK);
	assert_true(changed);
	assert_int_equal(roll_read(&roll, &changed), ST_OK);
	assert_false(changed);
	expect_board(&roll, 120, 0,
	        " .   14:02   2 learners: 2 at work\n"
	        " who               solved  task          min  wrong  what was wrong last\n"
	        " ada                    1  1.2 ✓··         2      0\n"
	        " ada (2)                0  1.1 ···         3      2  y is not x\n"
	        "\n"
	        " wrong now  met   tries  task  what is wrong\n"
	        "         1    2       3  1.1   y is not x\n");
	append("ada.2.jsonl", "ds\":\"y is not x\",\"seconds\":62}\nnot json\n[1]\n");
	begin_file("bob.1.jsonl", "bob", "C");
	for (int i = 1; i <= 3; i++) {
		char task[16];
		snprintf(task, sizeof task, "1.%d", i);
		event("bob.1.jsonl", "check", task, "right", i);
	}
	event("bob.1.jsonl", "done", "1.3", "", 3);
	begin_file("eve.1.jsonl", "e\\u001b[31mve", "D");
	event("eve.1.jsonl", "open", "2.12", "", 3);
	append("eve.1.jsonl", "{\"what\":\"leave\"}\n");
	append("class", "hnt = no\n");
	assert_int_equal(roll_read(&roll, &changed), ST_OK);
	assert_true(changed);
	expect_board(&roll, 0, 0,
	        " .   14:02   4 learners: 1 stuck, 1 at work, 1 done, 1 away\n"
	        " ./class, line 1: no setting 'hnt'; did you mean hint?\n"
	        " ada (2)                0  1.1 ···         1      3  stuck  y is not x\n"
	        " ada                    1  1.2 ✓··         0      0\n"
	        " bob                    3  1.3 ✓✓✓                0  done\n"
	        " e?[31mve               0  2.12 0 of 12    0      0  away\n"
	        "\n"
	        " wrong now  met   tries  task  what is wrong\n"
	        "         1    2       4  1.1   y is not x\n");
	unlink("class");
	assert_int_equal(roll_read(&roll, &changed), ST_OK);
	expect_board(&roll, 3 * 3600, 4, /* a screen for two of them, at its end */
	        " .   14:02   4 learners: 1 done, 3 away\n"
	        " who               solved  task          min  wrong  what was wrong last\n"
	        " ada (2)                0  1.1 ···         1      3  away  y is not x\n"
	        " e?[31mve               0  2.12 0 of 12    0      0  away\n");
	unlink("bob.1.jsonl");
	unlink("eve.1.jsonl");
	begin_file("eve.1.jsonl", "eve", "D"); /* another file of that name */
	assert_int_equal(roll_read(&roll, &changed), ST_OK);
	expect_board(&roll, 3 * 3600, 0,
	        " .   14:02   3 learners: 3 away\n"
	        " who               solved  task          min  wrong  what was wrong last\n"
	        " ada                    1  1.2 ✓··         0      0  away\n"
	        " ada (2)                0  1.1 ···         1      3  away  y is not x\n"
	        " eve                    0                            away\n"
	        "\n"
	        " wrong now  met   tries  task  what is wrong\n"
	        "         1    2       4  1.1   y is not x\n");
	roll.folder = "nowhere";
	assert_int_equal(roll_read(&roll, &changed), ST_FILE);
	assert_int_equal(roll.sessions, 5);
	roll_release(&roll);
}

static double processor_ms(void)
{
	struct timespec used;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (double)used.tv_sec * 1e3 + (double)used.tv_nsec * 1e-6;
}

/* To count them takes a small part of the time that it takes to read them, and no longer than that: by a search through all
 * tasks for each record it took 100 times as long. */
static void a_learner_of_many_tasks_costs_no_more_than_to_read_it(void **state)
{
	(void)state;
	enum { MANY = 50000 };
	struct roll roll = {.folder = "."};
	struct learners learners;
	struct text text = {0};
	bool changed;
	begin_file("ada.1.jsonl", "ada", "a");
	for (int i = 0; i < MANY; i++)
		text_add(&text, "{\"what\":\"check\",\"task\":\"%d\",\"words\":\"w%d\"}\n", i, i);
	append("ada.1.jsonl", text_string(&text));
	text_release(&text);
	double begin = processor_ms();
	assert_int_equal(roll_read(&roll, &changed), ST_OK);
	double read = processor_ms();
	learners_make(&learners, &roll, 0);
	double made = processor_ms();
	print_message(
	        "%d records are read in %.1f ms, and counted in %.1f\n", MANY, read - begin, made - read);
	assert_true(made - read < 2 * (read - begin));
	assert_int_equal(learners.count, 1);
	assert_int_equal(learners.learner[0].tasks, MANY);
	assert_int_equal(learners.groups, MANY);
	assert_string_equal(learners.learner[0].task[MANY - 1].name, "49999");
	learners_release(&learners);
	roll_release(&roll);
}

static void a_table_has_a_row_for_each_task(void **state)
{
	(void)state;
	struct class_event events[] = {{.typed = 2, .seconds = 90}};
	struct class_session session = {.event = events, .events = 1, .head.class = CLASS_VERSION};
	struct roll roll = {.session = &session, .sessions = 1};
	struct learners learners;
	struct text table = {0};
	text_add(&session.head.name, "=1+2\"");
	text_add(&events[0].what, "check");
	text_add(&events[0].task, "4.2");
	text_add(&events[0].words, "no, \033[1m");
	text_add(&events[0].lines, "a\nb\tc\n");
	learners_make(&learners, &roll, 0);
	board_csv(&learners, &table);
	assert_string_equal(strchr(text_string(&table), '\n') + 1,
	        "\"'=1+2\"\"\",\"4.2\",\"open\",\"\",\"\",0.0,1,1,0,0,0,\"no, ?[1m\",\"a\nb c\"\n");
	text_release(&table);
	learners_release(&learners);
	class_event_release(&events[0]);
	class_head_release(&session.head);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rules_are_read),
	        cmocka_unit_test(mistakes_in_rules_are_named),
	        cmocka_unit_test(texts_are_made_fit),
	        cmocka_unit_test(names_are_checked),
	        cmocka_unit_test(a_board_is_drawn_from_files_that_grow),
	        cmocka_unit_test(a_table_has_a_row_for_each_task),
	        cmocka_unit_test_setup(a_learner_of_many_tasks_costs_no_more_than_to_read_it, clear_folder),
	};
	setlocale(LC_CTYPE, "C.UTF-8");
	setenv("LC_ALL", "C.UTF-8", 1);
	if (!mkdtemp(folder) || chdir(folder) != 0)
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, clear_folder);
	rmdir(folder);
	return failed;
}

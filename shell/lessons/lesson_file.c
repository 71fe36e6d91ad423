/* lesson_file.c -- takes a lesson's text apart, line by line: a line "#: name" says which part the lines
 * after it belong to.
 *
 * The format stands in lesson.h. A lesson is written by hand, so what is not understood is refused with
 * file and line. */
#include "shell/lessons/lesson_file.h"

#include <string.h>

static bool begins(const char *line, size_t length, const char *with)
{
	return length >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

/* The rest of the line behind its first `skip` characters and blanks. */
static void put_rest(struct text *text, const char *line, size_t length, size_t skip)
{
	while (skip < length && line[skip] == ' ')
		skip++;
	text_put(text, line + skip, length - skip);
}

/* "#: check" and its like: the part that the following lines belong to; NULL: no such part. */
static struct text *part_of(struct lesson_task *task, const char *line, size_t length)
{
	static const char *const heads[] = {[PART_START] = "#: start",
	        [PART_CHECK] = "#: check",
	        [PART_HINT] = "#: hint",
	        [PART_SOLUTION] = "#: solution"};
	for (int i = PART_START; i <= PART_SOLUTION; i++)
		if (begins(line, length, heads[i]))
			return &task->part[i];
	if (begins(line, length, "#: wrong") && task->wrongs < WRONG_MAX)
		return &task->part[PART_WRONG + task->wrongs++];
	return NULL;
}

/* "#: predict QUESTION = EXPRESSION" */
static bool read_question(struct lesson_task *task, const char *line, size_t length)
{
	const char *equals = memmem(line, length, " = ", 3);
	if (!begins(line, length, "#: predict") || !equals)
		return false;
	put_rest(&task->part[PART_QUESTION], line, equals - line, strlen("#: predict"));
	put_rest(&task->part[PART_ANSWER], line, length, equals - line + 3);
	return true;
}

/* "2 4 8" */
static void read_counts(struct lesson_file *file, const char *at, const char *end)
{
	while (at < end && file->counts < COUNTS_MAX) {
		int count = 0;
		for (; at < end && *at >= '0' && *at <= '9' && count < 100000; at++)
			count = count * 10 + *at - '0';
		if (count)
			file->count[file->counts++] = count;
		else
			at++;
	}
}

/* The nearest number proposed is the next larger that the lesson is for, else its largest. */
enum status lesson_file_fits(const struct lesson_file *file, int number, int n)
{
	struct text all = {0};
	int nearest = 0;
	if (file->counts < 2 && (!file->counts || n >= file->count[0]))
		return ST_OK;
	for (int i = 0; i < file->counts; i++) {
		if (file->counts > 1 && n == file->count[i])
			nearest = -1;
		else if (!nearest && (n < file->count[i] || i == file->counts - 1))
			nearest = file->count[i];
		text_add(&all, "%s%d", !i ? "" : i == file->counts - 1 ? " or " : ", ", file->count[i]);
	}
	enum status status = nearest < 0
	        ? ST_OK
	        : fail(ST_RANK, "lesson %d wants %s ranks, here are %d: leave and start `ranksh -n %d`",
	                  number, text_string(&all), n, nearest);
	text_release(&all);
	return status;
}

static enum status read_lines(struct lesson_file *file, const char *bytes, size_t count, const char *name)
{
	const char *at = bytes, *end = bytes + count, *line;
	struct text *part = NULL;
	size_t length;

	for (int number = 1; (line = text_line(&at, end, &length)); number++) {
		struct lesson_task *task = file->tasks ? &file->task[file->tasks - 1] : NULL;
		if (begins(line, length, "# lesson:")) {
			put_rest(&file->title, line, length, strlen("# lesson:"));
		} else if (begins(line, length, "# minutes:")) {
			put_rest(&file->minutes, line, length, strlen("# minutes:"));
		} else if (begins(line, length, "# ranks:")) {
			read_counts(file, line + strlen("# ranks:"), line + length);
		} else if (begins(line, length, "## ")) {
			if (file->tasks == TASKS_MAX)
				return fail(ST_SYNTAX, "%s:%d: more than %d tasks", name, number, TASKS_MAX);
			task = &file->task[file->tasks++];
			put_rest(&task->part[PART_TITLE], line, length, 2);
			part = &task->part[PART_STORY];
		} else if (begins(line, length, "#:")) {
			if (!task ||
			        (!read_question(task, line, length) && !(part = part_of(task, line, length))))
				return fail(ST_SYNTAX,
				        "%s:%d: '%.*s' is no part of a task (start check predict hint "
				        "solution wrong)",
				        name, number, (int)length, line);
		} else if (task && (length || part != &task->part[PART_STORY])) {
			/* story and hints are comments: their "# " goes; commands keep everything */
			if (part == &task->part[PART_STORY] || part == &task->part[PART_HINT])
				put_rest(part, line, length, begins(line, length, "#") ? 1 : 0);
			else
				text_put(part, line, length);
			text_put(part, "\n", 1);
		}
	}
	return ST_OK;
}

enum status lesson_file_read(struct lesson_file *file, const char *bytes, size_t count, const char *name)
{
	*file = (struct lesson_file){0};
	enum status status = read_lines(file, bytes, count, name);
	if (status == ST_OK && (!file->title.count || !file->tasks))
		status = fail(ST_SYNTAX,
		        "%s: a lesson begins with '# lesson: TITLE' and has tasks ('## title')", name);
	if (status != ST_OK)
		lesson_file_release(file);
	return status;
}

void lesson_file_release(struct lesson_file *file)
{
	for (int i = 0; i < file->tasks; i++)
		for (int k = 0; k < PARTS; k++)
			text_release(&file->task[i].part[k]);
	text_release(&file->title);
	text_release(&file->minutes);
	*file = (struct lesson_file){0};
}

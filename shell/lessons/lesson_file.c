/* lesson_file.c -- takes a lesson's text apart, line by line: a line "#: name" says which part the lines
 * after it belong to.
 *
 * The format stands in lesson.h. A lesson is written by hand, so what is not understood is refused with
 * file and line. */
#include "shell/lessons/lesson_file.h"

#include <string.h>

/* What stands in the line behind `head` and blanks; NULL: it does not begin so. */
static const char *behind(const char *head, const char *line, const char *end)
{
	size_t length = strlen(head);
	if ((size_t)(end - line) < length || memcmp(line, head, length) != 0)
		return NULL;
	for (line += length; line < end && *line == ' ';)
		line++;
	return line;
}

/* "#: check" and its like: the part that the following lines belong to; NULL: no such part. */
static struct text *part_of(struct lesson_task *task, const char *line, const char *end)
{
	static const char *const heads[] = {[PART_START] = "#: start",
	        [PART_CHECK] = "#: check",
	        [PART_HINT] = "#: hint",
	        [PART_SOLUTION] = "#: solution"};
	for (int i = PART_START; i <= PART_SOLUTION; i++)
		if (behind(heads[i], line, end))
			return &task->part[i];
	if (behind("#: wrong", line, end) && task->wrongs < WRONG_MAX)
		return &task->part[PART_WRONG + task->wrongs++];
	return NULL;
}

/* "#: predict QUESTION = EXPRESSION" */
static bool read_question(struct lesson_task *task, const char *line, const char *end)
{
	const char *question = behind("#: predict", line, end);
	const char *equals = question ? memmem(question, end - question, " = ", 3) : NULL;
	if (!equals)
		return false;
	const char *answer = behind(" =", equals, end);
	text_put(&task->part[PART_QUESTION], question, equals - question);
	text_put(&task->part[PART_ANSWER], answer, end - answer);
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
	const char *at = bytes, *line, *rest;
	struct text *part = NULL;
	size_t length;

	for (int number = 1; (line = text_line(&at, bytes + count, &length)); number++) {
		struct lesson_task *task = file->tasks ? &file->task[file->tasks - 1] : NULL;
		const char *end = line + length;
		if ((rest = behind("# lesson:", line, end))) {
			text_put(&file->title, rest, end - rest);
		} else if ((rest = behind("# minutes:", line, end))) {
			text_put(&file->minutes, rest, end - rest);
		} else if ((rest = behind("# ranks:", line, end))) {
			read_counts(file, rest, end);
		} else if ((rest = behind("## ", line, end))) {
			if (file->tasks == TASKS_MAX)
				return fail(ST_SYNTAX, "%s:%d: more than %d tasks", name, number, TASKS_MAX);
			task = &file->task[file->tasks++];
			text_put(&task->part[PART_TITLE], rest, end - rest);
			part = &task->part[PART_STORY];
		} else if (behind("#:", line, end)) {
			if (!task || (!read_question(task, line, end) && !(part = part_of(task, line, end))))
				return fail(ST_SYNTAX,
				        "%s:%d: '%.*s' is no part of a task (start check predict hint "
				        "solution wrong)",
				        name, number, (int)length, line);
		} else if (task && (length || part != &task->part[PART_STORY])) {
			/* story and hints are comments: their "# " goes; commands keep everything */
			if (part == &task->part[PART_STORY] || part == &task->part[PART_HINT])
				line = behind(length && *line == '#' ? "#" : "", line, end);
			text_put(part, line, end - line);
			text_put(part, "\n", 1);
		}
	}
	return ST_OK;
}

enum status lesson_file_read(struct lesson_file *file, const char *bytes, size_t count, const char *name)
{
	enum status status = read_lines(file, bytes, count, name);
	if (status == ST_OK && (!file->title.count || !file->tasks))
		status = fail(ST_SYNTAX,
		        "%s: a lesson begins with '# lesson: TITLE' and has tasks ('## title')", name);
	return status;
}

void lesson_file_release(struct lesson_file *file)
{
	for (int i = 0; i < file->tasks; i++)
		for (int k = 0; k < PARTS; k++)
			text_release(&file->task[i].part[k]);
	text_release(&file->title);
	text_release(&file->minutes);
}

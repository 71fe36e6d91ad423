/* hint.c -- three hints: the lesson's; the place in the learner's lines; the missing line
 *
 *     solution   wait compute on comm | allreduce g op=avg on comm | wait comm on compute | ...
 *     typed      wait compute on comm | allreduce g on comm
 *                                       ^ 2: look at your line 2     3: the solution's line */
#include "shell/course/lessons/open_lesson.h"

#include <string.h>

/* Splits a text into statements, also within braces; merges blanks. */
static void put_statements(const char *text, int line, struct task_lines *out)
{
	struct text one = {0};
	for (int first = line;; line += *text++ == '\n') {
		if (!strchr(" \t\n;}", *text)) {
			first = one.count ? first : line;
			text_put(&one, text, 1);
		} else if (one.count && one.bytes[one.count - 1] != ' ') {
			text_put(&one, " ", 1);
		}
		if (strchr(";\n{}", *text)) {
			while (one.count && one.bytes[one.count - 1] == ' ')
				one.bytes[--one.count] = '\0';
			if (one.count)
				typed_add(out, one.bytes, one.count, first);
			text_clear(&one);
		}
		if (!*text)
			break;
	}
	text_release(&one);
}

static bool same_statement(const char *one, const char *other)
{
	for (; *one || *other; one += *one != 0, other += *other != 0) {
		one += strspn(one, " ");
		other += strspn(other, " ");
		if (*one != *other)
			return false;
	}
	return true;
}

/* Returns the first line from `at` that has it; lines->count if none. */
static size_t find_statement(const struct task_lines *lines, size_t at, const char *statement)
{
	while (at < lines->count && !same_statement(lines->line[at].text, statement))
		at++;
	return at;
}

/* Returns the solution's first missing statement, or -1. *at: after the last typed match */
static long first_missing(const struct task_lines *typed, const struct task_lines *solution, size_t *at)
{
	*at = 0;
	for (size_t i = 0; i < solution->count; i++) {
		size_t found = find_statement(typed, *at, solution->line[i].text);
		if (found == typed->count)
			return (long)i;
		*at = found + 1;
	}
	return -1;
}

/* Returns the first line from `at` that the solution lacks; typed->count if none. */
static size_t first_surplus(const struct task_lines *typed, const struct task_lines *solution, size_t at)
{
	while (at < typed->count && find_statement(solution, 0, typed->line[at].text) < solution->count)
		at++;
	return at;
}

static void tell_place(
        struct shell *shell, const struct task_lines *typed, const struct task_lines *solution, size_t at)
{
	size_t odd = first_surplus(typed, solution, at);
	const struct typed_line *line = &typed->line[odd < typed->count ? odd : at];
	if (!typed->count)
		out_say(shell->out,
		        "   nothing is typed yet: begin with the first thing that the task names\n");
	else if (at < typed->count)
		out_say(shell->out, "   look at your line %d: `%.60s`\n", line->line, line->text);
	else
		out_say(shell->out, "   something is missing after your line %d: `%.60s`\n",
		        typed->line[typed->count - 1].line, typed->line[typed->count - 1].text);
}

static void tell_surplus(
        struct shell *shell, const struct task_lines *typed, const struct task_lines *solution)
{
	size_t odd = first_surplus(typed, solution, 0);
	if (odd < typed->count)
		out_say(shell->out, "   no line is missing; is your line %d needed? `%.60s`\n",
		        typed->line[odd].line, typed->line[odd].text);
	else
		out_say(shell->out, "   you have every line of the solution, and no other: `check`\n");
}

/* Prints a statement of the solution, with its block. */
static void tell_line(struct shell *shell, const struct text *solution, const struct typed_line *missing)
{
	struct text block = {0};
	int depth = 0, row = 0;
	FOR_LINES (line, text_string(solution), solution->count) {
		if (++row < missing->line)
			continue;
		for (size_t i = 0; i < line.length; i++)
			depth += line.at[i] == '{' ? 1 : line.at[i] == '}' ? -1 : 0;
		text_add(&block, "%.*s\n", (int)line.length, line.at);
		if (depth <= 0)
			break;
	}
	if (missing->text[strlen(missing->text) - 1] != '{') {
		out_say(shell->out, "   one way: %s%s%s\n", STYLED(shell->out, COLOUR_KERNEL, missing->text));
	} else {
		out_say(shell->out, "   one way:\n");
		tell_lines(shell, &block, COLOUR_KERNEL);
	}
	text_release(&block);
}

static void tell_statement(struct shell *shell, const struct lesson_task *task, bool line)
{
	struct task_lines typed = {0}, solution = {0};
	const struct task_lines *kept = &shell->course.lesson->typed;
	size_t at;
	for (size_t i = 0; i < kept->count; i++)
		put_statements(kept->line[i].text, kept->line[i].line, &typed);
	put_statements(text_string(&task->part[PART_SOLUTION]), 1, &solution);
	long missing = first_missing(&typed, &solution, &at);
	if (missing < 0)
		tell_surplus(shell, &typed, &solution);
	else if (line)
		tell_line(shell, &task->part[PART_SOLUTION], &solution.line[missing]);
	else
		tell_place(shell, &typed, &solution, at);
	typed_release(&typed);
	typed_release(&solution);
}

enum status lesson_hint(struct call *call)
{
	struct shell *shell = call->shell;
	struct lesson *lesson = shell->course.lesson;
	const struct lesson_task *task = lesson_current(shell);
	enum status status = task ? learned_shows(shell, true) : ST_ARGUMENT;
	if (status != ST_OK)
		return status;
	if (lesson->passed && lesson->passed == lesson->typed.count) {
		out_say(shell->out, "   your lines are right as they are: %s`next` goes on\n",
		        lesson->asking ? "`answer` says what you see, " : "");
		return ST_OK;
	}
	lesson_note(shell, "hint", "");
	int given = lesson->hints++;
	if (given == 0)
		tell_lines(shell, &task->part[PART_HINT], COLOUR_PLAIN);
	else
		tell_statement(shell, task, given > 1);
	if (given < 2)
		out_say(shell->out, "   %s%s%s\n",
		        STYLED(shell->out, COLOUR_NOTE,
		                given ? "`hint` once more shows a line"
		                      : "`hint` once more shows where to look"));
	return ST_OK;
}

/* hint.c -- three hints: the idea, in the lesson's words; the place in the learner's own lines; the line
 *
 *     solution   wait compute on comm | allreduce g op=avg on comm | wait comm on compute | ...
 *     typed      wait compute on comm | allreduce g on comm
 *                                       ^ your line 2 is where they part         third: the solution's line
 */
#include "shell/language/run/command.h"
#include "shell/lessons/inside.h"
#include "shell/session/learned.h"

#include <string.h>

/* A text as its statements, one a line: split at newlines and semicolons outside braces; blanks within count once. */
static void put_statements(const char *text, int first, struct task_lines *out)
{
	struct text one = {0};
	int depth = 0, line = first;
	for (const char *at = text;; at++) {
		bool ends = !*at || (!depth && (*at == ';' || *at == '\n'));
		if (ends && one.count) {
			while (one.count && one.bytes[one.count - 1] == ' ')
				one.bytes[--one.count] = '\0';
			if (one.count)
				typed_add(out, one.bytes, one.count, line);
			text_clear(&one);
		}
		if (!*at)
			break;
		line += *at == '\n';
		depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
		bool blank = strchr(" \t\n", *at) || (ends && *at == ';');
		if (!blank)
			text_put(&one, at, 1);
		else if (one.count && one.bytes[one.count - 1] != ' ')
			text_put(&one, " ", 1);
	}
	text_release(&one);
}

/* Where the learner's lines leave the solution: the first statement of it that does not come, in its order. -1: all do. */
static long parting(const struct task_lines *typed, const struct task_lines *solution, size_t *at)
{
	*at = 0;
	for (size_t i = 0; i < solution->count; i++) {
		size_t k = *at;
		while (k < typed->count && strcmp(typed->line[k].text, solution->line[i].text) != 0)
			k++;
		if (k == typed->count)
			return (long)i;
		*at = k + 1;
	}
	return -1;
}

static void tell_place(struct shell *shell, const struct task_lines *typed, size_t at)
{
	if (!typed->count)
		out_say(shell->out, "   nothing is typed yet: begin with what the task names first\n");
	else if (at < typed->count)
		out_say(shell->out, "   look at your line %d: `%.60s`\n", typed->line[at].line,
		        typed->line[at].text);
	else
		out_say(shell->out, "   something is missing behind your line %d: `%.60s`\n",
		        typed->line[typed->count - 1].line, typed->line[typed->count - 1].text);
}

/* Of lines of which none is missing: the first that is not the solution's */
static void tell_surplus(
        struct shell *shell, const struct task_lines *typed, const struct task_lines *solution)
{
	for (size_t i = 0; i < typed->count; i++) {
		bool known = false;
		for (size_t k = 0; k < solution->count; k++)
			known |= strcmp(typed->line[i].text, solution->line[k].text) == 0;
		if (!known) {
			out_say(shell->out, "   no line is missing; is your line %d needed? `%.60s`\n",
			        typed->line[i].line, typed->line[i].text);
			return;
		}
	}
	out_say(shell->out, "   every line of the solution is there, and no other: `check`\n");
}

static void tell_more(struct shell *shell, const struct lesson_task *task, bool line)
{
	struct task_lines typed = {0}, solution = {0};
	const struct task_lines *kept = &shell->lesson->typed;
	size_t at;
	for (size_t i = 0; i < kept->count; i++)
		put_statements(kept->line[i].text, kept->line[i].line, &typed);
	put_statements(text_string(&task->part[PART_SOLUTION]), 1, &solution);
	long missing = parting(&typed, &solution, &at);
	if (missing < 0)
		tell_surplus(shell, &typed, &solution);
	else if (line)
		out_say(shell->out, "   one way: %s%s%s\n",
		        STYLED(shell->out, COLOUR_KERNEL, solution.line[missing].text));
	else
		tell_place(shell, &typed, at);
	typed_release(&typed);
	typed_release(&solution);
}

enum status lesson_hint(struct call *call)
{
	struct shell *shell = call->shell;
	const struct lesson_task *task = lesson_current(shell);
	enum status status = task ? learned_shows(shell, true) : ST_ARGUMENT;
	if (status != ST_OK)
		return status;
	lesson_note(shell, "hint", "");
	int given = shell->lesson->hints++;
	if (given == 0)
		tell_lines(shell, &task->part[PART_HINT], COLOUR_PLAIN);
	else
		tell_more(shell, task, given > 1);
	if (given < 2)
		out_say(shell->out, "   %s%s%s\n",
		        STYLED(shell->out, COLOUR_NOTE,
		                given ? "`hint` once more shows a line"
		                      : "`hint` once more shows where to look"));
	return ST_OK;
}

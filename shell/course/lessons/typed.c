/* typed.c -- a list of lines; the list of the open task */
#include "shell/course/lessons/open_lesson.h"
#include "base/memory.h"
#include "shell/language/parse/tree.h"
#include "shell/language/run/interpreter.h"

#include <string.h>

void typed_add(struct task_lines *typed, const char *text, size_t count, int line)
{
	*MEM_ADD(&typed->line, &typed->count) = (struct typed_line){mem_copy_text(text, count), line};
}

/* Adds each statement with its block. Returns false if the text cannot be parsed. */
static bool add_statements(struct task_lines *typed, const char *text, size_t count, int line)
{
	struct tree *tree;
	if (tree_parse(&tree, text, count, NULL, line) != ST_OK)
		return false;
	for (const struct statement *at = tree->block.first; at; at = at->next) {
		const char *from = at->begin, *end = at->next ? at->next->begin : tree->text + tree->count;
		while (end > from && strchr(" \t\n;", end[-1]))
			end--;
		typed_add(typed, from, (size_t)(end - from), at->line);
	}
	tree_release(tree);
	return true;
}

/* One by one, so that an unparsable line is refused only when it runs. */
void typed_text(struct task_lines *typed, const char *text)
{
	size_t left = strlen(text), taken;
	for (int line = 1; left; text += taken, left -= taken) {
		if (tree_first(text, left, NULL, line, &taken) != ST_OK || !taken)
			taken = left;
		size_t blank = strspn(text, " \t\n");
		int first = line;
		for (size_t i = 0; i < blank && i < taken; i++)
			first += text[i] == '\n';
		if (blank < taken && !add_statements(typed, text + blank, taken - blank, first))
			typed_add(typed, text + blank, taken - blank, first);
		for (size_t i = 0; i < taken; i++)
			line += text[i] == '\n';
	}
}

static bool only_reads(const char *text)
{
	static const char readers[] = "print sync say expect";
	struct tree *tree;
	bool reads = true;
	if (tree_parse(&tree, text, strlen(text), NULL, 1) != ST_OK)
		return false;
	for (const struct statement *at = tree->block.first; at && reads; at = at->next) {
		bool command = at->kind == STATEMENT_COMMAND && !at->block;
		reads = at->kind == STATEMENT_EXPECT ||
		        (command &&
		                (at->row->class == COMMAND_LOOK ||
		                        text_place(readers, at->row->name, strlen(at->row->name)) >= 0));
	}
	tree_release(tree);
	return reads;
}

size_t typed_work(const struct task_lines *typed)
{
	size_t count = typed->count;
	while (count && only_reads(typed->line[count - 1].text))
		count--;
	return count;
}

static void typed_cut(struct task_lines *typed, size_t count)
{
	while (typed->count > count)
		mem_free(typed->line[--typed->count].text);
}

void typed_release(struct task_lines *typed)
{
	typed_cut(typed, 0);
	mem_free(typed->line);
	*typed = (struct task_lines){0};
}

/* ---- an open task: refuses or keeps the lines typed in it, for `check` */

static enum status task_before(struct shell *shell, const struct statement *statement)
{
	const struct lesson *lesson = shell->course.watch->of;
	bool looks = statement->kind == STATEMENT_COMMAND &&
	        (statement->row->class == COMMAND_LOOK || statement->row->class == COMMAND_SESSION);
	enum status status = looks ? ST_OK : guess_wanted(shell);
	return status == ST_OK ? task_rules_check(&lesson->rules, statement) : status;
}

static void task_after(struct shell *shell, const char *text, size_t count, int line, enum status status)
{
	struct lesson *lesson = shell->course.lesson;
	if (status != ST_OK && status != ST_EXPECT)
		return;
	enum command_class class = interpreter_class(text, count);
	if (class != COMMAND_LOOK && class != COMMAND_SESSION)
		typed_add(&lesson->typed, text, count, line);
}

void task_watch(struct shell *shell)
{
	struct lesson *lesson = shell->course.lesson;
	task_rules_release(&lesson->rules);
	lesson->rules = (struct task_rules){0};
	task_rules_make(&lesson->rules, lesson_task_of(shell));
	lesson->rules.watch.of = lesson;
	lesson->rules.watch.before = task_before;
	lesson->rules.watch.after = task_after;
	typed_cut(&lesson->typed, 0);
	lesson->floor = lesson->passed = 0;
	lesson->hints = lesson->misses = 0;
	lesson->asking = false;
	shell->course.watch = &lesson->rules.watch;
}

void lesson_emptied(struct shell *shell)
{
	if (shell->course.lesson)
		shell->course.lesson->floor = shell->course.lesson->typed.count;
}

void lesson_again(struct shell *shell)
{
	if (!shell->course.lesson)
		return;
	typed_cut(&shell->course.lesson->typed, shell->course.lesson->floor);
	shell->course.lesson->passed = 0;
}

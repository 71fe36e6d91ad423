/* typed.c -- a list of lines, and a text split into one */
#include "shell/course/lessons/typed.h"
#include "base/memory.h"
#include "shell/language/parse/tree.h"

#include <string.h>

void typed_add(struct task_lines *typed, const char *text, size_t count, int line)
{
	*MEM_ADD(&typed->line, &typed->count) = (struct typed_line){mem_copy_text(text, count), line};
}

/* Adds a text's statements, each with its block. Returns false if it cannot be parsed. */
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

/* Splits step by step, so that an unparsable line is refused when its turn comes. */
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

/* Returns true if the statements only read results, so that the work is done before them. */
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

void typed_cut(struct task_lines *typed, size_t count)
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

/* typed.c -- a list of lines, and a text cut into one */
#include "shell/lessons/typed.h"
#include "base/memory.h"
#include "shell/language/parse/tree.h"

#include <string.h>

void typed_add(struct task_lines *typed, const char *text, size_t count, int line)
{
	*MEM_ADD(&typed->line, &typed->count) = (struct typed_line){mem_copy_text(text, count), line};
}

/* An entry for each line with all that its braces hold; what cannot be read is one, to be refused when its turn comes. */
void typed_text(struct task_lines *typed, const char *text)
{
	size_t left = strlen(text), taken;
	for (int line = 1; left; text += taken, left -= taken) {
		if (tree_first(text, left, NULL, line, &taken) != ST_OK || !taken)
			taken = left;
		size_t blank = strspn(text, " \t\n");
		if (blank < taken) {
			int first = line;
			for (size_t i = 0; i < blank; i++)
				first += text[i] == '\n';
			typed_add(typed, text + blank, taken - blank, first);
		}
		for (size_t i = 0; i < taken; i++)
			line += text[i] == '\n';
	}
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

/* typed.c -- lines that were typed in a task, as a list */
#include "base/memory.h"
#include "shell/lessons/played.h"

#include <string.h>

void typed_add(struct task_lines *typed, const char *text, size_t count, int line)
{
	*MEM_ADD(&typed->line, &typed->count) = (struct typed_line){mem_copy_text(text, count), line};
}

/* One entry: its lines have the numbers that they have in the text. */
void typed_text(struct task_lines *typed, const char *text)
{
	typed_add(typed, text, strlen(text), 1);
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

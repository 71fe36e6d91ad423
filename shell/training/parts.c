/* parts.c -- the declarations of a program, kept until its world is emptied */
#include "shell/training/parts.h"
#include "base/memory.h"

#include <string.h>

static char *copy(const char *text)
{
	return mem_copy_text(text, strlen(text));
}

static void release(struct part_line *line)
{
	mem_free(line->tensor);
	mem_free(line->of);
	mem_free(line->state);
}

void parts_declare(struct part_lines *parts, const struct part_line *line)
{
	struct part_line own = *line;
	own.tensor = copy(line->tensor);
	own.of = copy(line->of);
	own.state = copy(line->state);
	for (size_t i = 0; i < parts->count; i++)
		if (parts->line[i].rank == line->rank && strcmp(parts->line[i].tensor, line->tensor) == 0) {
			release(&parts->line[i]); /* declared anew */
			parts->line[i] = own;
			return;
		}
	MEM_GROW(&parts->line, parts->count, &parts->room);
	parts->line[parts->count++] = own;
}

void parts_forget(struct part_lines *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		release(&parts->line[i]);
	mem_free(parts->line);
	*parts = (struct part_lines){0};
}

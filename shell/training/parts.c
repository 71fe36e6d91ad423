/* parts.c -- the declarations of a program, kept until its world is emptied */
#include "shell/training/parts.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

static void release(struct part_line *line)
{
	mem_free(line->tensor);
	mem_free(line->of);
	mem_free(line->state);
}

void parts_declare(struct part_lines *parts, const struct part_line *line)
{
	struct text key = {0};
	text_add(&key, "%d %s", line->rank, line->tensor);
	if (!parts->keys)
		parts->keys = names_create();
	size_t at = (size_t)names_make(parts->keys, text_string(&key), strlen(text_string(&key))) - 1;
	text_release(&key);
	if (at < parts->count) {
		release(&parts->line[at]); /* declared anew */
	} else {
		MEM_GROW(&parts->line, parts->count, &parts->room);
		parts->count++;
	}
	parts->line[at] = *line;
	parts->line[at].tensor = mem_copy_text(line->tensor, strlen(line->tensor));
	parts->line[at].of = mem_copy_text(line->of, strlen(line->of));
	parts->line[at].state = mem_copy_text(line->state, strlen(line->state));
}

void parts_forget(struct part_lines *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		release(&parts->line[i]);
	mem_free(parts->line);
	names_free(parts->keys);
	*parts = (struct part_lines){0};
}

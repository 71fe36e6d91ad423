/* parts.c -- the `part` declarations of a program, until its world is emptied */
#include "shell/training/parts.h"
#include "base/memory.h"
#include "base/text.h"

void parts_declare(struct part_lines *parts, struct names *names, const struct part_line *line)
{
	struct text key = {0};
	if (!parts->places)
		parts->places = names_create();
	text_add(&key, "%d %s", line->rank, line->tensor);
	size_t place = (size_t)names_make(parts->places, key.bytes, key.count) - 1;
	text_release(&key);
	if (place == parts->count)
		MEM_ADD(&parts->line, &parts->count);
	struct part_line *own = &parts->line[place];
	*own = *line;
	own->tensor = names_keep(names, line->tensor);
	own->of = names_keep(names, line->of);
	own->state = names_keep(names, line->state);
}

void parts_forget(struct part_lines *parts)
{
	names_free(parts->places);
	mem_free(parts->line);
	*parts = (struct part_lines){0};
}

/* blocks.c -- see blocks.h */
#include "strategies/blocks.h"

#include <stdio.h>
#include <string.h>

void blocks_ranks(const bool *in, int ranks, struct text *out)
{
	const char *comma = "";

	for (int first = 0, last; first < ranks; first = last + 1) {
		last = first;
		if (!in[first])
			continue;
		while (last + 1 < ranks && in[last + 1])
			last++;
		text_add(out, last > first ? "%s%d-%d" : "%s%d", comma, first, last);
		comma = ",";
	}
}

void blocks_put(struct text *out, const char *who, const struct text *lines)
{
	const char *line = text_string(lines), *end;

	text_add(out, "@%s {\n", who);
	for (; (end = strchr(line, '\n')); line = end + 1) {
		text_put(out, "  ", 2);
		text_put(out, line, (size_t)(end + 1 - line));
	}
	text_add(out, "  }\n");
}

void blocks_each(struct pipe *p, stage_writer *lines, const struct parameter *list, int count)
{
	struct text *out = p->out, mine = {0}, next = {0};
	char who[32];
	int first = 0;

	for (int s = 0; s <= p->ask.stages; s++) {
		text_clear(&next);
		p->out = &next;
		if (s < p->ask.stages)
			lines(p, s, list, count);
		if (s > 0 && (s == p->ask.stages || strcmp(text_string(&mine), text_string(&next)) != 0)) {
			snprintf(who, sizeof who, s - 1 > first ? "%d-%d" : "%d", first, s - 1);
			if (mine.count)
				blocks_put(out, who, &mine);
			first = s;
		}
		struct text swap = mine;
		mine = next;
		next = swap;
	}
	p->out = out;
	text_release(&mine);
	text_release(&next);
}

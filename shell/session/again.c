/* again.c -- compares a replayed line with its log entry. Ignores files that only one of them
 * read, because the line may do less now (`step back`). */
#include "shell/session/again.h"

#include <string.h>

static const char *next_entry(const char *at)
{
	at += strcspn(at, "\n");
	return *at ? at + 1 : at;
}

static bool has(const char *outside, const char *entry, size_t count)
{
	for (const char *at = outside; *at; at = next_entry(at))
		if (strncmp(at, entry, count) == 0)
			return true;
	return false;
}

static bool is_told(const struct text *out, const char *path, int length)
{
	struct text end = {0};
	text_add(&end, ": %.*s\n", length, path);
	bool told = strstr(text_string(out), text_string(&end)) != NULL;
	text_release(&end);
	return told;
}

void again_tell(const struct told_line *then, const struct told_line *now, const char *words,
        const char *indent, struct text *out)
{
	int length = (int)strcspn(then->line, "\n");
	for (const char *at = now->differs ? now->differs : ""; *at; at = next_entry(at))
		text_add(out, "%s`%.*s`, run again: %.*s\n", indent, (int)strcspn(now->line, "\n"), now->line,
		        (int)strcspn(at, "\n"), at);
	if (now->refused && !then->refused) {
		text_add(out, "%s`%.*s`, run again, is refused: %s\n", indent, length, then->line, words);
		return;
	}
	for (const char *at = now->outside; *at; at = next_entry(at)) {
		int name = (int)strcspn(at, "\t");
		if (!has(then->outside, at, (size_t)name + 1) ||
		        has(then->outside, at, (size_t)(next_entry(at) - at)) || is_told(out, at, name))
			continue;
		text_add(out, "%sa file that `%.*s` reads has changed: %.*s\n", indent, length, then->line,
		        name, at);
	}
}

/* glossary.c -- reads docs/help/glossary.txt, an entry at a time
 *
 *     word: micro-batch, microbatch        kind, names
 *     A part of a batch. ...               text, up to a line that begins with >
 *     > strategy pipeline                  lines to try, up to an empty one
 */
#include "shell/language/parse/glossary.h"
#include "base/embedded.h"
#include "base/text.h"
#include "shell/language/parse/lex.h"
#include "shell/language/parse/parse.h"

/* Returns the line at *at, empty at the end, and moves *at after it. */
static struct slice_of_text next_line(const char **at, const char *end)
{
	size_t length = 0;
	const char *line = text_line(at, end, &length);
	return line ? slice_between(line, trim_end(line, line + length)) : (struct slice_of_text){end, 0};
}

static bool read_names(struct slice_of_text line, struct glossary_entry *entry)
{
	static const char *const kinds[] = {
	        [ENTRY_WORD] = "word: ", [ENTRY_FIGURE] = "figure: ", [ENTRY_CAUSE] = "cause: "};
	for (int kind = ENTRY_WORD; kind <= ENTRY_CAUSE; kind++) {
		size_t length = strlen(kinds[kind]);
		if (line.length <= length || strncmp(line.at, kinds[kind], length) != 0)
			continue;
		*entry = (struct glossary_entry){
		        .kind = kind, .names = slice_between(line.at + length, line.at + line.length)};
		return true;
	}
	return false;
}

bool glossary_next(const char **at, struct glossary_entry *entry)
{
	const struct embedded *file = embedded_find("docs/help/", "glossary", ".txt");
	const char *end = file->bytes + file->count;
	bool found = false;
	*at = *at ? *at : file->bytes;
	while (*at < end && !found)
		found = read_names(next_line(at, end), entry);
	for (struct slice_of_text line; found && (line = next_line(at, end)).length;) {
		struct slice_of_text *part = *line.at == '>' ? &entry->lines : &entry->text;
		*part = slice_between(part->length ? part->at : line.at, line.at + line.length);
	}
	return found;
}

/* Sets *name to the next name of a list "a, b", and moves *at after it. Returns false at the
 * end. */
static bool next_name(const char **at, const char *end, struct slice_of_text *name)
{
	if (*at >= end)
		return false;
	const char *comma = memchr(*at, ',', (size_t)(end - *at)), *stop = comma ? comma : end;
	*name = slice_between(*at, stop);
	*at = stop + (comma ? strspn(stop, ", ") : 0);
	return true;
}

struct slice_of_text entry_name(const struct glossary_entry *entry)
{
	const char *at = entry->names.at;
	struct slice_of_text name = {0};
	next_name(&at, at + entry->names.length, &name);
	return name;
}

static void put_plain(const char *at, size_t count, char plain[WORD_SHOWN])
{
	size_t kept = 0;
	for (; count && kept + 1 < WORD_SHOWN; at++, count--)
		if (is_name_char(*at) && *at != '_')
			plain[kept++] = *at >= 'A' && *at <= 'Z' ? (char)(*at + 'a' - 'A') : *at;
	plain[kept] = '\0';
}

static bool same_word(const char *name, const char *word)
{
	size_t length = strlen(name);
	return length && strncmp(name, word, length) == 0 &&
	        (!word[length] || strcmp(word + length, "s") == 0);
}

bool entry_is(const struct glossary_entry *entry, const char *word)
{
	const char *at = entry->names.at, *end = at + entry->names.length;
	char typed[WORD_SHOWN], plain[WORD_SHOWN];
	struct slice_of_text name;
	put_plain(word, strlen(word), typed);
	while (next_name(&at, end, &name)) {
		put_plain(name.at, name.length, plain);
		if (same_word(plain, typed) || same_word(typed, plain))
			return true;
	}
	return false;
}

bool glossary_has(const char *word)
{
	struct glossary_entry entry;
	for (const char *at = NULL; glossary_next(&at, &entry);)
		if (entry_is(&entry, word))
			return true;
	return false;
}

const char *glossary_near(const char *word, int *least)
{
	static _Thread_local char near[WORD_SHOWN];
	char typed[WORD_SHOWN], plain[WORD_SHOWN];
	struct glossary_entry entry;
	bool found = false;
	put_plain(word, strlen(word), typed);
	for (const char *at = NULL; glossary_next(&at, &entry);) {
		const char *names = entry.names.at, *end = names + entry.names.length;
		struct slice_of_text name;
		while (next_name(&names, end, &name)) {
			put_plain(name.at, name.length, plain);
			if (!text_nearer(typed, plain, least))
				continue;
			word_text(name, near);
			found = true;
		}
	}
	return found ? near : NULL;
}

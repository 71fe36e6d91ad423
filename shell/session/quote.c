/* quote.c -- quotes texts and file names for a line
 *
 *     plain/x-1.npy      plain/x-1.npy         it's      "it's"; in the system's shell 'it'\''s'
 *     two words.npy      "two words.npy" */
#include "shell/session/quote.h"

#include <stdio.h>
#include <string.h>

void quote_inside(const char *words, struct text *out)
{
	for (; *words; words++) {
		if (strchr("\"\\$\n", *words))
			text_put(out, "\\", 1);
		text_put(out, *words == '\n' ? "n" : words, 1);
	}
}

void quote_text(const char *words, struct text *out)
{
	text_put(out, "\"", 1);
	quote_inside(words, out);
	text_put(out, "\"", 1);
}

static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
	return *word && *word != '-' && !word[strspn(word, plain)];
}

void quote_word(const char *word, struct text *out)
{
	if (is_plain(word))
		text_add(out, "%s", word);
	else
		quote_text(word, out);
}

struct quoted quoted_word(const char *format, ...)
{
	struct quoted quoted;
	struct text word = {0}, out = {0};
	va_list arguments;
	va_start(arguments, format);
	text_vadd(&word, format, arguments);
	va_end(arguments);
	quote_word(text_string(&word), &out);
	snprintf(quoted.text, sizeof quoted.text, "%s", text_string(&out));
	text_release(&word);
	text_release(&out);
	return quoted;
}

bool path_ends(const char *path, const char *ending)
{
	size_t length = strlen(path), tail = strlen(ending);
	return length > tail && strcmp(path + length - tail, ending) == 0;
}

void quote_system(const char *word, struct text *out)
{
	if (is_plain(word)) {
		text_add(out, "%s", word);
		return;
	}
	text_put(out, "'", 1);
	for (; *word; word++)
		text_add(out, *word == '\'' ? "'\\''" : "%c", *word);
	text_put(out, "'", 1);
}

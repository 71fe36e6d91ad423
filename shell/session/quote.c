/* quote.c -- texts and names of files as a line needs them
 *
 *     plain/x-1.npy      plain/x-1.npy         it's      "it's" here     'it'\''s' at the system's prompt
 *     two words.npy      "two words.npy" */
#include "shell/session/quote.h"

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

/* Returns true if the word needs no quotes, here and in the system's shell. */
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

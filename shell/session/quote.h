/* quote.h -- texts and names of files in quotes, so that a line that a message suggests runs as typed */
#ifndef RANKSH_QUOTE_H
#define RANKSH_QUOTE_H

#include "base/text.h"

#include <stdbool.h>

/* Appends the inside of a text in quotes: `"`, `\` and `$` get a backslash, a newline becomes `\n`. */
void quote_inside(const char *words, struct text *out);
/* Appends a text in its quotes. */
void quote_text(const char *words, struct text *out);
/* Appends one word of a line, such as a file's name: in quotes if it would be read as something else without them. */
void quote_word(const char *word, struct text *out);
/* The same as a value, of a word that is put together; cut at 4 kB, as messages are: quoted_word("%s.svg", path).text */
struct quoted {
	char text[4096];
};
struct quoted quoted_word(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns true if the path has that ending, and something before it. */
bool path_ends(const char *path, const char *ending);
/* As quote_word, for the system's shell: in single quotes. */
void quote_system(const char *word, struct text *out);

#endif

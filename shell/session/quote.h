/* quote.h -- quotes texts and file names, so that a suggested line runs when it is typed */
#ifndef RANKSH_QUOTE_H
#define RANKSH_QUOTE_H

#include "base/text.h"

#include <stdbool.h>

/* Appends a text escaped for quotes: `"`, `\`, `$` get a backslash, newlines become `\n`. */
void quote_inside(const char *words, struct text *out);
void quote_text(const char *words, struct text *out); /* with the quotes */
/* Appends a word, in quotes if needed. */
void quote_word(const char *word, struct text *out);
/* Returns a formatted word, quoted if needed, cut at 4 kB: quoted_word("%s.svg", path).text */
struct quoted {
	char text[4096];
};
struct quoted quoted_word(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns true if the path ends in `ending` and is longer than it. */
bool path_ends(const char *path, const char *ending);
/* As quote_word, in single quotes, for the system's shell */
void quote_system(const char *word, struct text *out);

#endif

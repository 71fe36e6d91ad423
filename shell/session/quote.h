/* quote.h -- texts and names of files in quotes, so that a line that a message suggests runs as typed */
#ifndef RANKSH_QUOTE_H
#define RANKSH_QUOTE_H

#include "base/text.h"

/* Appends the inside of a text in quotes: `"`, `\` and `$` get a backslash, a newline becomes `\n`. */
void quote_inside(const char *words, struct text *out);
/* Appends a text in its quotes. */
void quote_text(const char *words, struct text *out);
/* Appends one word of a line, such as a file's name: in quotes if it would be read as something else without them. */
void quote_word(const char *word, struct text *out);
/* As quote_word, for the system's shell: in single quotes. */
void quote_system(const char *word, struct text *out);

#endif

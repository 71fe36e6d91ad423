/* clean.h -- makes another user's text safe for the screen */
#ifndef RANKSH_CLASS_CLEAN_H
#define RANKSH_CLASS_CLEAN_H

#include "base/text.h"

/* Appends the text as printable characters on one line, at most `columns` wide, truncated with an
 * ellipsis. Combining accents and direction marks are dropped; other unprintable ones become '?'.
 * Requires UTF-8. */
void clean_put(struct text *out, const char *utf8, int columns);
/* Returns the width, in columns, of text from clean_put. A wide character takes two. */
int clean_columns(const char *utf8);
/* Returns the character's width, 1 or 2. */
int clean_width(uint32_t point);

#endif

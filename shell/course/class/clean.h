/* clean.h -- text of another user, made safe for the screen: no escape sequences, and nothing that
 * moves the text beside it */
#ifndef RANKSH_CLASS_CLEAN_H
#define RANKSH_CLASS_CLEAN_H

#include "base/text.h"

/* Appends the text as printable characters on one line of at most `columns`; a cut text ends in an
 * ellipsis. Combining accents and direction marks are dropped; other control characters, and those
 * that the screen cannot show, become '?'. Requires a UTF-8 locale. */
void clean_put(struct text *out, const char *utf8, int columns);
/* Returns the columns of a text that clean_put has written. A wide character takes two. */
int clean_columns(const char *utf8);
/* Returns the columns of the character, 1 or 2. */
int clean_width(uint32_t point);

#endif

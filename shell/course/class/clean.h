/* clean.h -- words that somebody else has written, made fit for a screen: no escape sequences, nothing that moves what
 * stands beside them */
#ifndef RANKSH_CLASS_CLEAN_H
#define RANKSH_CLASS_CLEAN_H

#include "base/text.h"

/* Appends them as printable characters on one line, at most `columns` wide; what is cut ends in an ellipsis. Accents
 * written apart and marks of direction are dropped, other control characters, and what the screen cannot show, are a '?'.
 * The locale's characters must be UTF-8. */
void clean_put(struct text *out, const char *utf8, int columns);
/* Columns of what clean_put has written: a wide character takes two */
int clean_columns(const char *utf8);
/* Columns of the character, 1 or 2 */
int clean_width(uint32_t point);

#endif

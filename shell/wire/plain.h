/* plain.h -- words for a terminal that shows ASCII alone: each sign beyond it becomes the nearest one, column by column */
#ifndef RANKSH_PLAIN_H
#define RANKSH_PLAIN_H

#include "base/text.h"

/* Does the locale (LC_ALL, LC_CTYPE, LANG: the first that is set) say something else than UTF-8? Where none is set, UTF-8 it is.
 * An environment does not change: a process's answer is always the same. */
bool plain_wanted(void);
/* The nearest ASCII sign; '?' where there is none */
char plain_sign(uint32_t point);
/* Appends the bytes of UTF-8 as they are to be written: in plain signs, where those are wanted */
void plain_put(const char *bytes, size_t count, struct text *out);
/* Appends them without what a terminal would obey, a '?' in its place: of control characters only newlines, tabs and changes
 * of colour stay. */
void plain_safe(const char *bytes, size_t count, struct text *out);

#endif

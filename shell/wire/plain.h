/* plain.h -- words on their way out: nothing in them moves a terminal, whoever has written them. For one that shows ASCII
 * alone each sign beyond it becomes the nearest one, column by column. */
#ifndef RANKSH_PLAIN_H
#define RANKSH_PLAIN_H

#include "base/text.h"

/* Does the locale (LC_ALL, LC_CTYPE, LANG: the first that is set) say something else than UTF-8? Where none is set, UTF-8 it is.
 * An environment does not change: a process's answer is always the same. */
bool plain_wanted(void);
/* The nearest ASCII sign; '?' where there is none */
char plain_sign(uint32_t point);
/* Appends UTF-8 as it is written to a terminal, or to where one may read it: whatever is shown goes through here. Of control
 * characters only newlines and tabs stay, and with `colours` changes of colour as ranksh itself writes them; each other one,
 * and each byte that is no UTF-8, becomes a '?'. In plain signs, where those are wanted. */
void plain_put(const char *bytes, size_t count, bool colours, struct text *out);

#endif

/* plain.h -- makes text safe for a terminal, with the nearest ASCII sign where needed */
#ifndef RANKSH_PLAIN_H
#define RANKSH_PLAIN_H

#include "base/text.h"

/* Returns true if the first non-empty one among LC_ALL, LC_CTYPE and LANG is not UTF-8. */
bool plain_wanted(void);
/* Returns the nearest ASCII sign; '?' if there is none. */
char plain_sign(uint32_t point);
/* All displayed text passes here. Among control characters only newlines and tabs stay, and with
 * `colours` ranksh's own colour sequences. Each other control character, and each byte that is not
 * UTF-8, becomes '?'. Uses ASCII signs if plain_wanted(). */
void plain_put(const char *bytes, size_t count, bool colours, struct text *out);

#endif

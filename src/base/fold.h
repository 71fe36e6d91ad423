/* fold.h -- lines wider than the screen */
#ifndef RANKSH_FOLD_H
#define RANKSH_FOLD_H

#include "base/text.h"

/* Appends the lines, wrapped at blanks to `columns` (< 1: unchanged). Returns the number of
 * rows. */
int fold_lines(const char *lines, size_t count, int columns, struct text *folded);

#endif

/* fold.h -- lines wider than the screen */
#ifndef RANKSH_FOLD_H
#define RANKSH_FOLD_H

#include "base/text.h"

/* Adds the lines to `folded`; what is wider than `columns` goes on below, from a blank on. columns < 1: as
 * they are. Returns the rows that they take on a screen of so many columns */
int fold_lines(const char *lines, size_t count, int columns, struct text *folded);

#endif

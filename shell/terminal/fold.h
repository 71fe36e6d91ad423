/* fold.h -- lines wider than the terminal */
#ifndef RANKSH_TERMINAL_FOLD_H
#define RANKSH_TERMINAL_FOLD_H

#include "base/text.h"

/* Adds the lines to `folded`; what is wider than `columns` goes on below, from a blank on. columns < 1: as
 * they are */
void fold_lines(const char *lines, size_t count, int columns, struct text *folded);
/* Columns of the terminal that shows our output; 0: it goes elsewhere. */
int terminal_columns(void);
/* To the output, folded to its width. */
void print_folded(const char *lines, size_t count);

#endif

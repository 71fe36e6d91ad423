/* letters.h -- big letters for projectors */
#ifndef RANKSH_LETTERS_H
#define RANKSH_LETTERS_H

#include "trace/trace.h"

enum { LETTER_COLUMNS = 2, LETTER_ROWS = 3 }; /* a letter's cells */
/* Draws a cell enlarged at this place: characters as big letters, blocks as bigger ones. */
void letters_put(struct picture *page, int row, int column, const struct cell *cell);

#endif

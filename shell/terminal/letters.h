/* letters.h -- big letters, and pictures whose cells are as big */
#ifndef RANKSH_LETTERS_H
#define RANKSH_LETTERS_H

#include "trace/trace.h"

enum { LETTER_COLUMNS = 2, LETTER_ROWS = 3 }; /* of a letter on the screen */
/* Puts the picture's cell at the place of the page: characters as big letters, blocks as bigger ones. */
void letters_put(struct picture *page, int row, int column, const struct cell *cell);

#endif

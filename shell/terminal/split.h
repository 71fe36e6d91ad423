/* split.h -- live lanes in the upper half of the terminal; prompt and answers scroll below them
 *
 *     ms     0        1        2   now 1.20         rows 1 .. lanes: repainted for each frame
 *     0-3 io [=== copy x ===]-----
 *     ------------------------------------
 *     1.20 ms > y = matmul x w                      the rest scrolls (DECSTBM) */
#ifndef RANKSH_SPLIT_H
#define RANKSH_SPLIT_H

#include "shell/wire/wire.h"

struct split_screen {
	bool wanted; /* `split on`; shown if the terminal is large enough */
	bool colour;
	int columns, rows, lanes; /* the terminal's; lanes 0: not split */
};
/* Splits the terminal, or leaves it whole; also after a size change or other use of the screen.
 * The caller then sends split->lanes to rank 0. */
void split_arrange(struct split_screen *split);
/* Paints rank 0's frame; the cursor stays. */
void split_paint(const struct split_screen *split, const struct reply *frame);
/* Erases the lanes. */
void split_erase(const struct split_screen *split);
/* Ends the split: the whole terminal scrolls, with the cursor in the last row. */
void split_end(struct split_screen *split);

#endif

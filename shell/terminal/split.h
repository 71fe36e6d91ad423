/* split.h -- living lanes in the upper half of the terminal; prompt and answers scroll below them
 *
 *      ms     0        1        2   now 1.20         rows 1 .. lanes: painted anew when rank 0 sends them
 *      0-3 io [=== copy x ===]-----
 *      ------------------------------------
 *      1.20 ms > y = matmul x w                      the rest scrolls: the terminal's scroll region (DECSTBM) */
#ifndef RANKSH_SPLIT_H
#define RANKSH_SPLIT_H

#include "shell/wire/wire.h"

struct split_screen {
	bool wanted; /* `split on`; it is shown where the terminal is large enough */
	bool colour;
	int columns, rows, lanes; /* of the terminal; lanes 0: it is not split now */
};
/* Splits the terminal as it is now, or leaves it whole; also when its size has changed, or something else had the screen. Rank 0
 * is to be told of split->lanes then. */
void split_arrange(struct split_screen *split);
/* Paints what rank 0 has sent; the cursor stays where it is. */
void split_paint(const struct split_screen *split, const struct reply *frame);
/* What it shows is not living any more. */
void split_erase(const struct split_screen *split);
/* The whole terminal scrolls again, with the cursor at its foot. */
void split_end(struct split_screen *split);

#endif

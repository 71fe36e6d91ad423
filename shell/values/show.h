/* show.h -- tensors as text */
#ifndef RANKSH_SHOW_H
#define RANKSH_SHOW_H

#include "shell/session/shell.h"

/* Appends one element as "y[0,0] = 11.27", a vector as "x = 1 2 3", else name and shape, then
 * rows; of a long axis, three entries at each end. packed: the elements (layout_pack); NULL: no
 * data */
void show_tensor(const char *name, const struct layout *layout, const void *packed, struct text *out);
/* Returns the element of a tensor with one; NAN for other tensors, and without data. */
double show_number(const struct layout *layout, const void *packed);
/* The same for an answer: also gives a single element's number to the front end. rank: its rank */
void show_answer(struct shell *shell, int rank, const char *name, const struct layout *layout,
        const void *packed, struct text *out);
/* Appends a line if an unfinished operation has poisoned the tensor. */
void show_spoiled(const struct world *world, int tensor, struct text *out);

#endif

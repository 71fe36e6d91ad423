/* show.h -- tensors as text */
#ifndef RANKSH_SHOW_H
#define RANKSH_SHOW_H

#include "world/world.h"

/* Appends one element as "y[0,0] = 11.27", a vector as "x = 1 2 3", else name and shape, then
 * rows; of a long axis, three entries at each end. packed: the elements (layout_pack); NULL: no
 * data */
void show_tensor(const char *name, const struct layout *layout, const void *packed, struct text *out);
/* Appends a line if an unfinished operation has poisoned the tensor. */
void show_spoiled(const struct world *world, int tensor, struct text *out);

#endif

/* show.h -- a tensor's numbers as readable text */
#ifndef RANKSH_SHOW_H
#define RANKSH_SHOW_H

#include "world/world.h"

/* packed: the elements (layout_pack); NULL: no data. One element: "y[0,0] = 11.27"; a vector: "x =
 * 1 2 3"; else name and shape, then rows. Long axes show three entries at each end. */
void show_tensor(const char *name, const struct layout *layout, const void *packed, struct text *out);
/* Adds a line if an unfinished operation poisoned the tensor. */
void show_spoiled(const struct world *world, int tensor, struct text *out);

#endif

/* show.h -- a tensor's numbers as a person reads them */
#ifndef RANKSH_SHOW_H
#define RANKSH_SHOW_H

#include "world/world.h"

/* packed: the elements side by side (layout_pack); NULL: no data here (--dry). One element: "y[0,0] = 11.27";
 * a vector: "x = 1 2 3"; more: a line of name and shape, then rows in columns. Long axes show their ends: "1
 * 2 3 ... 8 9 10". */
void show_tensor(const char *name, const struct layout *layout, const void *packed, struct text *out);
/* Another line where an operation that never finished spoiled the tensor (its number in the books): the
 * numbers mean nothing. */
void show_spoiled(const struct world *world, int tensor, struct text *out);

#endif

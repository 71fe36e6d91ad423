/* shapes.h -- the shape rules that rows.c chooses from */
#ifndef RANKSH_COLLECTIVES_SHAPES_H
#define RANKSH_COLLECTIVES_SHAPES_H

#include "base/dtype.h"

typedef enum status shape_rule(
        const char *name, const struct layout *in, int n, int place, int root, struct layout *out);
shape_rule shape_same, shape_root_same, shape_grown, shape_root_grown, shape_shared, shape_exchanged;

#endif

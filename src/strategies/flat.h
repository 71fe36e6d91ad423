/* flat.h -- which parameters lie in which flat group of sharded.h, and where */
#ifndef RANKSH_FLAT_H
#define RANKSH_FLAT_H

#include "strategies/sharded.h"

struct flat {
	/* behind "flat", "shard" ...: "2", "2a" "2m" (attention, MLP), "_root", "" (the whole model) */
	char tag[16];
	int count; /* of parameters; 0: the group does not exist */
	int64_t elements, padded;
};
/* Group 0 is the root: what is in no block (embedding, positions, head), or the whole model. The others count
 * in the order of forward. */
struct flats {
	const struct model *model;
	enum wrap wrap;
	int ranks;
	struct parameter *list;
	int parameters;
	int64_t *at; /* at[i]: parameter i's first element in its group */
	struct flat *flat;
	int flats;
};
enum status flats_make(const struct model *model, enum wrap wrap, int ranks, struct flats *flats);
void flats_release(struct flats *flats);
/* The group of a unit (of its half, where halves are apart). */
int flats_of(const struct flats *flats, int unit, enum half half);
int flats_of_parameter(const struct flats *flats, int i);
/* Whether the halves of a block are groups of their own. */
bool flats_halved(const struct flats *flats);

#endif

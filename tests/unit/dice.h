/* dice.h -- random choices for tests, repeatable by the seed */
#ifndef RANKSH_TEST_DICE_H
#define RANKSH_TEST_DICE_H

#include "base/philox.h"

struct dice {
	uint64_t seed, thrown;
};

/* 0 to below - 1 */
static inline uint32_t throw(struct dice * dice, uint32_t below)
{
	uint32_t out[4];
	philox(dice->seed, dice->thrown++, out);
	return out[0] % below;
}

#endif

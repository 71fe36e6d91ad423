/* philox_at.h -- one random number by its index: element `index` of a tensor that uniform or
 * randn makes */
#ifndef RANKSH_TEST_PHILOX_AT_H
#define RANKSH_TEST_PHILOX_AT_H

#include "base/philox.h"

static inline uint32_t philox_word(uint64_t seed, uint64_t index)
{
	uint32_t block[4];
	philox(seed, index / 4, block);
	return block[index % 4];
}

static inline float philox_uniform(uint64_t seed, uint64_t index)
{
	return philox_uniform_of(philox_word(seed, index));
}

static inline float philox_normal(uint64_t seed, uint64_t index)
{
	return philox_normal_of(philox_word(seed, index));
}

#endif

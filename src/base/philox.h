/* philox.h -- counter-based random numbers (Salmon et al., SC'11: Philox4x32-10)
 *
 * Element i depends on (seed, i) only, so that all ranks, threads and GPUs agree: word i % 4 of
 * block i / 4. */
#ifndef RANKSH_PHILOX_H
#define RANKSH_PHILOX_H

#include <stdint.h>

void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
/* key: seed; counter: upper 64 bits 0; low words first */
void philox(uint64_t seed, uint64_t counter, uint32_t out[4]);
/* The number for a word */
float philox_uniform_of(uint32_t word); /* [0, 1) */
float philox_normal_of(uint32_t word);  /* mean 0, deviation 1, without libm */

#endif

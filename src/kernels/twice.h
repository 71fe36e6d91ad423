/* twice.h -- one source, two machine codes: a loop for any processor, and the same loop for those with AVX2.
 *
 * A compiler turns a loop over doubles into vectors of two on every x86-64 (SSE2), and of four where it may use
 * AVX2. Which of the two codes runs is decided while the program runs:
 *
 *                        name(...)             as callers see it
 *                       /         \
 *             name_plain(...)   name_wide(...)  target("avx2"): 1.4 times as fast
 *                       \         /
 *                      name_body(...)          the text that follows TWICE(...), inlined into both
 *
 * Both give the same bits: the compiler may neither reorder additions (no -ffast-math) nor fuse a product with
 * a sum (-ffp-contract=off), so a vector of four does what four numbers one after another did. What a body
 * calls is compiled with it only if it is inlined: such helpers are INLINE. */
#ifndef RANKSH_KERNELS_TWICE_H
#define RANKSH_KERNELS_TWICE_H

#include <stdbool.h>

#define INLINE static inline __attribute__((always_inline))
#ifdef __x86_64__
#define TARGET_WIDE __attribute__((target("avx2")))
#else
#define TARGET_WIDE
#endif

/* Does this processor have AVX2, and do kernels use it? */
bool kernels_wide(void);
/* Tests: from now on they do not; or they do again, if it has. */
void kernels_allow_wide(bool allow);

/* Defines the function `name`; its body follows. */
#define TWICE(name, parameters, arguments)             \
	INLINE void name##_body parameters;            \
	static void name##_plain parameters            \
	{                                              \
		name##_body arguments;                 \
	}                                              \
	TARGET_WIDE static void name##_wide parameters \
	{                                              \
		name##_body arguments;                 \
	}                                              \
	static void name parameters                    \
	{                                              \
		if (kernels_wide())                    \
			name##_wide arguments;         \
		else                                   \
			name##_plain arguments;        \
	}                                              \
	INLINE void name##_body parameters

#endif

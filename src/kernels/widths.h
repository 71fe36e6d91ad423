/* widths.h -- one source, three machine codes: a loop for any processor, for AVX2, and for AVX-512.
 *
 * A compiler turns a loop over doubles into vectors of two on every x86-64 (SSE2), of four where it may use
 * AVX2, of eight with AVX-512. Which code runs is decided while the program runs:
 *
 *                           name(...)                as callers see it
 *                  /            |             \
 *          name_any(...)  name_avx2(...)  name_avx512(...)
 *                  \            |             /
 *                         name_body(...)             the text behind LOOP_OF(...), inlined into each
 *
 * All give the same bits: the compiler may neither reorder additions (no -ffast-math) nor fuse a product with
 * a sum (-ffp-contract=off), so a vector of eight does what eight numbers one after another did. Which NaN a
 * NaN is may differ. What a body calls is compiled with it only if it is inlined: such helpers are INLINE. */
#ifndef RANKSH_KERNELS_WIDTHS_H
#define RANKSH_KERNELS_WIDTHS_H

#define INLINE static inline __attribute__((always_inline))
#ifdef __x86_64__
#define TARGET_AVX2 __attribute__((target("avx2")))
#ifdef __clang__
#define TARGET_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl"), min_vector_width(512)))
#else
#define TARGET_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")))
#endif
#else
#define TARGET_AVX2
#define TARGET_AVX512
#endif

enum width { WIDTH_ANY, WIDTH_AVX2, WIDTH_AVX512, WIDTHS };
/* The widest that this processor has and that is allowed. */
enum width kernels_width(void);
/* Tests: no wider than this from now on; WIDTH_AVX512 is what a process begins with. */
void kernels_allow(enum width width);

/* Defines the function `name`; its body follows. */
#define LOOP_OF(name, parameters, arguments)               \
	INLINE void name##_body parameters;                \
	static void name##_any parameters                  \
	{                                                  \
		name##_body arguments;                     \
	}                                                  \
	TARGET_AVX2 static void name##_avx2 parameters     \
	{                                                  \
		name##_body arguments;                     \
	}                                                  \
	TARGET_AVX512 static void name##_avx512 parameters \
	{                                                  \
		name##_body arguments;                     \
	}                                                  \
	static void name parameters                        \
	{                                                  \
		enum width width = kernels_width();        \
		if (width == WIDTH_AVX512)                 \
			name##_avx512 arguments;           \
		else if (width == WIDTH_AVX2)              \
			name##_avx2 arguments;             \
		else                                       \
			name##_any arguments;              \
	}                                                  \
	INLINE void name##_body parameters

#endif

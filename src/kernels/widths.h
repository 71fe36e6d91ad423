/* widths.h -- one source, three machine codes: a loop for any processor, for AVX2 and for AVX-512.
 *
 * The choice is made at run time:
 *
 *                           name(...)                called by kernels
 *                  /            |             \
 *          name_any(...)  name_avx2(...)  name_avx512(...)
 *                  \            |             /
 *                         name_body(...)             the text after LOOP_OF(...), inlined in each
 *
 * All give the same bits, because the compiler may neither reorder additions (no -ffast-math) nor
 * fuse a product with a sum (-ffp-contract=off). Only a NaN's payload may differ. Mark functions
 * that a body calls INLINE: only then are they compiled for its width. */
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
/* Returns the widest width that this processor has and kernels_allow() permits. */
enum width kernels_width(void);
/* For tests: limits the width from now on; a process starts with WIDTH_AVX512. */
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

/* numbers.cuh -- elements of each type as doubles and back, bit by bit: src/base/dtype.c and
 * arithmetic.h for a GPU */
#ifndef RANKSH_CUDA_NUMBERS_CUH
#define RANKSH_CUDA_NUMBERS_CUH

#include "cuda/kernels/kernel.cuh"

enum { F32, F16, BF16, I32, MIXED }; /* as enum dtype, and none of them */

INLINE unsigned shift_even(unsigned bits, int shift)
{
	unsigned below_half = (1u << (shift - 1)) - 1;
	return (bits + below_half + (bits >> shift & 1)) >> shift;
}

/* A NaN's bits may differ from the simulator's. */
#ifndef RANKSH_STANDIN_KERNELS_CUDA_H
INLINE unsigned short half_of(float value)
{
	unsigned short half;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
	return half;
}

INLINE float half_value(unsigned short half)
{
	float value;
	asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
	return value;
}
#endif

INLINE unsigned short brain_of(float value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	unsigned short brain;
	asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(brain) : "f"(value));
	return brain;
#else
	unsigned bits = __float_as_uint(value);
	if ((bits & 0x7fffffff) > 0x7f800000)
		return bits >> 16 | 0x40;
	return shift_even(bits, 16);
#endif
}

INLINE float brain_value(unsigned short brain)
{
	return __uint_as_float((unsigned)brain << 16);
}

/* A number as i32: truncated, saturated; NaN becomes 0 */
INLINE int saturated(double value)
{
	if (value >= 2147483647)
		return 2147483647;
	if (value <= -2147483648.)
		return -2147483647 - 1;
	return value == value ? (int)value : 0;
}

INLINE int wrapped(long long value)
{
	return (int)(unsigned)(unsigned long long)value;
}

template <class Number = double> INLINE Number load(const void *data, int dtype, long long at)
{
	if (dtype == F32)
		return ((const float *)data)[at];
	if (dtype == I32)
		return (Number)((const int *)data)[at];
	unsigned short bits = ((const unsigned short *)data)[at];
	return dtype == F16 ? half_value(bits) : brain_value(bits);
}

/* Rounded to the type: f16 and bf16 through f32 */
INLINE void store(void *data, int dtype, long long at, double value)
{
	if (dtype == F32)
		((float *)data)[at] = (float)value;
	else if (dtype == I32)
		((int *)data)[at] = saturated(value);
	else
		((unsigned short *)data)[at] = dtype == F16 ? half_of((float)value) : brain_of((float)value);
}

/* old + value for a tensor of that type, before rounding: i32 wraps */
INLINE double sum_of(int dtype, double old, double value)
{
	if (dtype != I32)
		return old + value;
	bool fits = value >= -2147483648. && value <= 2147483647;
	return fits ? wrapped((long long)(old + value)) : wrapped((long long)old + saturated(value));
}

/* V contiguous elements: one, or 4 or 8 aligned for vector access */
template <int V, class Number> INLINE void load_many(const void *data, int dtype, long long at, Number *value)
{
	if (V == 1) {
		value[0] = load<Number>(data, dtype, at);
		return;
	}
	if (dtype == F32 || dtype == I32) {
#pragma unroll
		for (int i = 0; i < V; i += 4) {
			uint4 four = *(const uint4 *)((const unsigned *)data + at + i);
			unsigned word[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
			for (int j = 0; j < 4; j++)
				value[i + j] = dtype == F32 ? (Number)__uint_as_float(word[j])
				                            : (Number)(int)word[j];
		}
		return;
	}
	unsigned word[4];
	if (V == 4) {
		uint2 two = *(const uint2 *)((const unsigned short *)data + at);
		word[0] = two.x, word[1] = two.y;
	} else {
		uint4 four = *(const uint4 *)((const unsigned short *)data + at);
		word[0] = four.x, word[1] = four.y, word[2] = four.z, word[3] = four.w;
	}
#pragma unroll
	for (int i = 0; i < V; i++) {
		unsigned short bits = (unsigned short)(word[i / 2] >> i % 2 * 16);
		value[i] = dtype == F16 ? half_value(bits) : brain_value(bits);
	}
}

template <int V, class Number>
INLINE void store_many(void *data, int dtype, long long at, const Number *value)
{
	if (V == 1) {
		store(data, dtype, at, value[0]);
		return;
	}
	if (dtype == F32 || dtype == I32) {
#pragma unroll
		for (int i = 0; i < V; i += 4) {
			unsigned word[4];
#pragma unroll
			for (int j = 0; j < 4; j++)
				word[j] = dtype == F32 ? __float_as_uint((float)value[i + j])
				                       : (unsigned)saturated(value[i + j]);
			uint4 four = {word[0], word[1], word[2], word[3]};
			*(uint4 *)((unsigned *)data + at + i) = four;
		}
		return;
	}
	unsigned word[4] = {};
#pragma unroll
	for (int i = 0; i < V; i++) {
		float rounded = (float)value[i];
		word[i / 2] |= (unsigned)(dtype == F16 ? half_of(rounded) : brain_of(rounded)) << i % 2 * 16;
	}
	if (V == 4) {
		uint2 two = {word[0], word[1]};
		*(uint2 *)((unsigned short *)data + at) = two;
	} else {
		uint4 four = {word[0], word[1], word[2], word[3]};
		*(uint4 *)((unsigned short *)data + at) = four;
	}
}

/* the offset of element `index` of a strided tensor, in C order */
INLINE long long place_of(const struct strided *tensor, long long index)
{
	long long at = 0;
	for (int d = tensor->dims - 1; d > 0; d--) {
		long long rest = index / tensor->dim[d];
		at += (index - rest * tensor->dim[d]) * tensor->stride[d];
		index = rest;
	}
	return at + index * tensor->stride[0];
}

INLINE double get(const struct strided *tensor, long long index)
{
	return load(tensor->data, tensor->dtype, place_of(tensor, index));
}

INLINE void put(const struct strided *tensor, long long index, double value, int add)
{
	long long at = place_of(tensor, index);
	if (add)
		value = sum_of(tensor->dtype, load(tensor->data, tensor->dtype, at), value);
	store(tensor->data, tensor->dtype, at, value);
}

#endif

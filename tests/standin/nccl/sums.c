/* sums.c -- in the order in which they are given, each step rounded to the type, as the simulator does (docs/internals/architecture.md,
 * "Numbers"): halves are added in f32 and rounded; a number wins over a NaN. */
#include "standin/nccl/sums.h"
#include "base/dtype.h"

#include <string.h>

/* X(type of NCCL, type of C): whole numbers wrap, so they are added unsigned */
#define WHOLE_TYPES(X)      \
	X(ncclInt8, int8_t) \
	X(ncclInt32, int32_t)
#define FLOAT_TYPES(X) X(ncclFloat32, float)

int type_bytes(ncclDataType_t type)
{
	switch ((int)type) {
#define X(symbol, c_type) \
	case symbol:      \
		return (int)sizeof(c_type);
		WHOLE_TYPES(X)
		FLOAT_TYPES(X)
#undef X
	case ncclFloat16:
	case ncclBfloat16:
		return 2;
	default:
		return 0;
	}
}

static bool is_whole(ncclDataType_t type)
{
	return type == ncclInt8 || type == ncclInt32;
}

static bool is_half(ncclDataType_t type)
{
	return type == ncclFloat16 || type == ncclBfloat16;
}

static enum dtype half_type(ncclDataType_t type)
{
	return type == ncclFloat16 ? DT_F16 : DT_BF16;
}

/* 1/n as the type holds it */
static double part_of(ncclDataType_t type, int ranks)
{
	float part = 1.0f / (float)ranks;
	char element[2];
	if (!is_half(type))
		return (double)part;
	dtype_set(half_type(type), element, 0, part);
	return (double)dtype_get(half_type(type), element, 0);
}

struct reducer reducer_of(ncclDataType_t type, ncclRedOp_t reduction, int ranks)
{
	struct reducer by = {.type = type,
	        .fold = reduction == ncclProd  ? OP_PROD
	                : reduction == ncclMax ? OP_MAX
	                : reduction == ncclMin ? OP_MIN
	                                       : OP_SUM,
	        .factor = 1,
	        .divisor = 1};
	if (reduction == ncclAvg && is_whole(type))
		by.divisor = ranks;
	else if (reduction == ncclAvg)
		by.factor = part_of(type, ranks);
	return by;
}

/* fold_TYPE: each block by the factor, then into the first, which is divided at the end */
#define FOLD(type, c_type, wide, signed_wide)                                                            \
	static void fold_##type(const struct reducer *by, char *const *block, int blocks, int64_t count) \
	{                                                                                                \
		c_type *sum = (c_type *)block[0];                                                        \
		const wide factor = (wide)(signed_wide)by->factor;                                       \
		for (int b = 0; b < blocks; b++) {                                                       \
			c_type *x = (c_type *)block[b];                                                  \
			for (int64_t i = 0; i < count && by->factor != 1; i++)                           \
				x[i] = (c_type)((wide)x[i] * factor);                                    \
			for (int64_t i = 0; i < count && b > 0; i++)                                     \
				if (by->fold == OP_SUM)                                                  \
					sum[i] = (c_type)((wide)sum[i] + (wide)x[i]);                    \
				else if (by->fold == OP_PROD)                                            \
					sum[i] = (c_type)((wide)sum[i] * (wide)x[i]);                    \
				else if ((by->fold == OP_MAX ? x[i] > sum[i] : x[i] < sum[i]) ||         \
				        sum[i] != sum[i])                                                \
					sum[i] = x[i];                                                   \
		}                                                                                        \
		for (int64_t i = 0; i < count && by->divisor != 1; i++)                                  \
			sum[i] = (c_type)(sum[i] / (c_type)by->divisor);                                 \
	}
#define X(type, c_type) FOLD(type, c_type, uint64_t, int64_t)
WHOLE_TYPES(X)
#undef X
#define X(type, c_type) FOLD(type, c_type, c_type, c_type)
FLOAT_TYPES(X)
#undef X

/* In f32, and rounded back at each step: the correctly rounded sum or product of two halves */
static void step_half(const struct reducer *by, char *const *block, int blocks, int64_t count)
{
	enum { PART = 512 };
	enum dtype type = half_type(by->type);
	float part[2][PART];
	char *const wide[2] = {(char *)part[0], (char *)part[1]};

	for (int64_t at = 0; at < count; at += PART) {
		int64_t n = count - at < PART ? count - at : PART;
		for (int b = 0; b < blocks; b++)
			dtype_to_f32(type, block[b] + 2 * at, part[b], n);
		fold_ncclFloat32(by, wide, blocks, n);
		dtype_from_f32(type, part[0], block[0] + 2 * at, n);
	}
}

static void fold_half(const struct reducer *by, char *const *block, int blocks, int64_t count)
{
	struct reducer step = *by;
	step.factor = 1;
	for (int b = 0; b < blocks; b++) {
		char *const pair[2] = {block[0], block[b]};
		if (by->factor != 1)
			step_half(by, &block[b], 1, count);
		if (b > 0)
			step_half(&step, pair, 2, count);
	}
}

void reducer_fold(const struct reducer *by, char *const *block, int blocks, int64_t count)
{
	switch ((int)by->type) {
#define X(type, c_type)                                \
	case type:                                     \
		fold_##type(by, block, blocks, count); \
		break;
		WHOLE_TYPES(X)
		FLOAT_TYPES(X)
#undef X
	default:
		fold_half(by, block, blocks, count);
	}
}

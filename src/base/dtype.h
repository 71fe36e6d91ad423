/* dtype.h -- element types, shapes and strides, without memory */
#ifndef RANKSH_DTYPE_H
#define RANKSH_DTYPE_H

#include "base/status.h"
#include <stdbool.h>
#include <stdint.h>

/* X(symbol, name, bytes) */
#define DTYPES(X)          \
	X(F32, "f32", 4)   \
	X(F16, "f16", 2)   \
	X(BF16, "bf16", 2) \
	X(I32, "i32", 4)
enum dtype {
#define X(symbol, name, bytes) DT_##symbol,
	DTYPES(X)
#undef X
	        DT_COUNT
};

const char *dtype_name(enum dtype dtype);
int dtype_bytes(enum dtype dtype);
/* Returns false, and leaves *dtype, if no type has the name. */
bool dtype_find(const char *name, enum dtype *dtype);

/* Read and write one element as a float. f16 and bf16 round to nearest even. i32 truncates and
 * saturates; above 2^24 a float loses its low bits. */
float dtype_get(enum dtype dtype, const void *elements, int64_t index);
void dtype_set(enum dtype dtype, void *elements, int64_t index, float value);
/* Convert count contiguous elements to f32 and back. */
void dtype_to_f32(enum dtype dtype, const void *from, float *to, int64_t count);
void dtype_from_f32(enum dtype dtype, const float *from, void *to, int64_t count);

enum { DIMS_MAX = 6 };

/* Element (i, j, ...) is at i*stride[0] + j*stride[1] + ... elements from the first. */
struct layout {
	uint8_t dtype; /* enum dtype */
	uint8_t dims;  /* 1 .. DIMS_MAX; a scalar is [1] */
	int64_t dim[DIMS_MAX];
	int64_t stride[DIMS_MAX]; /* in elements */
};

/* Makes a contiguous layout in C order. Dimensions may be 0, with strides as for 1, as in
 * PyTorch. Fails with ST_RANGE for a negative dimension, more than 2^46 bytes, or `dims` outside
 * 1 .. DIMS_MAX. */
enum status layout_make(struct layout *layout, enum dtype dtype, int dims, const int64_t *dim);
int64_t layout_count(const struct layout *layout); /* elements */
int64_t layout_rows(const struct layout *layout);  /* product of all dimensions but the last */
int64_t layout_bytes(const struct layout *layout); /* elements * element size */
int64_t layout_span(const struct layout *layout);  /* bytes to the end of the last element; 0: none */
bool layout_contiguous(const struct layout *layout);
bool layout_same_shape(const struct layout *a, const struct layout *b);
bool layout_equal(const struct layout *a, const struct layout *b); /* with type and strides */
/* A shape for messages, "[64,64]": shape_text(&layout).text */
struct shape_text {
	char text[DIMS_MAX * 21 + 3];
};
struct shape_text shape_text(const struct layout *layout);
/* Copy a strided tensor to contiguous elements, and back. */
void layout_pack(const struct layout *layout, const void *from, void *to);
void layout_unpack(const struct layout *layout, const void *from, void *to);

#endif

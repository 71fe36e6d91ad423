/* layout.c -- shapes and strides
 *
 *      x [2,3]      strides 3,1      a b c d e f      x.T [3,2]     strides 1,3, the same memory
 *      x[:, 1:3]    strides 3,1, from b on: b c e f; its span is b to f, with d in it
 *      e [2,0]      strides 1,1      no elements: its span is 0 bytes, and it is contiguous
 *
 * Products of dimensions do not overflow: layout_make() refuses more than 2^46 bytes, and other
 * layouts are parts of such. */
#include "base/dtype.h"
#include "base/arithmetic.h"

#include <stdio.h>
#include <string.h>

static const int64_t BYTES_MAX = INT64_C(1) << 46; /* arithmetic stays in int64 */

enum status layout_make(struct layout *layout, enum dtype dtype, int dims, const int64_t *dim)
{
	struct layout made = {.dtype = dtype, .dims = dims};
	int64_t count = 1;

	if (dims < 1 || dims > DIMS_MAX)
		return fail(ST_RANGE, "a tensor has 1 to %d dimensions, not %d", DIMS_MAX, dims);
	for (int i = dims - 1; i >= 0; i--) {
		if (dim[i] < 0)
			return fail(ST_RANGE, "a dimension is at least 0, not %lld", (long long)dim[i]);
		if (dim[i] > BYTES_MAX / dtype_bytes(dtype) / count)
			return fail(ST_RANGE, "a tensor of that size would be larger than 2^46 bytes");
		made.dim[i] = dim[i];
		made.stride[i] = count;
		count *= most_of(dim[i], 1);
	}
	*layout = made;
	return ST_OK;
}

int64_t layout_count(const struct layout *layout)
{
	int64_t count = 1;
	for (int i = 0; i < layout->dims; i++)
		count *= layout->dim[i];
	return count;
}

int64_t layout_rows(const struct layout *layout)
{
	int64_t rows = 1;
	for (int i = 0; i < layout->dims - 1; i++)
		rows *= layout->dim[i];
	return rows;
}

int64_t layout_bytes(const struct layout *layout)
{
	return layout_count(layout) * dtype_bytes(layout->dtype);
}

int64_t layout_span(const struct layout *layout)
{
	int64_t last = 0;
	for (int i = 0; i < layout->dims; i++)
		last += (layout->dim[i] - 1) * layout->stride[i];
	return layout_count(layout) ? (last + 1) * dtype_bytes(layout->dtype) : 0;
}

bool layout_contiguous(const struct layout *layout)
{
	int64_t stride = 1;
	if (layout_count(layout) == 0)
		return true;
	for (int i = layout->dims - 1; i >= 0; i--) {
		if (layout->dim[i] > 1 && layout->stride[i] != stride)
			return false;
		stride *= layout->dim[i];
	}
	return true;
}

bool layout_same_shape(const struct layout *a, const struct layout *b)
{
	return a->dims == b->dims && memcmp(a->dim, b->dim, a->dims * sizeof a->dim[0]) == 0;
}

bool layout_equal(const struct layout *a, const struct layout *b)
{
	return layout_same_shape(a, b) && a->dtype == b->dtype &&
	        memcmp(a->stride, b->stride, a->dims * sizeof a->stride[0]) == 0;
}

struct shape_text shape_text(const struct layout *layout)
{
	struct shape_text shape = {""};
	int at = 0;
	for (int i = 0; i < layout->dims; i++)
		at += snprintf(shape.text + at, sizeof shape.text - at, "%c%lld", i ? ',' : '[',
		        (long long)layout->dim[i]);
	snprintf(shape.text + at, sizeof shape.text - at, "]");
	return shape;
}

static void copy_elements(
        int bytes, const char *from, int64_t from_stride, char *to, int64_t to_stride, int64_t count)
{
	if (from_stride == 1 && to_stride == 1) {
		memcpy(to, from, count * bytes);
	} else if (bytes == 4) {
		for (int64_t i = 0; i < count; i++)
			memcpy(to + i * to_stride * 4, from + i * from_stride * 4, 4);
	} else {
		for (int64_t i = 0; i < count; i++)
			memcpy(to + i * to_stride * 2, from + i * from_stride * 2, 2);
	}
}

static void move_rows(const struct layout *layout, const char *from, char *to, bool pack)
{
	int last = layout->dims - 1, bytes = dtype_bytes(layout->dtype);
	int64_t index[DIMS_MAX] = {0}, offset = 0, row = layout->dim[last], rows = layout_rows(layout);

	if (layout_count(layout) == 0)
		return;
	if (layout_contiguous(layout)) {
		memcpy(to, from, layout_bytes(layout));
		return;
	}
	for (int64_t r = 0; r < rows; r++) {
		if (pack)
			copy_elements(bytes, from + offset * bytes, layout->stride[last],
			        to + r * row * bytes, 1, row);
		else
			copy_elements(bytes, from + r * row * bytes, 1, to + offset * bytes,
			        layout->stride[last], row);
		for (int d = last - 1; d >= 0; d--) {
			offset += layout->stride[d];
			if (++index[d] < layout->dim[d])
				break;
			offset -= layout->dim[d] * layout->stride[d];
			index[d] = 0;
		}
	}
}

void layout_pack(const struct layout *layout, const void *from, void *to)
{
	move_rows(layout, from, to, true);
}

void layout_unpack(const struct layout *layout, const void *from, void *to)
{
	move_rows(layout, from, to, false);
}

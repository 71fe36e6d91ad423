/* lane.c -- a strided tensor of any type as one long row of doubles.
 *
 * Size-1 dimensions are dropped and contiguous neighbours merged, so most tensors have one
 * dimension and a long inner loop. Elements are accessed in runs: only locate() divides, once per
 * run. */
#include "kernels/lane.h"
#include "base/arithmetic.h"
#include "kernels/widths.h"

/* Merges a dimension into the previous one if that one's stride equals its total length. */
static struct lane merged(const struct lane *lane)
{
	struct lane out = {.dtype = lane->dtype, .data = lane->data};
	for (int i = 0; i < lane->dims; i++) {
		int last = out.dims - 1;
		if (lane->dim[i] == 1)
			continue;
		if (out.dims && out.stride[last] == lane->stride[i] * lane->dim[i]) {
			out.dim[last] *= lane->dim[i];
			out.stride[last] = lane->stride[i];
		} else {
			out.dim[out.dims] = lane->dim[i];
			out.stride[out.dims++] = lane->stride[i];
		}
	}
	if (out.dims == 0)
		out.dim[out.dims++] = 1;
	return out;
}

struct lane lane_of(const struct kernel_tensor *tensor)
{
	return lane_broadcast(tensor, &tensor->layout);
}

/* NumPy's rule, from the right: [8] as [4,8] has strides 0,1; [4,1] as [4,8] has strides 1,0. */
struct lane lane_broadcast(const struct kernel_tensor *tensor, const struct layout *shape)
{
	const struct layout *layout = &tensor->layout;
	struct lane lane = {.dtype = (enum dtype)layout->dtype, .data = tensor->data, .dims = shape->dims};
	int missing = shape->dims - layout->dims;

	for (int i = 0; i < shape->dims; i++) {
		lane.dim[i] = shape->dim[i];
		lane.stride[i] =
		        i < missing || layout->dim[i - missing] == 1 ? 0 : layout->stride[i - missing];
	}
	return merged(&lane);
}

/* Finds element `index`; returns how many follow, itself included, at the last stride. */
static int64_t locate(const struct lane *lane, int64_t index, int64_t *offset)
{
	int last = lane->dims - 1;
	int64_t inner = index % lane->dim[last];

	*offset = inner * lane->stride[last];
	index /= lane->dim[last];
	for (int d = last - 1; d >= 0; d--) {
		*offset += index % lane->dim[d] * lane->stride[d];
		index /= lane->dim[d];
	}
	return lane->dim[last] - inner;
}

/* Prefetches the next chunk while the kernel works on this one. */
LOOP_OF(floats_to_doubles, (const float *from, double *to, int64_t count), (from, to, count))
{
	for (int64_t i = 0; i < count; i += 16)
		__builtin_prefetch(from + LANE_CHUNK + i);
	for (int64_t i = 0; i < count; i++)
		to[i] = from[i];
}

LOOP_OF(doubles_to_floats, (const double *from, float *to, int64_t count), (from, to, count))
{
	for (int64_t i = 0; i < count; i++)
		to[i] = (float)from[i];
}

/* f16 and bf16 are converted in blocks, through f32. */
enum { BLOCK = 256 };

/* Reads a run from offset `at` on, along the last dimension. */
static void load(const struct lane *lane, int64_t at, int64_t count, double *to)
{
	int64_t stride = lane->stride[lane->dims - 1];
	const void *data = lane->data;
	const float *real = data;
	const int32_t *whole = data;
	const uint16_t *half = data;
	uint16_t line[BLOCK];
	float block[BLOCK];

	if (lane->dtype == DT_F32 && stride == 1)
		floats_to_doubles(real + at, to, count);
	else if (lane->dtype == DT_F32)
		for (int64_t i = 0; i < count; i++)
			to[i] = real[at + i * stride];
	else if (lane->dtype == DT_I32)
		for (int64_t i = 0; i < count; i++)
			to[i] = whole[at + i * stride];
	else
		for (int64_t done = 0; done < count; done += BLOCK) {
			int64_t n = least_of(count - done, BLOCK);
			for (int64_t i = 0; i < n; i++)
				line[i] = half[at + (done + i) * stride];
			dtype_to_f32(lane->dtype, line, block, n);
			floats_to_doubles(block, to + done, n);
		}
}

/* Writes a run. */
static void store(const struct lane *lane, int64_t at, int64_t count, const double *values)
{
	int64_t stride = lane->stride[lane->dims - 1];
	void *data = lane->data;
	float *real = data;
	int32_t *whole = data;
	uint16_t *half = data, line[BLOCK];
	float block[BLOCK];

	if (lane->dtype == DT_F32 && stride == 1)
		doubles_to_floats(values, real + at, count);
	else if (lane->dtype == DT_F32)
		for (int64_t i = 0; i < count; i++)
			real[at + i * stride] = (float)values[i];
	else if (lane->dtype == DT_I32)
		for (int64_t i = 0; i < count; i++)
			whole[at + i * stride] = saturated(values[i]);
	else
		for (int64_t done = 0; done < count; done += BLOCK) {
			int64_t n = least_of(count - done, BLOCK);
			doubles_to_floats(values + done, block, n);
			dtype_from_f32(lane->dtype, block, line, n);
			for (int64_t i = 0; i < n; i++)
				half[at + (done + i) * stride] = line[i];
		}
}

void lane_read(const struct lane *lane, int64_t from, int64_t count, double *to)
{
	for (int64_t done = 0; done < count;) {
		int64_t offset, n = locate(lane, from + done, &offset);
		n = least_of(n, count - done);
		load(lane, offset, n, to + done);
		done += n;
	}
}

void lane_write(const struct lane *lane, int64_t from, int64_t count, const double *values)
{
	for (int64_t done = 0; done < count;) {
		int64_t offset, n = locate(lane, from + done, &offset);
		n = least_of(n, count - done);
		store(lane, offset, n, values + done);
		done += n;
	}
}

/* Wraps. A value outside i32's range is saturated first. */
static double whole_sum(double old, double value)
{
	return value >= INT32_MIN && value <= INT32_MAX ? wrapped((int64_t)(old + value))
	                                                : wrapped((int64_t)old + saturated(value));
}

void lane_add(const struct lane *lane, int64_t from, int64_t count, const double *values)
{
	double sum[LANE_CHUNK];
	for (int64_t done = 0; done < count;) {
		int64_t n = least_of(count - done, LANE_CHUNK);
		lane_read(lane, from + done, n, sum);
		for (int64_t i = 0; i < n; i++)
			sum[i] = lane->dtype == DT_I32 ? whole_sum(sum[i], values[done + i])
			                               : sum[i] + values[done + i];
		lane_write(lane, from + done, n, sum);
		done += n;
	}
}

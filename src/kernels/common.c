/* common.c -- shape rules, costs and loops shared by the families */
#include "kernels/common.h"
#include "base/memory.h"
#include "kernels/exponential.h"

#include <math.h>
#include <string.h>

/* ---- shapes ---- */

enum status kernel_out(struct kernel_call *call, int out, enum dtype dtype, int dims, const int64_t *dim)
{
	enum status status = layout_make(&call->out[out].layout, dtype, dims, dim);
	return status != ST_OK ? fail_in(status, "%s", call->kernel->name) : ST_OK;
}

enum status kernel_out_like(struct kernel_call *call, int in)
{
	const struct layout *like = &call->in[in].layout;
	return kernel_out(call, 0, (enum dtype)like->dtype, like->dims, like->dim);
}

enum status kernel_wants_floats(const struct kernel_call *call)
{
	for (int i = 0; i < call->ins; i++)
		if (call->in[i].layout.dtype == DT_I32)
			return fail(ST_DTYPE,
			        "%s is i32: %s takes f32, f16 or bf16 (`cast %s to=f32` makes one)",
			        call->in[i].name, call->kernel->name, call->in[i].name);
	return ST_OK;
}

enum status kernel_wants_same_shapes(const struct kernel_call *call)
{
	enum status status = ST_OK;
	for (int i = 1; i < call->ins && status == ST_OK; i++) {
		if (layout_same_shape(&call->in[0].layout, &call->in[i].layout))
			continue;
		status = fail(ST_SHAPE, "%s is %s, %s is %s: %s wants the same shape", call->in[0].name,
		        shape_text(&call->in[0].layout).text, call->in[i].name,
		        shape_text(&call->in[i].layout).text, call->kernel->name);
	}
	return status;
}

enum status kernel_shape_float(struct kernel_call *call)
{
	enum status status = kernel_wants_floats(call);
	if (status == ST_OK)
		status = kernel_wants_same_shapes(call);
	return status != ST_OK ? status : kernel_out_like(call, 0);
}

enum status kernel_wants_whole(const struct kernel_call *call, int option, double least)
{
	double value = call->option[option];
	if (value == trunc(value) && value >= least && value <= 0x1p53)
		return ST_OK;
	return fail(ST_RANGE, "%s: %s=%g: a whole number of at least %g is wanted", call->kernel->name,
	        call->kernel->option[option].name, value, least);
}

/* ---- costs ----
 *
 * The time of a kernel is the larger of operations / peak and bytes / bandwidth: the roofline model
 * (Williams, Waterman, Patterson, CACM 52(4), 2009), which machine_kernel_ns() draws. Bytes are counted as if
 * caches held nothing: every operand goes over the memory bus once, and twice where it is read and written
 * back. */

void kernel_cost(const struct kernel_call *call, double operations, double *flops, double *bytes)
{
	int64_t most = 0;

	*bytes = 0;
	for (int i = 0; i < call->ins; i++) {
		bool twice = call->kernel->writes >> i & 1 && !call->kernel->write_only;
		int64_t count = layout_count(&call->in[i].layout);
		most = count > most ? count : most;
		*bytes += (double)layout_bytes(&call->in[i].layout) * (twice ? 2 : 1);
	}
	for (int i = 0; i < call->outs; i++) {
		int64_t count = layout_count(&call->out[i].layout);
		most = count > most ? count : most;
		*bytes += (double)layout_bytes(&call->out[i].layout) * (call->add ? 2 : 1);
	}
	*flops = operations * (double)most;
}

void kernel_cost_move(const struct kernel_call *call, double *flops, double *bytes)
{
	kernel_cost(call, 0, flops, bytes);
}

void kernel_cost_one(const struct kernel_call *call, double *flops, double *bytes)
{
	kernel_cost(call, 1, flops, bytes);
}

void kernel_cost_few(const struct kernel_call *call, double *flops, double *bytes)
{
	kernel_cost(call, 8, flops, bytes);
}

/* ---- loops ---- */

LOOP(kernel_copy)
{
	for (int64_t i = 0; i < count; i++)
		out[i] = in[0][i];
}

void kernel_same(int64_t count, double *const *in, double *out, const double *option)
{
	kernel_copy(count, in, out, option);
}

void kernel_put(const struct kernel_call *call, const struct lane *out, int64_t from, int64_t count,
        const double *values)
{
	if (call->add)
		lane_add(out, from, count, values);
	else
		lane_write(out, from, count, values);
}

void kernel_elements(const struct kernel_call *call, kernel_loop *loop)
{
	enum { INS = 3 };
	double buffer[INS][LANE_CHUNK], result[LANE_CHUNK];
	double *in[INS] = {buffer[0], buffer[1], buffer[2]};
	struct lane lane[INS], out = lane_of(&call->out[0]);
	int64_t count = layout_count(&call->out[0].layout);

	for (int i = 0; i < call->ins; i++)
		lane[i] = lane_broadcast(&call->in[i], &call->out[0].layout);
	for (int64_t from = 0; from < count; from += LANE_CHUNK) {
		int64_t n = least_of(count - from, LANE_CHUNK);
		for (int i = 0; i < call->ins; i++)
			lane_read(&lane[i], from, n, in[i]);
		loop(n, in, result, call->option);
		kernel_put(call, &out, from, n, result);
	}
}

int64_t kernel_row_length(const struct kernel_tensor *tensor)
{
	return tensor->layout.dim[tensor->layout.dims - 1];
}

void kernel_rows(const struct kernel_call *call, kernel_loop *loop)
{
	int64_t length = kernel_row_length(&call->in[0]), out_length = kernel_row_length(&call->out[0]);
	int64_t rows = layout_count(&call->in[0].layout) / length;
	/* the result's row first, then those of the arguments */
	double *buffer = mem_alloc((size_t)((call->ins + 1) * length) * sizeof *buffer), *in[KERNEL_ARGS_MAX];
	struct lane lane[KERNEL_ARGS_MAX], out = lane_of(&call->out[0]);

	for (int i = 0; i < call->ins; i++) {
		lane[i] = lane_of(&call->in[i]);
		in[i] = buffer + (i + 1) * length;
	}
	for (int64_t r = 0; r < rows; r++) {
		for (int i = 0; i < call->ins; i++)
			lane_read(&lane[i], r * length, length, in[i]);
		loop(length, in, buffer, call->option);
		kernel_put(call, &out, r * out_length, out_length, buffer);
	}
	mem_free(buffer);
}

/* ---- as f32 ---- */

void kernel_floats(const struct kernel_tensor *tensor, float *to)
{
	int64_t count = layout_count(&tensor->layout);
	double chunk[LANE_CHUNK];
	struct lane lane = lane_of(tensor);

	for (int64_t from = 0; from < count; from += LANE_CHUNK) {
		int64_t n = least_of(count - from, LANE_CHUNK);
		lane_read(&lane, from, n, chunk);
		for (int64_t i = 0; i < n; i++)
			to[from + i] = (float)chunk[i];
	}
}

void kernel_from_floats(const struct kernel_tensor *tensor, const float *values)
{
	int64_t count = layout_count(&tensor->layout);
	double chunk[LANE_CHUNK];
	struct lane lane = lane_of(tensor);

	for (int64_t from = 0; from < count; from += LANE_CHUNK) {
		int64_t n = least_of(count - from, LANE_CHUNK);
		for (int64_t i = 0; i < n; i++)
			chunk[i] = values[from + i];
		lane_write(&lane, from, n, chunk);
	}
}

/* exp of what is left when the largest is taken off: nothing above 1, so nothing overflows. The largest and
 * the sum run in eight parts, which a vector has side by side: part j has the elements j, j+8, j+16 ... */
LOOP_OF(softmax_row, (float *row, int64_t count), (row, count))
{
	enum { PARTS = 8 };
	float part[PARTS], most;
	double sums[PARTS] = {0}, sum = 0;
	int64_t whole = count / PARTS * PARTS;

	/* A NaN may get lost here: its exp is one, and so is the sum. */
	for (int j = 0; j < PARTS; j++)
		part[j] = row[0];
	for (int64_t i = 0; i < whole; i += PARTS)
		for (int j = 0; j < PARTS; j++)
			part[j] = row[i + j] > part[j] ? row[i + j] : part[j];
	for (int64_t i = whole; i < count; i++)
		part[0] = row[i] > part[0] ? row[i] : part[0];
	most = part[0];
	for (int j = 1; j < PARTS; j++)
		most = part[j] > most ? part[j] : most;

	for (int64_t i = 0; i < count; i++)
		row[i] = (float)exponential((double)row[i] - (double)most);
	for (int64_t i = 0; i < whole; i += PARTS)
		for (int j = 0; j < PARTS; j++)
			sums[j] += row[i + j];
	for (int64_t i = whole; i < count; i++)
		sums[i - whole] += row[i];
	for (int j = 0; j < PARTS; j++)
		sum += sums[j];
	float inverse = (float)(1 / sum);
	for (int64_t i = 0; i < count; i++)
		row[i] *= inverse;
}

void kernel_softmax_row(float *row, int64_t count, int64_t room)
{
	int64_t padded = least_of(room, parts_of(count, 16) * 16);
	for (int64_t i = count; i < padded; i++)
		row[i] = -INFINITY;
	softmax_row(row, padded);
	for (int64_t i = padded; i < room; i++)
		row[i] = 0;
}

/* ---- outputs over inputs ----
 *
 * y = x[1:] of a tensor into x[:-1], or y = matmul y w: an output lies in memory that is still to be read.
 * Three cases:
 *      no common byte              the output is written where it is
 *      the very same tensor        as well: element i is read before element i is written, and never again
 *      anything between            computed into memory of its own, then copied to its place
 * Common bytes are judged by the spans, from the first to the last element: two columns of one matrix count
 * as overlapping, and cost a copy that is not needed, never a wrong result. */

bool kernel_overlap(const struct kernel_tensor *a, const struct kernel_tensor *b)
{
	const char *x = a->data, *y = b->data;
	return x < y + layout_span(&b->layout) && y < x + layout_span(&a->layout);
}

static bool very_same(const struct kernel_tensor *a, const struct kernel_tensor *b)
{
	return a->data == b->data && a->layout.dtype == b->layout.dtype &&
	        layout_same_shape(&a->layout, &b->layout) &&
	        memcmp(a->layout.stride, b->layout.stride, a->layout.dims * sizeof a->layout.stride[0]) == 0;
}

static bool must_stage(const struct kernel_call *call, const struct kernel_tensor *out)
{
	for (int i = 0; i < call->ins; i++)
		if (kernel_overlap(&call->in[i], out) && !very_same(&call->in[i], out))
			return true;
	return false;
}

/* The row's own code. */
static void run(const struct kernel_call *call)
{
	const struct kernel *kernel = call->kernel;
	bool whole = kernel->whole && call->ins > 0;
	for (int i = 0; i < call->ins; i++)
		whole = whole && call->in[i].layout.dtype == DT_I32;
	if (kernel->run)
		kernel->run(call);
	else if (kernel->rows)
		kernel_rows(call, whole ? kernel->whole : kernel->rows);
	else
		kernel_elements(call, whole ? kernel->whole : kernel->elements);
}

void kernel_compute(const struct kernel_call *call)
{
	struct kernel_call staged = *call;
	void *bytes[KERNEL_ARGS_MAX] = {0};

	for (int i = 0; i < call->outs; i++) {
		const struct layout *layout = &call->out[i].layout;
		if (!must_stage(call, &call->out[i]))
			continue;
		bytes[i] = mem_alloc((size_t)layout_bytes(layout));
		layout_make(&staged.out[i].layout, (enum dtype)layout->dtype, layout->dims, layout->dim);
		staged.out[i].data = bytes[i];
		if (call->add)
			layout_pack(layout, call->out[i].data, bytes[i]);
	}
	run(&staged);
	for (int i = 0; i < call->outs; i++) {
		if (bytes[i])
			layout_unpack(&call->out[i].layout, bytes[i], call->out[i].data);
		mem_free(bytes[i]);
	}
}

/* common.c -- shapes, costs and results for any kernel, from its row */
#include "kernels/common.h"
#include "base/memory.h"
#include "kernels/exponential.h"

#include <math.h>
#include <stdio.h>

/* ---- shapes ---- */

enum status kernel_out(struct kernel_call *call, int out, enum dtype dtype, int dims, const int64_t *dim)
{
	enum status status = layout_make(&call->out[out].layout, dtype, dims, dim);
	return status != ST_OK ? fail_in(status, "%s", call->kernel->name) : ST_OK;
}

enum status kernel_wants_float(const struct kernel_call *call, int in)
{
	if (call->in[in].layout.dtype != DT_I32)
		return ST_OK;
	return fail(ST_DTYPE, "%s is i32: %s takes f32, f16 or bf16 (`cast %s to=f32` makes one)",
	        call->in[in].name, call->kernel->name, call->in[in].name);
}

static enum status check_option(const struct kernel *kernel, const struct kernel_option *option, double value)
{
	if (option->kind == KO_WHOLE && !(value == trunc(value) && value >= option->least && value <= 0x1p53))
		return fail(ST_RANGE, "%s: %s=%g: a whole number of at least %g is required", kernel->name,
		        option->name, value, option->least);
	if (option->kind == KO_PART && !(value >= 0 && value < 1))
		return fail(ST_RANGE, "%s: %s=%g: 0 or more and below 1 is required", kernel->name,
		        option->name, value);
	return ST_OK;
}

enum status kernel_shape_failure(const struct kernel_call *call, const struct kernel_tensor *one,
        const struct kernel_tensor *other, const char *wanted)
{
	return fail(ST_SHAPE, "%s is %s, %s is %s: %s needs %s", one->name, shape_text(&one->layout).text,
	        other->name, shape_text(&other->layout).text, call->kernel->name, wanted);
}

int64_t kernel_index(const struct lane *indices, int64_t i, int64_t end)
{
	double index;
	lane_read(indices, i, 1, &index);
	return index >= 0 && index < (double)end ? (int64_t)index : -1;
}

/* Refuses empty rows (such as x.T's if x has no rows) for a kernel without a result for them:
 * there is a sum of no elements, but no maximum. */
static enum status wants_columns(const struct kernel_call *call)
{
	if (!call->kernel->wants_columns || kernel_row_length(&call->in[0]) > 0)
		return ST_OK;
	return fail(ST_SHAPE, "%s is %s: %s needs rows with elements", call->in[0].name,
	        shape_text(&call->in[0].layout).text, call->kernel->name);
}

/* Checks options and arguments first, because a shape rule may divide by an option and ignore
 * types. */
enum status kernel_shape(struct kernel_call *call)
{
	const struct kernel *kernel = call->kernel;
	const struct layout *like = &call->in[0].layout;
	enum status status = ST_OK;

	for (int i = 0; i < KERNEL_OPTIONS_MAX && status == ST_OK; i++)
		status = check_option(kernel, &kernel->option[i], call->option[i]);
	if (status == ST_OK)
		status = wants_columns(call);
	for (int i = 0; i < call->ins && kernel->arguments != ARGUMENTS_ANY && status == ST_OK; i++)
		status = kernel_wants_float(call, i);
	for (int i = 1; i < call->ins && kernel->arguments == ARGUMENTS_ALIKE && status == ST_OK; i++)
		if (!layout_same_shape(like, &call->in[i].layout))
			status = kernel_shape_failure(call, &call->in[0], &call->in[i], "the same shape");
	if (status != ST_OK)
		return status;
	if (kernel->shape)
		return kernel->shape(call);
	return call->ins && call->outs ? kernel_out(call, 0, (enum dtype)like->dtype, like->dims, like->dim)
	                               : ST_OK;
}

/* ---- costs ---- */

/* Memory traffic: each operand once, as with empty caches; twice if read and written back. */
void kernel_cost(const struct kernel_call *call, double *flops, double *bytes)
{
	const struct kernel *kernel = call->kernel;
	int64_t most = 0;

	*flops = *bytes = 0;
	if (kernel->option[0].kind == KO_TIME_NS)
		return;
	for (int i = 0; i < call->ins; i++) {
		bool twice = kernel->writes >> i & 1 && !kernel->write_only;
		most = most_of(most, layout_count(&call->in[i].layout));
		*bytes += (double)layout_bytes(&call->in[i].layout) * (twice ? 2 : 1);
	}
	for (int i = 0; i < call->outs; i++) {
		most = most_of(most, layout_count(&call->out[i].layout));
		*bytes += (double)layout_bytes(&call->out[i].layout) * (call->add ? 2 : 1);
	}
	*flops = kernel->operations * (double)most;
	if (kernel->cost)
		kernel->cost(call, flops, bytes);
}

/* ---- loops ---- */

LOOP_EACH(copy, in[0][i])

void kernel_put(const struct kernel_call *call, const struct lane *out, int64_t from, int64_t count,
        const double *values)
{
	if (call->add)
		lane_add(out, from, count, values);
	else
		lane_write(out, from, count, values);
}

/* Reads a chunk completely before it writes, so a kernel may write in place (kernel_compute stages
 * other overlaps). The buffers are aligned for AVX-512. */
void kernel_elements(const struct kernel_call *call, kernel_loop *loop)
{
	enum { INS = 4 };
	_Alignas(64) double buffer[INS][LANE_CHUNK], result[LANE_CHUNK];
	double *in[INS] = {buffer[0], buffer[1], buffer[2], buffer[3]};
	const struct kernel *kernel = call->kernel;
	const struct kernel_tensor *whole = call->outs ? &call->out[0] : &call->in[0];
	struct lane lane[INS], out = lane_of(whole);
	int64_t count = layout_count(&whole->layout);

	for (int i = 0; i < call->ins; i++)
		lane[i] = lane_broadcast(&call->in[i], &whole->layout);
	for (int64_t from = 0; from < count; from += LANE_CHUNK) {
		int64_t n = least_of(count - from, LANE_CHUNK);
		for (int i = 0; i < call->ins; i++)
			lane_read(&lane[i], from, n, in[i]);
		loop(from, n, in, result, call->option);
		for (int i = 0; i < call->ins; i++)
			if (kernel->writes >> i & 1)
				lane_write(&lane[i], from, n, in[i]);
		if (call->outs)
			kernel_put(call, &out, from, n, result);
	}
}

int64_t kernel_row_length(const struct kernel_tensor *tensor)
{
	return tensor->layout.dim[tensor->layout.dims - 1];
}

/* out[0] has as many columns as in[0], or one. Short rows are read and written several at once. */
static void run_rows(const struct kernel_call *call, kernel_loop *loop)
{
	int64_t length = kernel_row_length(&call->in[0]), out_length = kernel_row_length(&call->out[0]);
	int64_t rows = layout_rows(&call->in[0].layout), width = most_of(length, 1),
	        most = most_of(least_of(LANE_CHUNK / width, rows), 1);
	/* the results' rows first, then the arguments' */
	double *buffer = mem_alloc((size_t)((call->ins + 1) * most * width) * sizeof *buffer);
	double *in[KERNEL_ARGS_MAX], *row[KERNEL_ARGS_MAX];
	struct lane lane[KERNEL_ARGS_MAX], out = lane_of(&call->out[0]);

	for (int i = 0; i < call->ins; i++) {
		lane[i] = lane_of(&call->in[i]);
		in[i] = buffer + (i + 1) * most * width;
	}
	for (int64_t r = 0; r < rows; r += most) {
		int64_t n = least_of(rows - r, most);
		for (int i = 0; i < call->ins; i++)
			lane_read(&lane[i], r * length, n * length, in[i]);
		for (int64_t k = 0; k < n; k++) {
			for (int i = 0; i < call->ins; i++)
				row[i] = in[i] + k * length;
			loop((r + k) * length, length, row, buffer + k * out_length, call->option);
		}
		kernel_put(call, &out, r * out_length, n * out_length, buffer);
	}
	mem_free(buffer);
}

/* ---- outputs over inputs ----
 *
 * y = x[1:] written into x[:-1], or y = matmul y w: an output lies in memory that is still to be
 * read. Three cases:
 *      no common byte          the output is written in place
 *      the very same tensor    in place: element i is read before it is written, and never again
 *      any other overlap       computed into separate memory, then copied
 *
 * Overlap is judged by spans, first to last element: two columns in one matrix overlap. */

bool kernel_overlap(const struct kernel_tensor *a, const struct kernel_tensor *b)
{
	const char *x = a->data, *y = b->data;
	int64_t x_span = layout_span(&a->layout), y_span = layout_span(&b->layout);
	return x_span && y_span && x < y + y_span && y < x + x_span;
}

bool kernel_must_stage(const struct kernel_call *call, const struct kernel_tensor *out)
{
	for (int i = 0; i < call->ins; i++)
		if (kernel_overlap(&call->in[i], out) &&
		        (call->kernel->run || call->in[i].data != out->data ||
		                !layout_equal(&call->in[i].layout, &out->layout)))
			return true;
	return false;
}

/* ---- row and class indices ---- */

/* "[2]" or "[1,3]": the indices of element i, in C order */
static struct shape_text place_text(const struct layout *layout, int64_t i)
{
	struct layout place = *layout;
	for (int d = layout->dims - 1; d >= 0; d--) {
		place.dim[d] = i % layout->dim[d];
		i /= layout->dim[d];
	}
	return shape_text(&place);
}

enum status kernel_index_failure(const struct kernel_call *call, int64_t place, double value)
{
	struct kernel_indices indices = call->kernel->indices(call);
	const struct kernel_tensor *tensor = &call->in[indices.argument];
	char unused[48] = "", range[32] = "there is none";
	if (indices.end > 0)
		snprintf(range, sizeof range, "0 to %lld", (long long)indices.end - 1);
	if (indices.unused == floor(indices.unused))
		snprintf(unused, sizeof unused, ", or %.0f", indices.unused);
	return fail(ST_RANGE, "`%s` reads %s%s = %.0f, which is out of range for %s (%s%s)",
	        call->kernel->name, tensor->name, place_text(&tensor->layout, place).text, value,
	        indices.names, range, unused);
}

bool kernel_find_index(const struct kernel_call *call, int64_t *place, double *number)
{
	if (!call->kernel->indices)
		return false;
	struct kernel_indices indices = call->kernel->indices(call);
	if (indices.argument < 0)
		return false;
	struct lane lane = lane_of(&call->in[indices.argument]);
	int64_t count = layout_count(&call->in[indices.argument].layout);
	double value[LANE_CHUNK];
	for (int64_t from = 0; from < count; from += LANE_CHUNK) {
		int64_t n = least_of(count - from, LANE_CHUNK);
		lane_read(&lane, from, n, value);
		for (int64_t i = 0; i < n; i++)
			if ((value[i] < 0 || value[i] >= (double)indices.end) && value[i] != indices.unused) {
				*place = from + i;
				*number = value[i];
				return true;
			}
	}
	return false;
}

/* i32 uses the integer loop, if any, because doubles would round a 62-bit product. */
static void run(const struct kernel_call *call)
{
	const struct kernel *kernel = call->kernel;
	kernel_loop *loop = kernel->rows ? kernel->rows : kernel->elements ? kernel->elements : copy;
	bool whole = kernel->whole;
	for (int i = 0; i < call->ins; i++)
		whole = whole && call->in[i].layout.dtype == DT_I32;
	if (whole)
		loop = kernel->whole;
	if (kernel->run)
		kernel->run(call);
	else if (kernel->rows)
		run_rows(call, loop);
	else
		kernel_elements(call, loop);
}

bool kernel_writes_nothing(const struct kernel_call *call)
{
	bool writes = false;
	for (int i = 0; i < call->outs; i++)
		writes = writes || layout_count(&call->out[i].layout) > 0;
	for (int i = 0; i < call->ins; i++)
		writes = writes || (call->kernel->writes >> i & 1 && layout_count(&call->in[i].layout) > 0);
	return !writes;
}

/* Stages overlapping outputs in contiguous memory, which with += starts as a copy of the output.
 * Copies them back at the end, because one output may overlap another's input. */
void kernel_compute(const struct kernel_call *call)
{
	struct kernel_call staged = *call;
	void *bytes[KERNEL_ARGS_MAX] = {0};

	if (kernel_writes_nothing(call))
		return;
	for (int i = 0; i < call->outs; i++) {
		const struct layout *layout = &call->out[i].layout;
		if (!kernel_must_stage(call, &call->out[i]))
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

enum status kernel_one_number(struct kernel_call *call)
{
	return kernel_out(call, 0, DT_F32, 1, (int64_t[]){1});
}

void kernel_total(const struct kernel_call *call, double (*add)(double total, const double *x, int64_t count))
{
	double x[LANE_CHUNK], total = 0;
	struct lane in = lane_of(&call->in[0]), out = lane_of(&call->out[0]);
	int64_t count = layout_count(&call->in[0].layout);

	for (int64_t from = 0; from < count; from += LANE_CHUNK) {
		int64_t n = least_of(count - from, LANE_CHUNK);
		lane_read(&in, from, n, x);
		total = add(total, x, n);
	}
	kernel_put(call, &out, 0, 1, &total);
}

void kernel_add_rows(const struct kernel_call *call, int64_t indices)
{
	int64_t columns = call->in[0].layout.dim[1], count = call->in[0].layout.dim[0],
	        rows = call->ins > 1 ? call->out[0].layout.dim[0] : 1;
	struct lane x = lane_of(&call->in[0]), to = {0}, out = lane_of(&call->out[0]);
	double *sum = mem_alloc((size_t)((rows + 1) * columns) * sizeof *sum), *row = sum + rows * columns;

	if (call->ins > 1)
		to = lane_of(&call->in[1]);
	for (int64_t i = 0; i < count; i++) {
		lane_read(&x, i * columns, columns, row);
		for (int64_t j = 0; j < indices; j++) {
			int64_t r = call->ins > 1 ? kernel_index(&to, i * indices + j, rows) : 0;
			for (int64_t c = 0; c < columns && r >= 0; c++)
				sum[r * columns + c] += row[c];
		}
	}
	kernel_put(call, &out, 0, rows * columns, sum);
	mem_free(sum);
}

/* ---- the loops' machine code */

const double exponential_least = -709, exponential_most = 710;

static enum width allowed = WIDTH_AVX512;

void kernels_allow(enum width width)
{
	allowed = width;
}

enum width kernels_width(void)
{
#ifdef __x86_64__
	if (allowed == WIDTH_AVX512 && __builtin_cpu_supports("avx512f") &&
	        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		return WIDTH_AVX512;
	if (allowed >= WIDTH_AVX2 && __builtin_cpu_supports("avx2"))
		return WIDTH_AVX2;
#endif
	return WIDTH_ANY;
}

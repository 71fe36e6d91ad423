/* kernel.c -- every kernel's line: NAME = KERNEL IN ... [on STREAM], in place (sgd w dw), `+=`, sources,
 * spin.
 *
 * The operands of an OP_KERNEL are the kernel's arguments in order, then its results; a kernel that works
 * in place has no results, and the arguments it changes are marked as written. `parameter` holds its
 * options in the order of the kernel's row.
 *
 *     y += matmul x w        operands: x read, w read, y added to        y has to be there
 *     sgd w dw lr=0.1        operands: w read and written, dw read     parameter: lr
 *     spin 2ms               none; duration_ns = 2,000,000
 *
 * Resolved by rank: stream, arguments, results as names, options. Completed by plan: shapes by the
 * kernel's own rule, flops and bytes by its cost (from which the machine's model makes a time when it
 * runs). */
#include "shell/submit/kernel.h"
#include "kernels/kernel.h"
#include "shell/session/read.h"
#include "shell/submit/plan.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

/* What the kernel does with argument i, for the race check and for memory that nobody has written. */
static int access_of(const struct kernel *kernel, int i)
{
	if (kernel->outs)
		return ACCESS_READ;
	bool written = kernel->writes >> i & 1;
	if (written && kernel->write_only)
		return ACCESS_WRITE; /* fill: what was there does not matter */
	return written ? ACCESS_READ | ACCESS_WRITE : ACCESS_READ;
}

static bool dtype_option(const struct kernel_option *option)
{
	return option->kind == KO_DTYPE;
}

/* Which number without a key is option i (`spin 2ms`, `fill x 0`); -1: none is */
static int number_of(const struct call *call, const struct kernel *kernel, int i)
{
	return i < kernel->positional && i < call_count(call, KERNEL_NUMBERS) ? i : -1;
}

static enum status as_dtype(const char *title, const char *word, enum dtype *dtype)
{
	if (dtype_find(word, dtype))
		return ST_OK;
	return fail(ST_DTYPE, "%s: no type '%s' (types: f32 f16 bf16 i32)", title, word);
}

/* A type as a key (to=bf16) or as a bare word; kept as its number. */
static enum status dtype_value(struct call *call, const struct kernel *kernel, int i, int rank, double *value)
{
	const char *word = NULL;
	enum dtype dtype = DT_F32;
	enum status status = ST_OK;
	if (call_has(call, kernel->option[i].name))
		status = call_option_word(call, kernel->option[i].name, rank, &word);
	else if (call_count(call, KERNEL_DTYPE))
		status = call_word(call, KERNEL_DTYPE, 0, rank, &word);
	if (status == ST_OK && word)
		status = as_dtype(kernel->name, word, &dtype);
	*value = word ? (double)dtype : kernel->option[i].value;
	return status;
}

/* An option by its key, else by its place among the bare numbers, else the row's own value. Times are in
 * ns. */
static enum status number_value(
        struct call *call, const struct kernel *kernel, int i, int rank, double *value)
{
	const struct kernel_option *option = &kernel->option[i];
	struct number number = {0};
	int place = number_of(call, kernel, i);
	enum status status;
	if (call_has(call, option->name)) {
		status = call_option(call, option->name, rank, &number);
	} else if (place >= 0) {
		status = call_number(call, KERNEL_NUMBERS, place, rank, &number);
	} else {
		*value = option->value;
		return ST_OK;
	}
	if (status == ST_OK && option->kind == KO_TIME_NS && number.unit != UNIT_TIME && number.value != 0)
		return fail(ST_UNIT, "%s: %g of what? A time has a unit, as in %gms", kernel->name,
		        number.value, number.value);
	*value = number.value;
	return status;
}

/* The row gives NaN to an option that has to be said. */
static enum status option_value(
        struct call *call, const struct kernel *kernel, int i, int rank, double *value)
{
	const struct kernel_option *option = &kernel->option[i];
	enum status status = dtype_option(option) ? dtype_value(call, kernel, i, rank, value)
	                                          : number_value(call, kernel, i, rank, value);
	if (status == ST_OK && isnan(option->value) && !call_has(call, option->name) &&
	        number_of(call, kernel, i) < 0)
		return fail(ST_ARGUMENT, "%s wants %s (%s): %s", kernel->name, option->name,
		        option->about ? option->about : "", kernel->usage);
	return status;
}

static enum status options(struct call *call, const struct kernel *kernel, int rank, struct record *record)
{
	for (int i = 0; i < KERNEL_OPTIONS_MAX && kernel->option[i].name; i++) {
		enum status status = option_value(call, kernel, i, rank, &record->parameter[i]);
		if (status != ST_OK)
			return status;
		if (kernel->option[i].kind == KO_TIME_NS) {
			if (!(record->parameter[i] >= 0 && record->parameter[i] < 1e18))
				return fail(ST_RANGE, "%s: a time from 0 to 30 years, please", kernel->name);
			record->duration_ns = (int64_t)record->parameter[i];
		}
	}
	return ST_OK;
}

static enum status arguments(
        struct call *call, const struct kernel *kernel, int rank, struct submit_plan *plan)
{
	struct view view;
	int count = call_count(call, KERNEL_TENSORS);
	if (count > KERNEL_ARGS_MAX)
		return fail(ST_ARGUMENT, "%s takes at most %d tensors: %s", kernel->name, kernel->ins,
		        kernel->usage);
	for (int i = 0; i < count; i++) {
		enum status status = call_tensor(call, KERNEL_TENSORS, i, rank, &view);
		if (status != ST_OK)
			return status;
		plan_operand(plan, &view, access_of(kernel, i));
	}
	return ST_OK;
}

/* A source has no input to take a shape from, so the line gives shape and type; f32 unless another is
 * named. */
static enum status source_layout(struct call *call, int rank, struct layout *layout)
{
	int64_t dim[DIMS_MAX] = {1};
	int dims = 1;
	enum dtype dtype = DT_F32;
	const char *word = NULL, *name = call_command(call)->name;
	enum status status =
	        call_count(call, KERNEL_DTYPE) ? call_word(call, KERNEL_DTYPE, 0, rank, &word) : ST_OK;
	if (status == ST_OK && word)
		status = as_dtype(name, word, &dtype);
	if (status == ST_OK && !call_count(call, KERNEL_SHAPE))
		return fail(ST_ARGUMENT, "%s wants a shape: NAME = %s [64,64]", name, name);
	if (status == ST_OK)
		status = call_shape(call, KERNEL_SHAPE, 0, rank, &dims, dim);
	return status == ST_OK ? layout_make(layout, dtype, dims, dim) : status;
}

/* How many tensors and results the kernel takes, before their shapes are looked at: these are the mistakes
 * of typing. */
static enum status count_arguments(
        const struct call *call, const struct kernel *kernel, const struct submit_plan *plan)
{
	int ins = plan->operands, results = plan->results;
	if (kernel->bare && !ins && !results)
		return ST_OK;
	if (ins != kernel->ins)
		return fail(ST_ARGUMENT, "%s takes %d tensor%s, not %d: %s", kernel->name, kernel->ins,
		        kernel->ins == 1 ? "" : "s", ins, kernel->usage);
	if (results && kernel->outs == 0)
		return fail(ST_ARGUMENT, "%s works in place and gives no result: %s", kernel->name,
		        kernel->usage);
	if (results == 0 && kernel->outs)
		return fail(ST_ARGUMENT, "%s gives a result: NAME = %.*s", kernel->name,
		        (int)call_source(call).length, call_source(call).at);
	if (results != kernel->outs)
		return fail(ST_ARGUMENT, "%s gives %d result%s, not %d: %s", kernel->name, kernel->outs,
		        kernel->outs == 1 ? "" : "s", results, kernel->usage);
	if (call_adds(call) && kernel->outs != 1)
		return fail(ST_ARGUMENT, "+= wants a kernel with one result, and %s gives %d", kernel->name,
		        kernel->outs);
	return ST_OK;
}

static enum status kernel_resolve(
        struct shell *shell, struct call *call, int rank, struct submit_plan *plan, const void *self)
{
	const struct kernel *kernel = self;
	plan->record = call_record(call, rank, OP_KERNEL, kernel->name);
	(void)shell;
	enum status status = call_stream(call, rank, &plan->stream);
	if (status == ST_OK)
		status = arguments(call, kernel, rank, plan);
	for (int i = 0; i < call_results(call) && status == ST_OK; i++)
		status = plan_result_view(call, rank, plan, i);
	if (status == ST_OK)
		status = count_arguments(call, kernel, plan);
	if (status == ST_OK)
		status = options(call, kernel, rank, &plan->record);
	if (status == ST_OK && kernel_is_source(kernel))
		status = source_layout(call, rank, &plan->shape);
	return status;
}

/* The plan in the words of kernels/, which knows no books: names for its messages, layouts, and no data
 * yet. */
static void fill_call(const struct shell *shell, const struct submit_plan *plan, const struct kernel *kernel,
        struct kernel_call *work)
{
	work->kernel = kernel;
	work->ins = plan->operands;
	for (int i = 0; i < plan->operands; i++)
		work->in[i] = (struct kernel_tensor){names_text(shell->world->names, plan->operand[i].name),
		        plan->operand[i].layout, NULL};
	work->outs = plan->results;
	for (int i = 0; i < plan->results; i++)
		work->out[i].name = names_text(shell->world->names, plan->result[i].view.name);
	memcpy(work->option, plan->record.parameter, sizeof work->option);
}

/* += writes what it reads, so its result must be there already and fit; see plan_result_settle. */
static enum status settle_results(
        struct shell *shell, struct call *call, struct submit_plan *plan, struct kernel_call *work)
{
	int access = call_adds(call) ? ACCESS_ADD | ACCESS_WRITE : ACCESS_WRITE;
	for (int i = 0; i < plan->results; i++) {
		enum status status =
		        plan_result_settle(shell, plan, i, &work->out[i].layout, access, work->kernel->name);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

/* A kernel whose tensors all lie in host memory is a function that the stream calls on the host
 * (cudaLaunchHostFunc), as a CPU's optimizer: it takes the time of its bytes, and nothing of the GPU. */
static bool on_host(const struct submit_plan *plan)
{
	for (int i = 0; i < plan->operands; i++)
		if (plan->operand[i].space == SPACE_DEVICE)
			return false;
	return plan->operands > 0;
}

static enum status kernel_complete(
        struct shell *shell, struct call *call, int rank, struct submit_plan *plan, const void *self)
{
	const struct kernel *kernel = self;
	struct kernel_call work = {0};
	struct record *record = &plan->record;
	double flops = 0, bytes = 0;
	(void)rank;

	fill_call(shell, plan, kernel, &work);
	work.add = call_adds(call);
	work.out[0].layout = plan->shape;
	enum status status = kernel_shape(&work);
	if (status == ST_OK)
		status = settle_results(shell, call, plan, &work);
	if (status == ST_OK && !on_host(plan))
		status = plan_on_device(shell, plan, kernel->name);
	if (status != ST_OK)
		return status;
	kernel_cost(&work, &flops, &bytes);
	record->kernel = kernel;
	record->flops = flops;
	record->bytes = (int64_t)bytes;
	if (on_host(plan) && record->duration_ns < 0)
		record->duration_ns = (int64_t)ceil(bytes / shell->machine.host_rate * 1e9);
	record->dtype = work.ins ? work.in[0].layout.dtype : work.out[0].layout.dtype;
	record->object = plan->results ? plan->result[0].view.name
	        : plan->operands       ? plan->operand[0].name
	                               : 0;
	return ST_OK;
}

enum status kernel_run(struct shell *shell, struct call *call)
{
	struct plans plans = {0};
	enum status status =
	        plans_run(shell, call, kernel_resolve, kernel_complete, call_kernel(call), &plans);
	if (status == ST_OK)
		plans_notice(shell, call, &plans);
	plans_release(&plans);
	return status;
}

/* kernel.c -- runs a line of any kernel: NAME = KERNEL IN ... [on STREAM], in place (sgd w dw),
 * `+=`, sources, spin.
 *
 * The operands of an OP_KERNEL are the kernel's arguments in order, then its results; a kernel
 * that works in place has no results. `parameter` has its options in the row's order.
 *
 *     y += matmul x w        operands: x read, w read, y added to        y must exist
 *     sgd w dw lr=0.1        operands: w read and written, dw read     parameter: lr
 *     spin 2ms               none; duration_ns = 2,000,000 */
#include "kernels/kernel.h"
#include "shell/submit/plan.h"
#include "shell/language/run/command.h"

#include <math.h>
#include <string.h>

static int kernel_access(const struct kernel *kernel, int i)
{
	if (kernel->outs)
		return ACCESS_READ;
	bool written = kernel->writes >> i & 1;
	if (written && kernel->write_only)
		return ACCESS_WRITE; /* fill: ignores the old contents */
	return written ? ACCESS_READ | ACCESS_WRITE : ACCESS_READ;
}

enum status duration_check(const char *title, struct number number)
{
	if (number.unit != UNIT_TIME && number.value != 0 && isfinite(number.value))
		return fail(ST_UNIT, "%s: %g has no unit; a time needs one, as in %gms", title, number.value,
		        number.value);
	if (number.value >= 0 && number.value < 1e18)
		return ST_OK;
	struct text given = {0};
	number_text(number, &given);
	enum status status =
	        fail(ST_RANGE, "%s: %s: a time from 0 to 30 years was expected", title, text_string(&given));
	text_release(&given);
	return status;
}

/* Sets *value to that of the option's key, else of a bare word at its place (`spin 2ms`), else the
 * default. Times are in ns; a type is an enum dtype. */
static enum status kernel_option_value(
        struct call *call, const struct kernel *kernel, int i, int rank, double *value)
{
	const struct kernel_option *option = &kernel->option[i];
	struct number number = {option->value, UNIT_TIME};
	bool keyed = call_has(call, option->name),
	     bare = !keyed && i < kernel->positional && i < call_count(call, KERNEL_NUMBERS);
	const char *word = "";
	enum dtype dtype = DT_F32;
	if (!keyed && !bare && isnan(option->value))
		return fail(ST_ARGUMENT, "%s needs %s (%s): %s", kernel->name, option->name,
		        option->about ? option->about : "", kernel->usage);
	enum status status = option->kind == KO_DTYPE ? call_option_word(call, option->name, rank, &word)
	        : bare                                ? call_number(call, KERNEL_NUMBERS, i, rank, &number)
	                                              : call_option(call, option->name, rank, &number);
	if (status == ST_OK && option->kind == KO_TIME_NS)
		status = duration_check(kernel->name, number);
	*value = *word && dtype_find(word, &dtype) ? (double)dtype : number.value;
	return status;
}

static enum status kernel_options(
        struct call *call, const struct kernel *kernel, int rank, struct record *record)
{
	for (int i = 0; i < KERNEL_OPTIONS_MAX && kernel->option[i].name; i++) {
		double *value = &record->parameter[i];
		enum status status = kernel_option_value(call, kernel, i, rank, value);
		if (status != ST_OK)
			return status;
		if (kernel->option[i].kind == KO_TIME_NS)
			record->duration_ns = (int64_t)*value;
	}
	return ST_OK;
}

static enum status kernel_source_layout(struct call *call, int rank, struct layout *layout)
{
	int64_t dim[DIMS_MAX] = {1};
	int dims = 1;
	enum dtype dtype = DT_F32;
	const char *word = "f32", *name = call->statement->row->name;
	enum status status =
	        call_count(call, KERNEL_DTYPE) ? call_word(call, KERNEL_DTYPE, 0, rank, &word) : ST_OK;
	if (status == ST_OK && !call_count(call, KERNEL_SHAPE))
		return fail(ST_ARGUMENT, "%s needs a shape: NAME = %s [64,64]", name, name);
	if (status == ST_OK)
		status = call_shape(call, KERNEL_SHAPE, 0, rank, &dims, dim);
	if (status != ST_OK)
		return status;
	dtype_find(word, &dtype);
	return layout_make(layout, dtype, dims, dim);
}

static enum status kernel_wrong_count(
        const struct kernel *kernel, const char *verb, int count, int more, const char *what, int given)
{
	struct text or_more = {0};
	if (more)
		text_add(&or_more, " or %d", count + more);
	enum status status = fail(ST_ARGUMENT, "%s %s %d%s %s%s, not %d: %s", kernel->name, verb, count,
	        text_string(&or_more), what, count + more == 1 ? "" : "s", given, kernel->usage);
	text_release(&or_more);
	return status;
}

static enum status kernel_count(const struct call *call, const struct kernel *kernel)
{
	int ins = call_count(call, KERNEL_TENSORS), results = call->statement->results;
	if (kernel->bare && !ins && !results)
		return ST_OK;
	if (ins != kernel->ins && ins != kernel->ins + kernel->more_ins)
		return kernel_wrong_count(kernel, "takes", kernel->ins, kernel->more_ins, "tensor", ins);
	if (results && kernel->outs == 0)
		return fail(ST_ARGUMENT, "%s works in place and gives no result: %s", kernel->name,
		        kernel->usage);
	if (results == 0 && kernel->outs)
		return fail(ST_ARGUMENT, "%s gives a result: NAME = %.*s", kernel->name,
		        (int)call->statement->source.length, call->statement->source.at);
	if (results != kernel->outs && results != kernel->outs + kernel->more_outs)
		return kernel_wrong_count(
		        kernel, "gives", kernel->outs, kernel->more_outs, "result", results);
	if (call->statement->adds && results != 1)
		return fail(ST_ARGUMENT, "+= needs a kernel with one result, and %s gives %d", kernel->name,
		        results);
	return ST_OK;
}

static enum status kernel_resolve(struct call *call, int rank, struct submit_plan *plan)
{
	const struct kernel *kernel = call->statement->row->kernel;
	enum status status = kernel_count(call, kernel);
	struct view view;
	for (int i = 0; i < call_count(call, KERNEL_TENSORS) && status == ST_OK; i++) {
		status = call_tensor(call, KERNEL_TENSORS, i, rank, &view);
		if (status == ST_OK)
			plan_operand(plan, &view, kernel_access(kernel, i));
	}
	for (int i = 0; i < call->statement->results && status == ST_OK; i++)
		status = plan_result_view(call, rank, plan);
	if (status == ST_OK)
		status = kernel_options(call, kernel, rank, &plan->record);
	if (status == ST_OK && kernel_is_source(kernel))
		status = kernel_source_layout(call, rank, &plan->shape);
	return status;
}

/* Such a kernel is a function that the stream calls on the host, such as an optimizer on the
 * CPU. */
static bool plan_is_on_host(const struct submit_plan *plan)
{
	for (int i = 0; i < plan->operands; i++)
		if (!space_is_host(plan->operand[i].space))
			return false;
	return plan->operands > 0;
}

static enum status kernel_complete(struct call *call, int rank, struct submit_plan *plan)
{
	struct shell *shell = call->shell;
	const struct names *names = shell->world->names;
	struct record *record = &plan->record;
	struct kernel_call work = {.kernel = call->statement->row->kernel,
	        .ins = plan->operands,
	        .outs = plan->results,
	        .add = call->statement->adds,
	        .out[0].layout = plan->shape};
	double flops = 0, bytes = 0;
	for (int i = 0; i < work.ins; i++)
		work.in[i] = (struct kernel_tensor){
		        names_text(names, plan->operand[i].name), plan->operand[i].layout, NULL};
	for (int i = 0; i < work.outs; i++)
		work.out[i].name = names_text(names, plan->result[i].view.name);
	memcpy(work.option, record->parameter, sizeof work.option);
	enum status status = kernel_shape(&work);
	for (int i = 0; i < work.outs && status == ST_OK; i++)
		status = plan_result_settle(shell, plan, i, &work.out[i].layout,
		        work.add ? ACCESS_ADD | ACCESS_WRITE : ACCESS_WRITE);
	if (status == ST_OK && !plan_is_on_host(plan) &&
	        !world_stream(shell->world, rank, plan->stream)->host)
		status = plan_on_device(shell, plan);
	if (status != ST_OK)
		return status;
	kernel_cost(&work, &flops, &bytes);
	record->kernel = work.kernel;
	record->flops = flops;
	record->bytes = (int64_t)bytes;
	if (plan_is_on_host(plan) && record->duration_ns < 0)
		record->duration_ns = (int64_t)ceil(bytes / shell->lasting.machine.host_rate * 1e9);
	record->dtype = work.ins ? work.in[0].layout.dtype : work.out[0].layout.dtype;
	record->object = plan->results ? plan->result[0].view.name
	        : plan->operands       ? plan->operand[0].name
	                               : 0;
	return ST_OK;
}

enum status kernel_run(struct call *call)
{
	return plans_run(call, OP_KERNEL, kernel_resolve, kernel_complete);
}

/* unroll.c -- a collective as the sends, receives and additions it is made of: the same answer, each step
 * an operation of its own
 *
 * The steps are collective_steps'. What arrives to be reduced goes into a scratch tensor first, then a
 * kernel adds it. An average begins with a product: every input times 1/n, as NCCL's; where the result is
 * larger than the input (allgather), a copy of one's own part into its place comes first; where it is
 * smaller (reducescatter), the steps, which use up what they work on, have a copy of the input. */
#include "shell/submit/unroll.h"
#include "shell/submit/collective.h"
#include "base/memory.h"
#include "kernels/kernel.h"
#include "shell/language/run/command.h"
#include "shell/language/run/run.h"
#include "shell/session/queue.h"
#include "world/world.h"

#include <string.h>

/* What one rank works on. */
struct unrolling {
	struct shell *shell;
	struct call *call;
	const struct collective *collective;
	const struct submit_plan *plan;
	const struct group_instance *instance;
	int rank, place;
	struct operand whole; /* the flattened tensor that the steps cut up */
	struct operand scratch;
	int scratch_tensor, copy_tensor; /* to be freed; -1: none */
	struct collective_step *steps;
	int count;
};

/* `count` elements of a flat tensor from `offset` on; named as a slice ("g[0:16]") where it is a part of
 * the whole, so that the timeline shows which chunk each step moves. */
static struct operand piece(
        struct unrolling *work, const struct operand *of, int64_t offset, int64_t count, int access)
{
	struct operand operand = *of;
	struct text name = {0};
	operand.access = (uint8_t)access;
	operand.address += offset * dtype_bytes((enum dtype)of->layout.dtype);
	layout_make(&operand.layout, (enum dtype)of->layout.dtype, 1, &count);
	if (of == &work->whole && count != layout_count(&of->layout)) {
		text_add(&name, "%s[%lld:%lld]", names_text(work->shell->world->names, of->name),
		        (long long)offset, (long long)(offset + count));
		operand.name = names_make(work->shell->world->names, text_string(&name), name.count);
		text_release(&name);
	}
	return operand;
}

static enum status queue(struct unrolling *work, struct record *record, struct operand *operands, int count)
{
	record->operand = operands;
	record->operands = (uint8_t)count;
	record->object = work->whole.name;
	record->dtype = work->whole.layout.dtype;
	return shell_queue(work->shell, work->rank, work->plan->stream, record, 0, 0, 0, NULL);
}

static enum status queue_copy(struct unrolling *work, const struct operand *from, const struct operand *to)
{
	struct operand operands[2] = {*from, *to};
	struct record record = call_record(work->call, work->rank, OP_COPY, "copy");
	operands[0].access = ACCESS_READ;
	operands[1].access = ACCESS_WRITE;
	record.bytes = layout_bytes(&from->layout);
	return queue(work, &record, operands, 2);
}

/* into = KERNEL into [with]; option 0 where it has one */
static enum status queue_kernel(struct unrolling *work, const char *name, const struct operand *into,
        const struct operand *with, double option)
{
	const struct kernel *kernel = kernel_find(name);
	struct operand operands[3] = {*into};
	struct kernel_call call = {.kernel = kernel, .ins = 1, .outs = 1};
	double flops = 0, bytes = 0;
	if (!kernel)
		return fail(ST_BUG, "no kernel '%s'", name);
	struct record record = call_record(work->call, work->rank, OP_KERNEL, name);
	operands[0].access = ACCESS_READ;
	if (with)
		operands[call.ins++] = *with;
	operands[call.ins] = *into;
	operands[call.ins].access = ACCESS_WRITE;
	for (int i = 0; i < call.ins; i++)
		call.in[i] = (struct kernel_tensor){
		        names_text(work->shell->world->names, operands[i].name), operands[i].layout, NULL};
	for (int i = 0; i < KERNEL_OPTIONS_MAX && kernel->option[i].name; i++)
		record.parameter[i] = call.option[i] = i ? kernel->option[i].value : option;
	enum status status = kernel_shape(&call);
	if (status != ST_OK)
		return status;
	kernel_cost(&call, &flops, &bytes);
	record.kernel = kernel;
	record.flops = flops;
	record.bytes = (int64_t)bytes;
	return queue(work, &record, operands, call.ins + 1);
}

/* One step: what is sent and what is received go at the same time, as a ring needs it. A piece to be
 * reduced comes into the scratch tensor, and a kernel behind it on the same stream adds it to the rank's
 * own. */
static enum status queue_step(struct unrolling *work, const struct collective_step *step)
{
	struct operand operands[2];
	struct part parts[2];
	bool sends = step->to >= 0 && step->send_count > 0,
	     receives = step->from >= 0 && step->recv_count > 0;
	struct operand scratch = {0};
	int count = 0;
	struct record record = call_record(work->call, work->rank, OP_P2P,
	        sends && receives ? "sendrecv"
	                : sends   ? "send"
	                          : "recv");
	record.group = work->plan->record.group;
	if (step->reduce && receives)
		scratch = piece(work, &work->scratch, 0, step->recv_count, ACCESS_WRITE);
	if (sends) {
		operands[count] = piece(work, &work->whole, step->send_offset, step->send_count, ACCESS_READ);
		parts[count] = (struct part){P2P_SEND, work->instance->ranks[step->to], count};
		count++;
	}
	if (receives) {
		operands[count] = step->reduce
		        ? scratch
		        : piece(work, &work->whole, step->recv_offset, step->recv_count, ACCESS_WRITE);
		parts[count] = (struct part){P2P_RECV, work->instance->ranks[step->from], count};
		count++;
	}
	for (int i = 0; i < count; i++)
		if (layout_bytes(&operands[i].layout) > record.bytes)
			record.bytes = layout_bytes(&operands[i].layout);
	record.part = parts;
	record.parts = (uint8_t)count;
	enum status status = count ? queue(work, &record, operands, count) : ST_OK;
	if (status != ST_OK || !receives || !step->reduce)
		return status;
	struct operand into = piece(work, &work->whole, step->recv_offset, step->recv_count, ACCESS_WRITE);
	scratch.access = ACCESS_READ;
	static const char *const kernels[] = {
	        [REDUCE_SUM] = "add", [REDUCE_AVG] = "add", [REDUCE_MAX] = "fmax", [REDUCE_MIN] = "fmin"};
	return queue_kernel(work, kernels[work->plan->record.reduction], &into, &scratch, 0);
}

/* ---- before and after the steps ---- */

/* A tensor without a name for the length of the line; freed in the stream's order, so the host does not
 * wait for it. */
static enum status make_temporary(struct unrolling *work, int64_t count, struct operand *operand, int *tensor)
{
	struct layout layout;
	struct shell *shell = work->shell;
	enum status status = layout_make(&layout, (enum dtype)work->whole.layout.dtype, 1, &count);
	if (status == ST_OK)
		status = shell_tensor_make(shell, work->rank, 0, &layout, SPACE_DEVICE, work->plan->stream,
		        TENSOR_RESULT, interpreter_kind(shell, work->rank), tensor);
	if (status != ST_OK)
		return status;
	name_id name = names_make(shell->world->names, "scratch", 7);
	*operand = (struct operand){.address = shell->world->tensors[*tensor].address,
	        .space = SPACE_DEVICE,
	        .tensor = *tensor,
	        .name = name,
	        .layout = layout};
	return ST_OK;
}

/* Elements of the result are more than those of the input (1), fewer (-1), as many (0). */
static int growth(const struct submit_plan *plan)
{
	if (!plan->results)
		return 0;
	int64_t in = layout_count(&plan->operand[0].layout),
	        out = layout_count(&plan->operand[plan->result[0].operand].layout);
	return (out > in) - (out < in);
}

/* 1/n as the type holds it: what ncclAvg multiplies by */
static double one_of(int n, enum dtype dtype)
{
	char element[4];
	dtype_set(dtype, element, 0, 1.0f / (float)n);
	return (double)dtype_get(dtype, element, 0);
}

static enum status premultiply(struct unrolling *work)
{
	int n = work->instance->n;
	if (work->plan->record.reduction != REDUCE_AVG || !work->collective->reduces || n == 1)
		return ST_OK;
	return queue_kernel(
	        work, "scale", &work->whole, NULL, one_of(n, (enum dtype)work->whole.layout.dtype));
}

/* The tensor that the steps work on: the result where there is one, a copy of the input where the result is
 * smaller, else the input itself. */
static enum status begin(struct unrolling *work)
{
	const struct submit_plan *plan = work->plan;
	const struct operand *in = &plan->operand[0],
	                     *out = plan->results ? &plan->operand[plan->result[0].operand] : in;
	struct operand own;
	work->whole = growth(plan) < 0 ? *in : *out;
	int64_t count = layout_count(&work->whole.layout), part = layout_count(&in->layout);
	enum status status = layout_make(&work->whole.layout, (enum dtype)in->layout.dtype, 1, &count);
	if (status != ST_OK)
		return status;
	if (growth(plan) > 0) {
		own = piece(work, &work->whole, work->place * part, part, ACCESS_WRITE);
		return queue_copy(work, in, &own);
	}
	if (growth(plan) < 0)
		status = make_temporary(work, count, &work->whole, &work->copy_tensor);
	if (status == ST_OK && (growth(plan) < 0 || out != in))
		status = queue_copy(work, in, &work->whole);
	return status == ST_OK ? premultiply(work) : status;
}

/* A reducescatter leaves the rank's part in the middle of the copy: it goes to the result. */
static enum status end(struct unrolling *work)
{
	const struct submit_plan *plan = work->plan;
	if (growth(plan) >= 0)
		return ST_OK;
	int64_t part = layout_count(&work->whole.layout) / work->instance->n;
	struct operand mine = piece(work, &work->whole, work->place * part, part, ACCESS_WRITE);
	return queue_copy(work, &mine, &plan->operand[plan->result[0].operand]);
}

static enum status free_temporary(struct unrolling *work, int tensor)
{
	return tensor >= 0 ? shell_tensor_free(work->shell, tensor, 0) : ST_OK;
}

/* The steps of this rank, made by collectives/; an algorithm that has none for this group is refused here,
 * before anything is queued. */
static enum status steps_of(struct unrolling *work)
{
	const struct submit_plan *plan = work->plan;
	int room = STEPS_MAX(work->instance->n);
	int64_t elements =
	        layout_count(&plan->operand[growth(plan) > 0 ? plan->result[0].operand : 0].layout);
	if (!work->steps)
		work->steps = mem_alloc((size_t)room * sizeof *work->steps);
	return collective_steps(work->collective, (enum algorithm)plan->record.algorithm, work->instance->n,
	        work->place, plan->record.root, elements, work->steps, room, &work->count);
}

/* Temporaries are freed also when a step failed, and the first failure is told. */
static enum status run_rank(struct unrolling *work)
{
	enum status status = steps_of(work);
	if (status == ST_OK)
		status = begin(work);
	int64_t room = 0; /* of the largest piece that is reduced */
	for (int i = 0; i < work->count; i++)
		if (work->steps[i].reduce && work->steps[i].recv_count > room)
			room = work->steps[i].recv_count;
	if (status == ST_OK && room)
		status = make_temporary(work, room, &work->scratch, &work->scratch_tensor);
	for (int i = 0; i < work->count && status == ST_OK; i++)
		status = queue_step(work, &work->steps[i]);
	if (status == ST_OK)
		status = end(work);
	enum status freed = free_temporary(work, work->scratch_tensor),
	            freed_copy = free_temporary(work, work->copy_tensor);
	return status != ST_OK ? status : freed != ST_OK ? freed : freed_copy;
}

/* ---- the line ---- */

static struct unrolling work_of(struct shell *shell, struct call *call, const struct collective *collective,
        const struct submit_plan *plan, int rank)
{
	const struct group *group = &shell->world->groups[plan->record.group];
	return (struct unrolling){.shell = shell,
	        .call = call,
	        .collective = collective,
	        .plan = plan,
	        .rank = rank,
	        .instance = &group->instance[group->instance_of[rank]],
	        .place = group->place_of[rank],
	        .scratch_tensor = -1,
	        .copy_tensor = -1};
}

/* All ranks have steps, or the line is refused. */
static enum status check(struct shell *shell, struct call *call, const struct collective *collective,
        const struct plans *plans)
{
	for (int k = 0; k < plans->ranks; k++) {
		struct unrolling work = work_of(
		        shell, call, collective, &plans->plan[plans->rank[k].plan], plans->rank[k].rank);
		enum status status = steps_of(&work);
		mem_free(work.steps);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

static enum status queue_all(
        struct shell *shell, struct call *call, const struct collective *collective, struct plans *plans)
{
	for (int k = 0; k < plans->ranks; k++) {
		struct submit_plan *plan = &plans->plan[plans->rank[k].plan];
		plan_take(shell, plan, &plans->rank[k]);
		struct unrolling work = work_of(shell, call, collective, plan, plans->rank[k].rank);
		enum status status = run_rank(&work);
		mem_free(work.steps);
		if (status == ST_OK)
			status = plan_drop_old(shell, plan, &plans->rank[k]);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

enum status unroll_run(struct shell *shell, struct call *call, const struct collective *collective)
{
	struct plans plans = {0};
	enum status status =
	        plans_resolve(shell, call, collective_resolve, collective_complete, collective, &plans);
	if (status == ST_OK && shell->together)
		status = fail(ST_ARGUMENT,
		        "%s unroll does not go into `together`: its steps follow each other",
		        collective->name);
	if (status == ST_OK)
		status = check(shell, call, collective, &plans);
	if (status == ST_OK)
		status = plans_make(shell, &plans);
	if (status == ST_OK)
		status = queue_all(shell, call, collective, &plans);
	plans_release(&plans);
	return status;
}

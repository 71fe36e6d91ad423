/* unroll.c -- runs a collective as separate sends, receives and additions, with the same result
 *
 *     allreduce g unroll       3 elements a b c on 3 ranks, as rank 0 queues it (two ring rounds)
 *
 *         sendrecv g[0:1] -> scratch     to 1, from 2: c arrives, of rank 2
 *         g[2:3] = add g[2:3] scratch    c of ranks 2 and 0
 *         sendrecv g[2:3] -> scratch     ... goes on to 1; b of ranks 1 and 2 arrives
 *         g[1:2] = add g[1:2] scratch    b of all
 *         sendrecv g[1:2] -> g[0:1]      the sums go round: b to 1, a of all from 2
 *         sendrecv g[0:1] -> g[2:3]      ... and a to 1, c of all from 2
 *
 * An average first multiplies every input by 1/n, as NCCL does. If the result is larger than the
 * input (allgather), the rank's part is first copied to its place. If it is smaller
 * (reducescatter), the steps use a copy of the input, because they overwrite their tensor. If
 * parts are not equal, both use a temporary tensor of n whole parts, padded with zeroes, as NCCL
 * does. */
#include "shell/language/run/command.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "collectives/collective.h"
#include "kernels/kernel.h"
#include "shell/session/queue.h"
#include "shell/submit/plan.h"

struct unrolling {
	struct shell *shell;
	struct call *call;
	const struct submit_plan *plan;
	const struct group_instance *group;
	int rank, place;
	const struct operand *in, *out; /* of the line; equal if it has no result */
	int growth; /* the result is larger than the input (1), smaller (-1), or equal (0) */
	/* number of elements of a whole part, and of `whole`, padding included */
	int64_t chunk, elements;
	bool uneven;            /* the parts are not equal */
	struct operand whole;   /* the flattened tensor whose pieces the steps send and receive */
	struct operand scratch; /* receives pieces to be reduced */
	struct collective_step *steps;
	int count;
};

/* Fails if the algorithm has no steps. The caller frees work->steps. */
static enum status unroll_begin(
        struct call *call, const struct submit_plan *plan, int rank, struct unrolling *work)
{
	const struct operand *in = &plan->operand[0],
	                     *out = plan->results ? &plan->operand[plan->result[0].operand] : in;
	const struct collective *collective = call->statement->row->collective;
	const struct group_instance *group = plan_part(call->shell, plan, rank);
	int growth = group->n == 1                    ? 0
	        : collective->result == RESULT_GROWN  ? 1
	        : collective->result == RESULT_SHARED ? -1
	                                              : 0;
	int64_t elements = plan->record.bytes / dtype_bytes((enum dtype)in->layout.dtype);
	*work = (struct unrolling){.shell = call->shell,
	        .call = call,
	        .plan = plan,
	        .group = group,
	        .rank = rank,
	        .place = call->shell->world->groups[plan->record.group].place_of[rank],
	        .in = in,
	        .out = out,
	        .growth = growth,
	        .chunk = elements / group->n,
	        .elements = elements,
	        .uneven = growth && elements != layout_count(growth > 0 ? &out->layout : &in->layout),
	        .whole.tensor = -1,
	        .scratch.tensor = -1};
	work->steps = mem_alloc((size_t)STEPS_MAX(group->n) * sizeof *work->steps);
	return collective_steps(collective, plan->record.algorithm, group->n, work->place, plan->record.root,
	        elements, work->steps, &work->count);
}

/* A piece of the whole has the name of a slice ("g[0:16]"), for the timeline. */
static struct operand unroll_piece(
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

/* All steps are on the line's stream, so each waits for the one before it. */
static enum status unroll_queue(
        struct unrolling *work, struct record *record, struct operand *operands, int count)
{
	record->operand = operands;
	record->operands = (uint8_t)count;
	record->object = work->whole.name;
	record->dtype = work->whole.layout.dtype;
	return shell_queue(work->shell, work->rank, work->plan->stream, record, 0, 0, 0, NULL);
}

static enum status unroll_copy(struct unrolling *work, const struct operand *from, const struct operand *to)
{
	struct operand operands[2] = {*from, *to};
	struct record record = call_record(work->call, work->rank, OP_COPY, "copy");
	operands[0].access = ACCESS_READ;
	operands[1].access = ACCESS_WRITE;
	record.bytes = layout_bytes(&from->layout);
	return unroll_queue(work, &record, operands, 2);
}

/* Queues into = KERNEL into [with], or `KERNEL into` if it only writes. option: the first, or 0 */
static enum status unroll_kernel(struct unrolling *work, const char *name, const struct operand *into,
        const struct operand *with, double option)
{
	const struct kernel *kernel = kernel_find(name);
	struct operand operands[3] = {*into, with ? *with : *into, *into};
	int ins = with ? 2 : 1, outs = kernel->write_only ? 0 : 1;
	struct kernel_call call = {.kernel = kernel,
	        .ins = ins,
	        .outs = outs,
	        .in = {{NULL, into->layout, NULL}, {NULL, into->layout, NULL}},
	        .out[0].layout = into->layout,
	        .option[0] = option};
	double flops = 0, bytes = 0;
	kernel_cost(&call, &flops, &bytes);
	struct record record = call_record(work->call, work->rank, OP_KERNEL, name);
	record.kernel = kernel;
	record.parameter[0] = option;
	record.flops = flops;
	record.bytes = (int64_t)bytes;
	operands[0].access = operands[1].access = ACCESS_READ;
	operands[outs ? ins : 0].access = ACCESS_WRITE;
	return unroll_queue(work, &record, operands, ins + outs);
}

/* A piece to be reduced is received in the scratch tensor, and then added by a kernel. */
static enum status unroll_step(struct unrolling *work, const struct collective_step *step)
{
	static const char *const kernels[] = {
	        [REDUCE_SUM] = "add", [REDUCE_AVG] = "add", [REDUCE_MAX] = "fmax", [REDUCE_MIN] = "fmin"};
	bool sends = step->to >= 0, receives = step->from >= 0;
	struct operand operands[2], into, arrived;
	struct part parts[2];
	int count = 0;
	struct record record = call_record(work->call, work->rank, OP_P2P,
	        !receives       ? "send"
	                : sends ? "sendrecv"
	                        : "recv");
	if (sends) {
		operands[0] =
		        unroll_piece(work, &work->whole, step->send_offset, step->send_count, ACCESS_READ);
		parts[count++] = (struct part){.direction = P2P_SEND, .peer = work->group->ranks[step->to]};
	}
	if (receives) {
		into = unroll_piece(work, &work->whole, step->recv_offset, step->recv_count, ACCESS_WRITE);
		arrived = step->reduce ? unroll_piece(work, &work->scratch, 0, step->recv_count, ACCESS_WRITE)
		                       : into;
		operands[count] = arrived;
		parts[count] = (struct part){
		        .direction = P2P_RECV, .peer = work->group->ranks[step->from], .operand = count};
		count++;
	}
	record.group = work->plan->record.group;
	record.bytes = most_of(step->send_count, step->recv_count) *
	        dtype_bytes((enum dtype)work->whole.layout.dtype);
	record.part = parts;
	record.parts = (uint8_t)count;
	enum status status = unroll_queue(work, &record, operands, count);
	return status == ST_OK && receives && step->reduce
	        ? unroll_kernel(work, kernels[work->plan->record.reduction], &into, &arrived, 0)
	        : status;
}

static enum status unroll_temporary(struct unrolling *work, int64_t count, struct operand *operand)
{
	struct shell *shell = work->shell;
	*operand = (struct operand){
	        .space = SPACE_DEVICE, .tensor = -1, .name = names_make(shell->world->names, "scratch", 7)};
	enum status status = layout_make(&operand->layout, (enum dtype)work->in->layout.dtype, 1, &count);
	if (status == ST_OK)
		status = shell_tensor_make(shell, work->rank, 0, &operand->layout, SPACE_DEVICE,
		        work->plan->stream, TENSOR_RESULT, interpreter_kind(shell, work->rank),
		        &operand->tensor);
	if (status == ST_OK)
		operand->address = shell->world->tensors[operand->tensor].address;
	return status;
}

/* Sets `whole`: a copy of the input if the result is smaller or parts are not equal, else the
 * result or, in place, the input. Copies, pads and scales the rank's data. */
static enum status unroll_prepare(struct unrolling *work)
{
	int64_t count = layout_count(&work->in->layout),
	        at = work->growth > 0 ? work->place * work->chunk : 0,
	        room = work->growth > 0 ? work->chunk : work->elements;
	int n = work->group->n;
	enum status status = ST_OK;
	if (work->growth < 0 || work->uneven) {
		status = unroll_temporary(work, work->elements, &work->whole);
	} else {
		work->whole = *work->out;
		status = layout_make(
		        &work->whole.layout, (enum dtype)work->in->layout.dtype, 1, &work->elements);
	}
	if (status == ST_OK && work->out != work->in && count > 0) {
		struct operand own = unroll_piece(work, &work->whole, at, count, ACCESS_WRITE);
		status = unroll_copy(work, work->in, &own);
	}
	if (status == ST_OK && room > count && work->uneven) {
		struct operand rest =
		        unroll_piece(work, &work->whole, at + count, room - count, ACCESS_WRITE);
		status = unroll_kernel(work, "fill", &rest, NULL, 0);
	}
	if (status != ST_OK || work->plan->record.reduction != REDUCE_AVG || n == 1)
		return status;
	/* 1/n rounded to the type, as in ncclAvg */
	enum dtype dtype = (enum dtype)work->whole.layout.dtype;
	char element[4];
	dtype_set(dtype, element, 0, 1.0f / (float)n);
	return unroll_kernel(work, "scale", &work->whole, NULL, (double)dtype_get(dtype, element, 0));
}

static enum status unroll_steps(struct unrolling *work)
{
	enum status status = unroll_prepare(work);
	int64_t room = 0; /* the largest piece that is reduced */
	for (int i = 0; i < work->count; i++)
		if (work->steps[i].reduce)
			room = most_of(room, work->steps[i].recv_count);
	if (status == ST_OK && room)
		status = unroll_temporary(work, room, &work->scratch);
	for (int i = 0; i < work->count && status == ST_OK; i++)
		status = unroll_step(work, &work->steps[i]);
	bool temporary = work->growth < 0 || work->uneven;
	int64_t count = layout_count(&work->out->layout);
	if (status == ST_OK && temporary && count > 0) {
		/* a reducescatter leaves the rank's part inside the copy */
		int64_t at = work->growth < 0 ? work->place * work->chunk : 0;
		struct operand given = unroll_piece(work, &work->whole, at, count, ACCESS_WRITE);
		status = unroll_copy(work, &given, work->out);
	}
	const int made[] = {work->scratch.tensor, temporary ? work->whole.tensor : -1};
	for (int i = 0; i < 2; i++) {
		enum status freed = made[i] >= 0 ? shell_tensor_free(work->shell, made[i], 0) : ST_OK;
		status = status == ST_OK ? freed : status;
	}
	return status;
}

static enum status unroll_complete(struct call *call, int rank, struct submit_plan *plan)
{
	struct unrolling work = {0};
	enum status status = collective_complete(call, rank, plan);
	if (status == ST_OK && plan->record.dtype == DT_I32 && plan->record.reduction == REDUCE_AVG)
		return fail(ST_ARGUMENT,
		        "%s: op=avg of i32 does not unroll: a sum of whole numbers is divided only at the "
		        "end; use op=sum",
		        call->statement->row->name);
	if (status == ST_OK)
		status = unroll_begin(call, plan, rank, &work);
	mem_free(work.steps);
	return status;
}

static enum status unroll_rank(struct call *call, struct submit_plan *plan, const struct plan_rank *one)
{
	struct unrolling work;
	plan_use_results(call->shell, plan, one);
	enum status status = unroll_begin(call, plan, one->rank, &work);
	if (status == ST_OK)
		status = unroll_steps(&work);
	mem_free(work.steps);
	return status == ST_OK ? plan_free_old(call->shell, plan, one) : status;
}

enum status unroll_run(struct call *call)
{
	struct plans plans = {0};
	enum status status = plans_resolve(call, OP_COLLECTIVE, collective_resolve, unroll_complete, &plans);
	if (status == ST_OK && call->shell->together)
		status = fail(ST_ARGUMENT,
		        "%s unroll cannot be in `together`: its steps run one after the other",
		        call->statement->row->name);
	if (status == ST_OK)
		status = plans_make(call->shell, &plans);
	for (int k = 0; k < plans.ranks && status == ST_OK; k++)
		status = unroll_rank(call, &plans.plan[plans.rank[k].plan], &plans.rank[k]);
	plans_release(&plans);
	return status;
}

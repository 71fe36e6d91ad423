/* copy.c -- copy FROM -> TO: cudaMemcpyAsync between pageable, pinned and device memory, in a stream's
 * order.
 *
 * One OP_COPY a rank, with two operands; their spaces say which engine moves the bytes, and so what it may
 * overlap with: host to device, device to host, or within the device. Pinned memory is read by the copy
 * engine itself, so the host goes on at once. Pageable memory (space host) is staged by the driver through
 * pinned buffers of its own, and the host waits for that: an OP_SYNC with the reason "copy". This is what
 * non_blocking=True cannot help without pin_memory(). On a stream made with kind=host it is the thread's own copy,
 * and holds no other. A disk (space disk) is read into the host's memory and
 * written from it, as files are by O_DIRECT and libaio: to the device it takes a second copy.
 *
 * Shapes and types must agree on every rank before anything is queued; a copy converts nothing. */
#include "shell/language/run/command.h"
#include "shell/submit/host.h"
#include "shell/submit/plan.h"

enum { FROM, ARROW, TO };

/* Two operands, in this order: what is read, what is written. */
static enum status copy_resolve(struct call *call, int rank, struct submit_plan *plan)
{
	struct view from, to;
	struct number rate = {0};
	enum status status = call_tensor(call, FROM, 0, rank, &from);
	if (status == ST_OK)
		status = call_tensor(call, TO, 0, rank, &to);
	if (status == ST_OK)
		status = call_option(call, "rate", rank, &rate);
	if (status == ST_OK && rate.value != 0 && !(rate.value >= 1 && rate.value <= 1e18))
		status = fail(ST_RANGE, "copy: rate= is bytes a second, from 1B/s on, or 0: the machine's");
	if (status != ST_OK)
		return status;
	plan_operand(plan, &from, ACCESS_READ);
	plan_operand(plan, &to, ACCESS_WRITE);
	plan->record.parameter[COPY_RATE] = rate.value;
	return ST_OK;
}

/* Checks shapes and types, and names the operation after the tensor on the device or the disk, which is the one that a
 * reader of the timeline knows; bytes are those of the layout, without gaps. */
static enum status copy_complete(struct call *call, int rank, struct submit_plan *plan)
{
	const struct operand *from = &plan->operand[0], *to = &plan->operand[1];
	const struct names *names = call->shell->world->names;
	const char *a = names_text(names, from->name), *b = names_text(names, to->name);
	enum space one = from->space, other = to->space;
	enum status status = ST_OK;
	(void)rank;

	if ((one == SPACE_DISK && !space_is_host(other)) || (other == SPACE_DISK && !space_is_host(one))) {
		status = fail(ST_ARGUMENT,
		        "copy: %s is on the disk, %s %s: a disk's bytes pass through the host's memory: copy "
		        "%s -> a pinned tensor first",
		        one == SPACE_DISK ? a : b, one == SPACE_DISK ? b : a,
		        one == other ? "too" : "on the device", a);
	} else if (layout_count(&from->layout) != layout_count(&to->layout) ||
	        !layout_same_shape(&from->layout, &to->layout)) {
		status = fail(ST_SHAPE, "copy: %s is %s, %s is %s: a copy wants the same shape", a,
		        shape_text(&from->layout).text, b, shape_text(&to->layout).text);
	} else if (from->layout.dtype != to->layout.dtype) {
		status = fail(ST_DTYPE,
		        "copy: %s is %s, %s is %s: a copy does not convert (NAME = cast %s to=%s does, on "
		        "the device)",
		        a, dtype_name(from->layout.dtype), b, dtype_name(to->layout.dtype), a,
		        dtype_name(to->layout.dtype));
	}
	plan->record.bytes = layout_bytes(&from->layout);
	plan->record.dtype = from->layout.dtype;
	plan->record.object = space_is_host(one) && !space_is_host(other) ? to->name : from->name;
	return status;
}

/* The driver stages a copy of ordinary host memory, and the rank's host waits for it. A thread of the host makes its
 * copies itself, and nobody else waits for it. */
static bool copy_holds_host(const struct world *world, int rank, const struct submit_plan *plan)
{
	return !world_stream(world, rank, plan->stream)->host &&
	        (plan->operand[0].space == SPACE_HOST || plan->operand[1].space == SPACE_HOST);
}

/* Ranks may differ: one has its tensor pinned, another not, and only the second waits. */
static enum status copy_run(struct call *call)
{
	struct plans plans = {0};
	enum status status = plans_resolve(call, OP_COPY, copy_resolve, copy_complete, &plans);
	if (status == ST_OK)
		status = plans_queue(call->shell, &plans);
	for (int k = 0; k < plans.ranks && status == ST_OK; k++) {
		const struct submit_plan *plan = &plans.plan[plans.rank[k].plan];
		if (copy_holds_host(call->shell->world, plans.rank[k].rank, plan))
			status = host_sync(call, plans.rank[k].rank, plans.rank[k].id, plan->record.object);
	}
	status = host_answer(call, status);
	if (status == ST_OK && !call->waits)
		plans_notice(call, &plans);
	plans_release(&plans);
	return status;
}

const struct command command_copy = {
        .name = "copy",
        .topic = "move",
        .usage = "copy FROM -> TO [on STREAM] [rate=RATE]",
        .help = "copies between host, pinned and device memory. With pinned memory the host goes on; with "
                "pageable memory it waits, unless a host thread (kind=host) copies. A disk is read into host "
                "memory and written from it",
        .example = "tensor h[64,64] pinned = randn\ntensor x[64,64]\nstream io\ncopy h -> x on io",
        .torch = "TO.copy_(FROM, non_blocking=True)",
        .cuda = "cudaMemcpyAsync(TO, FROM, bytes, cudaMemcpyDefault, STREAM)",
        .stream_ok = true,
        .argument = {{ARG_TENSOR, 0, NULL, "FROM"}, {ARG_ARROW, 0, NULL, "->"}, {ARG_TENSOR, 0, NULL, "TO"}},
        .option = {{"rate", ARG_EXPRESSION, UNIT_BYTE_RATE, NULL,
                "in place of the machine's, as of data on a slower disk (0: the machine's)"}},
        .run = copy_run,
};

/* copy.c -- copy FROM -> TO: cudaMemcpyAsync between pageable, pinned and device memory
 *
 * The spaces of an OP_COPY's two operands determine the engine. The copy engine reads pinned
 * memory itself, so the host continues at once. The driver stages pageable memory (space host)
 * through pinned buffers, and the host waits, by an OP_SYNC with the reason "copy". On a stream of
 * kind=host only the thread is busy. A disk is read into host memory and written from it, as with
 * O_DIRECT and libaio. Shapes and types must agree. */
#include "shell/language/run/command.h"
#include "shell/submit/plan.h"

enum { FROM, ARROW, TO };

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
	/* pageable memory, unless a thread of the host makes the copy */
	plan->waits = !world_stream(call->shell->world, rank, plan->stream)->host &&
	        (from.space == SPACE_HOST || to.space == SPACE_HOST);
	return ST_OK;
}

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
		status = fail(ST_SHAPE, "copy: %s is %s, %s is %s: a copy needs the same shape", a,
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

static enum status copy_run(struct call *call)
{
	return plans_run(call, OP_COPY, copy_resolve, copy_complete);
}

const struct command command_copy = {
        .name = "copy",
        .topic = "move",
        .usage = "copy FROM -> TO [on STREAM] [rate=RATE]",
        .help = "copies between host, pinned and device memory. With pinned memory the host continues; "
                "with pageable memory it waits, unless a host thread (kind=host) copies. Tensors on disk "
                "are copied only to and from host memory",
        .example = "tensor h[64,64] pinned = randn\ntensor x[64,64]\nstream io\ncopy h -> x on io",
        .torch = "TO.copy_(FROM, non_blocking=True)",
        .cuda = "cudaMemcpyAsync(TO, FROM, bytes, cudaMemcpyDefault, STREAM)",
        .stream_ok = true,
        .argument = {{ARG_TENSOR, 0, NULL, "FROM"}, {ARG_ARROW, 0, NULL, "->"}, {ARG_TENSOR, 0, NULL, "TO"}},
        .option = {{"rate", ARG_EXPRESSION, UNIT_BYTE_RATE, NULL,
                "replaces the machine's rate, as for data on a slower disk (0: the machine's)"}},
        .run = copy_run,
};

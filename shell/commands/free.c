/* free.c -- free TENSOR ...: a tensor's memory goes back to the caching allocator's pool, in program
 * order.
 *
 * As with PyTorch's allocator (and cudaFreeAsync) nothing waits: the block may be handed out again at
 * once, because a later user of the same stream is queued behind the last one of this. With `on STREAM`
 * another stream still uses the memory (record_stream): its next owner then waits for what that stream
 * holds now. Without the clause a tensor that a second stream reads may be overwritten under it, and the
 * race check says so. */
#include "shell/language/run/command.h"
#include "base/memory.h"
#include "shell/session/queue.h"

/* The line's i-th tensor on one rank: no slice, and not named before. */
static enum status may_free(struct call *call, int rank, int i)
{
	struct view view, before;
	enum status status = call_tensor(call, 0, i, rank, &view);
	if (status != ST_OK)
		return status;
	if (view.sliced || view.transposed)
		return fail(ST_NAME, "free wants whole tensors: free %s",
		        names_text(call->shell->world->names, view.base_name));
	for (int k = 0; k < i; k++)
		if (call_tensor(call, 0, k, rank, &before) == ST_OK && before.tensor == view.tensor)
			return fail(ST_NAME, "free: %s stands twice",
			        names_text(call->shell->world->names, view.name));
	return world_window_closed(call->shell->world, "free", view.tensor);
}

/* Frees the line's tensors of one rank. An owner takes its views along, and `free x view_of_x` is a good
 * line: all are found before the first goes, and the views go first.
 *
 *     y = reshape x [16];  free x y      owners 0: y goes      owners 1: x goes */
static enum status free_rank(struct call *call, int rank, int stream)
{
	const struct world *world = call->shell->world;
	int count = call_count(call, 0), *tensor = mem_alloc((size_t)count * sizeof *tensor);
	enum status status = ST_OK;
	struct view view;
	for (int i = 0; i < count && status == ST_OK; i++) {
		status = call_tensor(call, 0, i, rank, &view);
		tensor[i] = view.tensor;
	}
	for (int owners = 0; owners < 2; owners++)
		for (int i = 0; i < count && status == ST_OK; i++)
			if (world->tensors[tensor[i]].used && world->tensors[tensor[i]].view == (owners == 0))
				status = shell_tensor_free(call->shell, tensor[i], stream);
	mem_free(tensor);
	return status;
}

/* The checks are done before any rank frees (act false): afterwards a name of the line may be gone, and
 * call_tensor would not find it. */
static enum status free_one(struct call *call, int rank, bool act)
{
	int stream;
	enum status status = call_stream(call, rank, &stream);
	for (int i = 0; i < call_count(call, 0) && status == ST_OK && !act; i++)
		status = may_free(call, rank, i);
	if (status != ST_OK || !act)
		return status;
	return free_rank(call, rank, stream == STREAM_DEFAULT ? 0 : stream);
}

const struct command command_free = {
        .name = "free",
        .topic = "make",
        .usage = "free TENSOR ... [on STREAM]",
        .help = "gives a tensor's memory back to its pool; on STREAM: the next user of it waits for what is "
                "queued there",
        .example = "tensor x[64] y[64] = zeros\nfree x y",
        .torch = "del TENSOR   # on STREAM: TENSOR.record_stream(STREAM)",
        .cuda = "cudaFreeAsync(TENSOR, STREAM)",
        .stream_ok = true,
        .argument = {{ARG_TENSOR, ARG_MANY, NULL, "TENSOR"}},
        .each = free_one,
};

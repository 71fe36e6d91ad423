/* free.c -- free TENSOR ...: returns memory to the caching allocator's pool, in program order
 *
 * As with PyTorch's allocator and cudaFreeAsync, nothing waits, because the block's next user is
 * queued later on the same stream. With `on STREAM` the next owner waits for that stream's queued
 * work, as with cudaFreeAsync. (With record_stream no stream waits: the block returns when the
 * allocator finds the stream done.) Without the clause, another stream's read may race with the
 * next owner. */
#include "shell/language/run/command.h"
#include "base/memory.h"
#include "shell/session/queue.h"

static enum status free_check(struct call *call, int rank, int i, int *tensor)
{
	const struct names *names = call->shell->world->names;
	struct view view;
	enum status status = call_tensor(call, 0, i, rank, &view);
	if (status != ST_OK)
		return status;
	if (view.sliced || view.transposed)
		return fail(ST_NAME, "free needs whole tensors: free %s", names_text(names, view.base_name));
	for (int k = 0; k < i; k++)
		if (tensor[k] == view.tensor)
			return fail(ST_NAME, "free: %s is given twice", names_text(names, view.name));
	tensor[i] = view.tensor;
	return world_window_closed(call->shell->world, "free", view.tensor);
}

/* Frees the line's tensors of one rank. Freeing an owner frees its views, so views go first:
 *
 *     y = reshape x [16];  free x y      owners 0: y goes      owners 1: x goes */
static enum status free_tensors(struct call *call, const int *tensor, int count, int stream)
{
	const struct world *world = call->shell->world;
	enum status status = ST_OK;
	for (int owners = 0; owners < 2; owners++)
		for (int i = 0; i < count && status == ST_OK; i++)
			if (world->tensors[tensor[i]].used && world->tensors[tensor[i]].view == (owners == 0))
				status = shell_tensor_free(call->shell, tensor[i], stream);
	return status;
}

static enum status free_one(struct call *call, int rank, bool act)
{
	int stream, count = call_count(call, 0), *tensor = mem_alloc((size_t)count * sizeof *tensor);
	enum status status = call_stream(call, rank, &stream);
	for (int i = 0; i < count && status == ST_OK; i++)
		status = free_check(call, rank, i, tensor);
	if (status == ST_OK && act)
		status = free_tensors(call, tensor, count, stream == STREAM_DEFAULT ? 0 : stream);
	mem_free(tensor);
	return status;
}

const struct command command_free = {
        .name = "free",
        .topic = "make",
        .usage = "free TENSOR ... [on STREAM]",
        .help = "returns a tensor's memory to the allocator. on STREAM: the next tensor in this memory "
                "waits for the work queued there. PyTorch's record_stream makes no stream wait: it keeps "
                "the memory until STREAM has finished, so memory use grows while the host runs ahead",
        .example = "tensor x[64] y[64] = zeros\nfree x y",
        .torch = "del TENSOR   # with `on S`: torch.cuda.current_stream().wait_stream(S) before it",
        .cuda = "cudaFreeAsync(TENSOR, STREAM)",
        .stream_ok = true,
        .argument = {{ARG_TENSOR, ARG_MANY, NULL, "TENSOR"}},
        .each = free_one,
};

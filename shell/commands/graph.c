/* graph.c -- capture NAME { } and launch NAME: CUDA graphs.
 *
 * While a block is captured its device work goes into a graph instead of a stream, and nothing of it runs.
 * `launch` queues the whole graph; its operations follow each other on the device without a launch from
 * the host for each, which is what makes a graph worth its while for many short kernels. Waits between
 * streams are captured as edges. Addresses are those of the capture, as in CUDA: a graph works on the same
 * tensors each time it is launched. */
#include "shell/language/run/command.h"
#include "shell/session/queue.h"

/* All ranks begin before the block runs: its lines may be for any of them. */
static enum status capture_run(struct call *call)
{
	struct ranks begun = {0};
	enum status status = ST_OK;
	FOR_RANKS (rank, call->set) {
		name_id name;
		status = call_name(call, 0, 0, rank, &name);
		if (status == ST_OK)
			status = world_capture_begin(call->shell->world, rank, name);
		if (status != ST_OK)
			break;
		ranks_add(&begun, rank);
	}
	if (status == ST_OK)
		status = call_block(call);
	/* also when the block failed: a rank left capturing would swallow all lines that follow, and part of a block is no
	 * graph */
	FOR_RANKS (rank, &begun)
		world_capture_end(call->shell->world, rank, status == ST_OK);
	return status;
}

const struct command command_capture = {
        .name = "capture",
        .topic = "order",
        .usage = "capture NAME [on STREAM] { LINES }",
        .help = "keeps the block's device work as a graph instead of queueing it; `launch NAME` queues it",
        .example = "tensor x[64,64] w[64,64] = randn\ny = matmul x w\ncapture step { y = matmul x w; y = "
                   "relu y }\nlaunch step\nlaunch step\nsync",
        .torch = "with torch.cuda.graph(NAME):",
        .cuda = "cudaStreamBeginCapture ... cudaStreamEndCapture, cudaGraphInstantiate",
        .stream_ok = true,
        .argument = {{ARG_NEW, 0, NULL, "NAME"}, {ARG_BLOCK, 0, NULL, "{ LINES }"}},
        .run = capture_run,
};

/* The books make the operations; the backend hears of them afterwards, also when the launch broke off on
 * the way, since those that are in the books stay there. */
static enum status launch_one(struct call *call, int rank, bool act)
{
	struct shell *shell = call->shell;
	name_id name;
	int stream;
	enum status status = call_name(call, 0, 0, rank, &name);
	if (status == ST_OK)
		status = call_device_stream(call, rank, &stream);
	if (status != ST_OK)
		return status;
	if (world_find(shell->world, rank, name).kind != THING_GRAPH) {
		const char *text = names_text(shell->world->names, name),
		           *near = world_nearest(shell->world, rank, text, THING_GRAPH);
		return near ? fail(ST_NAME, "no graph '%s'; did you mean '%s'?", text, near)
		            : fail(ST_NAME, "no graph '%s': `capture %s { ... }` makes it", text, text);
	}
	size_t before = shell->world->op_count;
	if (act)
		status = world_graph_launch(shell->world, rank, name, stream, interpreter_section_now(shell));
	return shell_tell(shell, before, status);
}

const struct command command_launch = {
        .name = "launch",
        .topic = "order",
        .usage = "launch NAME [on STREAM]",
        .help = "queues a captured graph: all its operations for one launch",
        .example = "tensor x[64,64] = randn\ny = relu x\ncapture step { y = relu x; y = relu y }\nlaunch "
                   "step\nsync",
        .torch = "NAME.replay()",
        .cuda = "cudaGraphLaunch(NAME, STREAM)",
        .stream_ok = true,
        .argument = {{ARG_NEW, 0, NULL, "NAME"}},
        .each = launch_one,
};

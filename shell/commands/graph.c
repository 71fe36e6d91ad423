/* graph.c -- capture NAME { } and launch NAME: CUDA graphs
 *
 * During a capture, device work goes into a graph instead of a stream. `launch` queues it with one
 * launch from the host. Waits between streams become edges. As in CUDA, addresses are those of the
 * capture; tensors made by the block have memory of the graph's own. world/graph.c decides which
 * streams are captured. Work outside the capture and freed memory are reported. */
#include "base/memory.h"
#include "shell/language/run/command.h"
#include "shell/session/note.h"
#include "shell/session/queue.h"
#include "trace/table.h"

static void graph_put_notes(struct shell *shell, struct blocks *notes)
{
	for (size_t i = 0; i < notes->count; i++)
		shell_note(shell, &notes->block[i].ranks, "%s", notes->block[i].rows);
	blocks_release(notes);
}

static void capture_note_apart(struct call *call, int rank, int origin, struct blocks *notes)
{
	const struct world *world = call->shell->world;
	const char *captured = names_text(world->names, world_stream(world, rank, origin)->name);
	bool nothing = world_tail(world, rank, origin) == OP_CAPTURE_START;
	int number = STREAM_HOST;
	name_id name;
	struct text words = {0};
	if (call_name(call, 0, 0, rank, &name) != ST_OK)
		return;
	while (world_capture_apart(world, rank, &number)) {
		const char *apart = names_text(world->names, world_stream(world, rank, number)->name),
		           *graph = names_text(world->names, name);
		text_clear(&words);
		text_add(&words,
		        "capture %s: the work of %s is not in the graph, it was queued at once: ", graph,
		        apart);
		if (nothing)
			text_add(&words, "`capture %s on %s` captures it", graph, apart);
		else
			text_add(&words,
			        "`wait %s on %s` before it and `wait %s on %s` after it capture it too",
			        captured, apart, apart, captured);
		blocks_add(notes, rank, &words);
	}
	text_release(&words);
}

static enum status capture_run(struct call *call)
{
	struct world *world = call->shell->world;
	struct ranks begun = {0};
	struct blocks notes = {0};
	int *origin = mem_alloc((size_t)world->n * sizeof *origin);
	enum status status = ST_OK;
	FOR_RANKS (rank, call->set) {
		name_id name;
		status = call_name(call, 0, 0, rank, &name);
		if (status == ST_OK)
			status = call_device_stream(call, rank, &origin[rank]);
		if (status == ST_OK)
			status = world_capture_begin(world, rank, name, origin[rank]);
		if (status != ST_OK)
			break;
		ranks_add(&begun, rank);
	}
	if (status == ST_OK)
		status = call_block(call);
	FOR_RANKS (rank, &begun)
		if (status == ST_OK)
			status = world_capture_joined(world, rank);
	/* also after a failure: otherwise the rank would capture all later lines */
	FOR_RANKS (rank, &begun) {
		if (status == ST_OK)
			capture_note_apart(call, rank, origin[rank], &notes);
		world_capture_end(world, rank, status == ST_OK);
	}
	graph_put_notes(call->shell, &notes);
	mem_free(origin);
	return status;
}

const struct command command_capture = {
        .name = "capture",
        .topic = "order",
        .usage = "capture NAME [on STREAM] { LINES }",
        .help = "records the block's work on STREAM, and on streams forked from it by `wait` and joined "
                "again, as a graph instead of queueing it; `launch NAME` queues it. Tensors made in the "
                "block are in the graph's memory, which it keeps until NAME is captured again",
        .example = "tensor x[64,64] w[64,64] = randn\ny = matmul x w\ncapture step { y = matmul x w; y = "
                   "relu y }\nlaunch step\nlaunch step\nsync",
        .torch = "with torch.cuda.graph(NAME):",
        .cuda = "cudaStreamBeginCapture ... cudaStreamEndCapture, cudaGraphInstantiate",
        .stream_ok = true,
        .argument = {{ARG_NEW, 0, NULL, "NAME"}, {ARG_BLOCK, 0, NULL, "{ LINES }"}},
        .run = capture_run,
};

/* The backend receives the operations even if the launch failed midway. */
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
	if (!act)
		return world_graph_ready(shell->world, rank, name);
	status = world_graph_launch(shell->world, rank, name, stream, interpreter_section_now(shell));
	return shell_tell(shell, before, status);
}

static void launch_note_freed(struct call *call, int rank, struct blocks *notes)
{
	struct world *world = call->shell->world;
	struct freed_use use;
	name_id name;
	size_t from = 0;
	struct text words = {0};
	if (call_name(call, 0, 0, rank, &name) != ST_OK)
		return;
	while (world_graph_freed(world, rank, name, &from, &use)) {
		bool writes = use.access & ACCESS_WRITE;
		text_clear(&words);
		text_add(&words, "freed: `launch %s` %s ", names_text(world->names, name),
		        !writes                              ? "reads"
		                : use.access & ~ACCESS_WRITE ? "reads and writes"
		                                             : "writes");
		memory_freed_text(world, use.freed, &words);
		if (use.taken)
			text_add(&words, "; its memory is %s's now", memory_owner_text(world, use.now));
		blocks_add(notes, rank, &words);
	}
	text_release(&words);
}

static enum status launch_run(struct call *call)
{
	struct blocks notes = {0};
	enum status status = call_each_rank(call, launch_one);
	if (status == ST_OK)
		FOR_RANKS (rank, call->set)
			launch_note_freed(call, rank, &notes);
	graph_put_notes(call->shell, &notes);
	return status;
}

const struct command command_launch = {
        .name = "launch",
        .topic = "order",
        .usage = "launch NAME [on STREAM]",
        .help = "queues a captured graph: all its operations with one launch. Reports operations that use "
                "memory freed since the capture, except tensors made in the capture",
        .example = "tensor x[64,64] = randn\ny = relu x\ncapture step { y = relu x; y = relu y }\nlaunch "
                   "step\nsync",
        .torch = "NAME.replay()",
        .cuda = "cudaGraphLaunch(NAME, STREAM)",
        .stream_ok = true,
        .argument = {{ARG_NEW, 0, NULL, "NAME"}},
        .run = launch_run,
};

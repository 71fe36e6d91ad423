/* graph.c -- graphs: operations captured once, launched together for the cost of one launch
 *
 * Captured operations have ids OP_CAPTURED + index. A launch replaces targets with such ids by its
 * clones:
 *
 *      captured   #0 matmul   #1 record e   #2 wait (target #1)         ids OP_CAPTURED + 0, 1, 2
 *      launched   17 matmul   18 record e   19 wait (target 18)         clone[] = 17 18 19
 *
 * An event recorded in the capture gets its former value back at the end; each launch sets it to
 * the clone.
 *
 * As with CUDA's stream capture, only streams forked from the captured one take part:
 *
 *      capture g on s      y = relu x on s;  wait s on t;  z = relu y on t;  wait t on s
 *                                            t is forked                     and joined again
 *
 * Tensors of captured streams use the graph's own pools, as in PyTorch. */
#include "world/books.h"
#include "base/search.h"

struct captured_event {
	int event;
	op_id op, before;
};
struct graph {
	name_id name;
	struct thing before;      /* meaning of the name before */
	int origin;               /* captured stream; a launch replaces it */
	bool forked[STREAMS_MAX]; /* by stream; true for the origin */
	op_id last;               /* last operation of the latest launch; 0: none */
	op_id apart[STREAMS_MAX]; /* by stream: first work queued outside the graph; 0: none */
	struct draft *items;
	size_t count;
	struct captured_event *events;
	size_t event_count;
	struct graph_uses uses;
	op_id *launched; /* by stream: last operation of its launches */
	size_t launched_count;
};
static void graph_release(struct graph *graph)
{
	mem_free(graph->items);
	mem_free(graph->events);
	mem_free(graph->uses.use);
	mem_free(graph->launched);
	*graph = (struct graph){0};
}

void graphs_free(struct world *world)
{
	struct world_inner *inner = world->inner;

	for (size_t i = 0; i < inner->graph_count; i++)
		graph_release(&inner->graphs[i]);
	mem_free(inner->graphs);
	mem_free(inner->launches);
}

bool world_capturing(const struct world *world, int rank)
{
	return world->inner->capturing[rank] != 0;
}

static struct graph *graph_of(const struct world *world, int rank)
{
	return &world->inner->graphs[world->inner->capturing[rank] - 1];
}

enum status world_capture_begin(struct world *world, int rank, name_id name, int stream)
{
	struct world_inner *inner = world->inner;

	if (world_capturing(world, rank))
		return fail(ST_ARGUMENT, "rank %d is capturing %s already", rank,
		        names_text(world->names, graph_of(world, rank)->name));
	enum status status = world_name_fits(world, rank, name, THING_GRAPH);
	if (status != ST_OK)
		return status;
	struct graph *graph = MEM_ADD(&inner->graphs, &inner->graph_count);
	*graph = (struct graph){.name = name, .before = world_find(world, rank, name), .origin = stream};
	graph->forked[stream] = true;
	bind_set(world, rank, name, (struct thing){THING_GRAPH, inner->graph_count - 1});
	inner->capturing[rank] = inner->graph_count;
	digest_change(world, CHANGE_CAPTURE, rank, (int64_t)name << 8 | stream);
	return ST_OK;
}

name_id world_graph_name(const struct world *world, uint32_t graph)
{
	return world->inner->graphs[graph - 1].name;
}

uint32_t graph_pool(const struct world *world, int rank, int stream)
{
	bool captured = world_capturing(world, rank) && graph_of(world, rank)->forked[stream];
	return pool_of(stream, captured ? (uint32_t)world->inner->capturing[rank] : 0);
}

/* Empties the entry, so that other graphs keep their numbers. */
static void graph_drop(struct world *world, int rank, int index)
{
	struct graph *graph = &world->inner->graphs[index];

	memory_graph_gone(world, rank, (uint32_t)index + 1, graph->launched, graph->launched_count);
	graph_release(graph);
}

static const char *stream_name(const struct world *world, int rank, int number)
{
	return names_text(world->names, lane_stream(world, rank, number)->name);
}

/* Goes backwards: an operation is joined if it is the origin's, or if the next one of its stream
 * or a wait for it is joined. Waits and records need not be joined. */
enum status world_capture_joined(const struct world *world, int rank)
{
	const struct graph *graph = graph_of(world, rank);
	bool *joined = mem_alloc((graph->count + 1) * sizeof *joined), stream[STREAMS_MAX] = {0};
	int loose = STREAM_HOST;

	stream[graph->origin] = true;
	for (size_t i = graph->count; i-- > 0;) {
		const struct draft *item = &graph->items[i];
		enum op_kind kind = world->records[item->like].kind;
		if (joined[i] || stream[item->stream]) {
			stream[item->stream] = true;
			if (kind == OP_WAIT && item->target && item->target != OP_CAPTURE_START)
				joined[item->target - OP_CAPTURED] = true;
		} else if (kind != OP_WAIT && kind != OP_RECORD) {
			loose = item->stream;
		}
	}
	mem_free(joined);
	if (loose == STREAM_HOST)
		return ST_OK;
	const char *fork = stream_name(world, rank, loose), *origin = stream_name(world, rank, graph->origin);
	return fail(ST_ARGUMENT,
	        "capture %s: %s was forked from %s and is not joined again: `wait %s on %s` at the end of "
	        "the block (cudaErrorStreamCaptureUnjoined)",
	        names_text(world->names, graph->name), fork, origin, fork, origin);
}

bool world_capture_apart(const struct world *world, int rank, int *stream)
{
	const struct graph *graph = graph_of(world, rank);

	while (++*stream < STREAMS_MAX)
		if (graph->apart[*stream])
			return true;
	return false;
}

enum status world_capture_end(struct world *world, int rank, bool keep)
{
	if (!world_capturing(world, rank))
		return fail(ST_ARGUMENT, "rank %d captures no graph", rank);
	int index = world->inner->capturing[rank] - 1;
	struct graph *graph = graph_of(world, rank);
	for (size_t i = graph->event_count; i-- > 0;)
		world->events[graph->events[i].event].record = graph->events[i].before;
	uses_sort(&graph->uses);
	world->inner->capturing[rank] = 0;
	if (!keep) {
		if (graph->before.kind == THING_GRAPH)
			bind_set(world, rank, graph->name, graph->before);
		else
			world_unbind(world, rank, graph->name);
		graph_drop(world, rank, index);
	} else if (graph->before.kind == THING_GRAPH) {
		graph_drop(world, rank, graph->before.index);
	}
	digest_change(world, CHANGE_CAPTURE, rank, 0);
	return ST_OK;
}

/* A wait for captured work forks the stream. The graph's streams may wait for nothing else. */
static enum status graph_wait(const struct world *world, struct graph *graph, const struct draft *draft)
{
	const char *name = names_text(world->names, graph->name),
	           *stream = stream_name(world, draft->rank, draft->stream),
	           *target = names_text(world->names, draft->record->object);

	if (draft->target >= OP_CAPTURED) {
		graph->forked[draft->stream] = true;
		return ST_OK;
	}
	if (!draft->target || !graph->forked[draft->stream])
		return ST_OK;
	op_id id = draft->target, first = graph->apart[world->ops[id].stream];
	/* the target comes after work outside the graph, or is such work */
	if (first && (first < id || (first == id && op_record(world, id)->kind != OP_RECORD))) {
		const char *apart = stream_name(world, draft->rank, world->ops[draft->target].stream);
		return fail(ST_ARGUMENT,
		        "capture %s: %s is captured and cannot wait for the work of %s, which is not in the "
		        "graph: `wait %s on %s` before that work captures it too "
		        "(cudaErrorStreamCaptureIsolation)",
		        name, stream, apart, stream, apart);
	}
	return fail(ST_ARGUMENT,
	        "capture %s: %s is captured and cannot wait for %s, which is outside of the "
	        "capture: `wait %s on %s` before it (cudaErrorStreamCaptureIsolation)",
	        name, stream, target, target, stream);
}

enum status graph_add(struct world *world, struct draft *draft, op_id *id)
{
	struct graph *graph = graph_of(world, draft->rank);
	uint32_t record = draft->like;

	if (op_kind_is_host(draft->record->kind) || draft->record->window ||
	        world_stream(world, draft->rank, draft->stream)->host) {
		bool source = draft->record->kind == OP_FILL && draft->record->kernel;
		return fail(ST_ARGUMENT,
		        "a graph holds device work only: `%s` %s; place it before or after the block",
		        source ? "tensor" : names_text(world->names, record_called(draft->record)),
		        draft->record->kind == OP_SYNC ? "makes the host wait" : "is host work");
	}
	enum status status = draft->record->kind == OP_WAIT ? graph_wait(world, graph, draft) : ST_OK;
	if (status != ST_OK)
		return status;
	if (!graph->forked[draft->stream]) {
		status = queue_draft(world, draft, id);
		if (status == ST_OK && !graph->apart[draft->stream])
			graph->apart[draft->stream] = *id;
		return status;
	}
	uses_note(world, draft->rank, draft->record, &graph->uses);
	if (!record)
		record = record_store(world, draft->record);
	*id = OP_CAPTURED + graph->count;
	struct draft *item = MEM_ADD(&graph->items, &graph->count);
	*item = *draft;
	item->record = NULL;
	item->like = record;
	digest_change(world, CHANGE_CAPTURED, draft->rank, (int64_t)record << 32 | draft->target);
	return ST_OK;
}

op_id world_tail(const struct world *world, int rank, int number)
{
	const struct graph *graph = world_capturing(world, rank) ? graph_of(world, rank) : NULL;

	if (!graph || !graph->forked[number]) {
		const struct stream *stream = world_stream(world, rank, number);
		return stream ? stream->tail : 0;
	}
	for (size_t i = graph->count; i-- > 0;) {
		if (graph->items[i].stream == number)
			return OP_CAPTURED + i;
	}
	return OP_CAPTURE_START;
}

void graph_event(struct world *world, int rank, int event, op_id record_op)
{
	struct graph *graph = graph_of(world, rank);

	if (record_op >= OP_CAPTURED) {
		*MEM_ADD(&graph->events, &graph->event_count) = (struct captured_event){
		        .event = event, .op = record_op, .before = world->events[event].record};
		return;
	}
	for (size_t i = 0; i < graph->event_count; i++)
		if (graph->events[i].event == event)
			graph->events[i].before = record_op;
}

static bool graph_is_current(const struct world *world, uint32_t index, int section)
{
	const struct record *record = &world->records[index];
	return record->section == section && record->machine == world->machine->changes;
}

/* A launch under another mark or after a `set` needs a copy of the record. */
static uint32_t item_record(struct world *world, uint32_t index, int section)
{
	uint32_t moved = world->records[index].moved;

	if (graph_is_current(world, index, section))
		return index;
	if (!moved || !graph_is_current(world, moved, section)) {
		moved = record_in_section(world, index, section);
		world->records[index].moved = moved;
	}
	return moved;
}

enum status world_graph_ready(const struct world *world, int rank, name_id name)
{
	const struct graph *graph = &world->inner->graphs[world_find(world, rank, name).index];

	for (size_t i = 0; i < graph->count; i++) {
		const struct record *record = &world->records[graph->items[i].like];
		if (record->kind == OP_ONE_SIDED && !world_window_open(world, rank, graph->items[i].target))
			return fail(ST_NAME, "graph %s has a %s %s, whose window is closed: capture it again",
			        names_text(world->names, graph->name),
			        names_text(world->names, record->title),
			        names_text(world->names, record->object));
	}
	return uses_ready(world, name, &graph->uses);
}

/* last: the launch's last operation */
static void note_launch(const struct world *world, struct graph *graph, op_id last)
{
	size_t i = 0;

	while (i < graph->launched_count && world->ops[graph->launched[i]].stream != world->ops[last].stream)
		i++;
	if (i == graph->launched_count)
		(void)MEM_ADD(&graph->launched, &graph->launched_count);
	graph->launched[i] = last;
}

enum status world_graph_launch(struct world *world, int rank, name_id name, int stream, int section)
{
	struct thing thing = world_find(world, rank, name);

	if (thing.kind != THING_GRAPH || world->inner->capturing[rank])
		return fail(ST_NAME, "rank %d has no graph '%s' to launch here", rank,
		        names_text(world->names, name));
	struct graph *graph = &world->inner->graphs[thing.index];
	/* at most a wait for each pending interval of each operation, and one for the previous
	 * launch */
	size_t pending = world->inner->memory[rank].pending_count;
	enum status status = world_graph_ready(world, rank, name);
	if (status == ST_OK)
		status = ops_fit(world, graph->count * (pending + 1) + 1);
	if (status != ST_OK)
		return status;
	if (graph->last && world->ops[graph->last].stream != stream)
		queue_wait(world, rank, stream, graph->last);
	op_id *clone = mem_alloc((graph->count + 1) * sizeof *clone), before = world->op_count,
	      start = lane_stream(world, rank, stream)->tail;
	for (size_t i = 0; i < graph->count; i++)
		graph->items[i].like = item_record(world, graph->items[i].like, section);
	for (size_t i = 0; i < graph->count && status == ST_OK; i++) {
		struct draft draft = graph->items[i];
		if (draft.stream == graph->origin)
			draft.stream = stream;
		if (i > 0)
			draft.flags |= OPF_FREE_LAUNCH;
		if (draft.target == OP_CAPTURE_START)
			draft.target = start;
		else if (draft.target != OP_EVERYTHING && draft.target >= OP_CAPTURED)
			draft.target = clone[draft.target - OP_CAPTURED];
		status = queue_draft(world, &draft, &clone[i]);
		if (draft.stream == stream)
			graph->last = clone[i];
	}
	for (size_t i = 0; i < graph->event_count && status == ST_OK; i++)
		world->events[graph->events[i].event].record = clone[graph->events[i].op - OP_CAPTURED];
	if (lane_stream(world, rank, stream)->tail)
		note_launch(world, graph, lane_stream(world, rank, stream)->tail);
	if (world->op_count > before)
		*MEM_ADD(&world->inner->launches, &world->inner->launch_count) =
		        (struct launch){before + 1, world->op_count, (uint32_t)thing.index, name, stream};
	if (status == ST_OK)
		digest_change(world, CHANGE_LAUNCH, rank, name);
	mem_free(clone);
	return status;
}

const struct launch *world_launch(const struct world *world, op_id id)
{
	const struct launch *launches = world->inner->launches;
	size_t at;

	SEARCH(at, world->inner->launch_count, launches[at].first > id);
	return at && id <= launches[at - 1].last ? &launches[at - 1] : NULL;
}

bool world_graph_freed(struct world *world, int rank, name_id name, size_t *from, struct freed_use *use)
{
	struct graph *graph = &world->inner->graphs[world_find(world, rank, name).index];
	return uses_freed(world, &graph->uses, from, use);
}

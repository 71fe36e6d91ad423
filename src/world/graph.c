/* graph.c -- graphs: operations captured once, launched as a whole for the price of one launch
 *
 * While a rank captures, world_queue stores records here instead of queueing them; an operation's id is then
 * OP_CAPTURED + its place. Targets of that kind mean operations of the graph and become those of its clones;
 * others stay.
 *
 *      captured   #0 matmul   #1 record e   #2 wait (target #1)         ids OP_CAPTURED + 0, 1, 2
 *      launched   17 matmul   18 record e   19 wait (target 18)         clone[] = 17 18 19
 *
 * An event recorded meanwhile gets its old meaning back when the capture ends, and each launch
 * gives it the clone's. */
#include "world/books.h"
#include "base/search.h"

struct captured_event {
	int event;
	op_id op, before;
};
struct graph {
	name_id name;
	struct thing before; /* what the name meant before the capture */
	struct draft *items;
	size_t count;
	struct captured_event *events;
	size_t event_count;
};
void graphs_free(struct world *world)
{
	struct world_inner *inner = world->inner;

	for (size_t i = 0; i < inner->graph_count; i++) {
		mem_free(inner->graphs[i].items);
		mem_free(inner->graphs[i].events);
	}
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

enum status world_capture_begin(struct world *world, int rank, name_id name)
{
	struct world_inner *inner = world->inner;

	if (world_capturing(world, rank))
		return fail(ST_ARGUMENT, "rank %d is capturing %s already", rank,
		        names_text(world->names, graph_of(world, rank)->name));
	enum status status = world_name_fits(world, rank, name, THING_GRAPH);
	if (status != ST_OK)
		return status;
	*MEM_ADD(&inner->graphs, &inner->graph_count) =
	        (struct graph){.name = name, .before = world_find(world, rank, name)};
	bind_set(world, rank, name, (struct thing){THING_GRAPH, inner->graph_count - 1});
	inner->capturing[rank] = inner->graph_count;
	digest_change(world, CHANGE_CAPTURE, rank, name);
	return ST_OK;
}

/* The entry of a graph that is not kept stays, empty: other ranks' entries keep their places. */
static void drop(struct world *world, int rank, struct graph *graph)
{
	if (graph->before.kind == THING_GRAPH)
		bind_set(world, rank, graph->name, graph->before);
	else
		world_unbind(world, rank, graph->name);
	mem_free(graph->items);
	mem_free(graph->events);
	*graph = (struct graph){0};
}

enum status world_capture_end(struct world *world, int rank, bool keep)
{
	if (!world_capturing(world, rank))
		return fail(ST_ARGUMENT, "rank %d captures no graph", rank);
	struct graph *graph = graph_of(world, rank);
	for (size_t i = graph->event_count; i-- > 0;)
		world->events[graph->events[i].event].record = graph->events[i].before;
	if (!keep)
		drop(world, rank, graph);
	world->inner->capturing[rank] = 0;
	digest_change(world, CHANGE_CAPTURE, rank, 0);
	return ST_OK;
}

enum status graph_add(struct world *world, const struct draft *draft, op_id *id)
{
	struct graph *graph = graph_of(world, draft->rank);
	uint32_t record = draft->like;

	if (op_kind_is_host(draft->record->kind) || draft->record->window ||
	        world_stream(world, draft->rank, draft->stream)->host)
		return fail(ST_ARGUMENT, "a graph holds work of the device only: `%s` is the host's",
		        names_text(world->names, draft->record->title));
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
	if (!world_capturing(world, rank)) {
		const struct stream *stream = world_stream(world, rank, number);
		return stream ? stream->tail : 0;
	}
	const struct graph *graph = graph_of(world, rank);
	for (size_t i = graph->count; i-- > 0;) {
		if (graph->items[i].stream == number)
			return OP_CAPTURED + i;
	}
	return 0;
}

void graph_event(struct world *world, int rank, int event, op_id record_op)
{
	struct graph *graph = graph_of(world, rank);

	*MEM_ADD(&graph->events, &graph->event_count) = (struct captured_event){
	        .event = event, .op = record_op, .before = world->events[event].record};
}

static bool is_current(const struct world *world, uint32_t index, int section)
{
	const struct record *record = &world->records[index];
	return record->section == section && record->machine == world->machine->changes;
}

/* What was captured under one `mark` and is launched under another counts to the other, and behind a `set` it costs what the
 * machine says now. A record remembers the copy of it that was made last, so that the graphs of all ranks that share it share
 * the copy too. */
static uint32_t current(struct world *world, uint32_t index, int section)
{
	uint32_t moved = world->records[index].moved;

	if (is_current(world, index, section))
		return index;
	if (!moved || !is_current(world, moved, section)) {
		moved = record_in_section(world, index, section);
		world->records[index].moved = moved;
	}
	return moved;
}

/* ST_NAME when a window that the graph reaches into is closed by now. */
static enum status windows_are_open(const struct world *world, int rank, const struct graph *graph)
{
	for (size_t i = 0; i < graph->count; i++) {
		const struct record *record = &world->records[graph->items[i].like];
		if (record->kind == OP_ONE_SIDED && !world_window_open(world, rank, graph->items[i].target))
			return fail(ST_NAME, "graph %s has a %s %s, whose window is closed: capture it again",
			        names_text(world->names, graph->name),
			        names_text(world->names, record->title),
			        names_text(world->names, record->object));
	}
	return ST_OK;
}

/* ST_NAME, ST_LIMIT (then nothing is queued). stream: takes the place of the first item's.
 *
 * Clones every item, in order; targets within the graph become those of the clones. */
enum status world_graph_launch(struct world *world, int rank, name_id name, int stream, int section)
{
	struct thing thing = world_find(world, rank, name);

	if (thing.kind != THING_GRAPH || world->inner->capturing[rank])
		return fail(ST_NAME, "rank %d has no graph '%s' to launch here", rank,
		        names_text(world->names, name));
	struct graph *graph = &world->inner->graphs[thing.index];
	/* queued whole or not at all: with an implicit wait for each interval that is to be waited for, at
	 * most */
	size_t pending = world->inner->memory[rank].pending_count;
	enum status status = windows_are_open(world, rank, graph);
	if (status == ST_OK)
		status = ops_fit(world, graph->count * (pending + 1));
	if (status != ST_OK)
		return status;
	op_id *clone = mem_alloc((graph->count + 1) * sizeof *clone), before = world->op_count;
	for (size_t i = 0; i < graph->count; i++)
		graph->items[i].like = current(world, graph->items[i].like, section);
	for (size_t i = 0; i < graph->count && status == ST_OK; i++) {
		struct draft draft = graph->items[i];
		if (draft.stream == graph->items[0].stream)
			draft.stream = stream;
		if (i > 0)
			draft.flags |= OPF_FREE_LAUNCH;
		if (draft.target != OP_EVERYTHING && draft.target >= OP_CAPTURED)
			draft.target = clone[draft.target - OP_CAPTURED];
		status = queue_draft(world, &draft, &clone[i]);
	}
	for (size_t i = 0; i < graph->event_count && status == ST_OK; i++)
		world->events[graph->events[i].event].record = clone[graph->events[i].op - OP_CAPTURED];
	if (world->op_count > before)
		*MEM_ADD(&world->inner->launches, &world->inner->launch_count) =
		        (struct launch){before + 1, world->op_count, (uint32_t)thing.index};
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

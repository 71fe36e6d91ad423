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

struct captured {
	uint32_t record;
	op_id target;
	int stream;
	uint8_t flags;
};
struct captured_event {
	int event;
	op_id op, before;
};
struct graph {
	int rank;
	name_id name;
	struct captured *items;
	size_t count, room;
	struct captured_event *events;
	size_t event_count, event_room;
};
/* The last launch in another section than before, item by item: the next rank's graph takes the same
 * records. */
struct moved {
	uint32_t from, to;
	int section;
};
struct world_graphs {
	struct graph *graphs;
	size_t count, room;
	int *capturing; /* by rank: graph + 1, or 0 */
	struct moved *moved;
	size_t moved_count, moved_room;
};

void graphs_create(struct world *world)
{
	world->graphs = mem_alloc(sizeof *world->graphs);
	world->graphs->capturing = mem_alloc((size_t)world->n * sizeof *world->graphs->capturing);
}

void graphs_free(struct world *world)
{
	struct world_graphs *graphs = world->graphs;

	for (size_t i = 0; i < graphs->count; i++) {
		mem_free(graphs->graphs[i].items);
		mem_free(graphs->graphs[i].events);
	}
	mem_free(graphs->graphs);
	mem_free(graphs->capturing);
	mem_free(graphs->moved);
	mem_free(graphs);
}

bool world_capturing(const struct world *world, int rank)
{
	return world->graphs->capturing[rank] != 0;
}

static struct graph *graph_of(const struct world *world, int rank)
{
	return &world->graphs->graphs[world->graphs->capturing[rank] - 1];
}

enum status world_capture_begin(struct world *world, int rank, name_id name)
{
	struct world_graphs *graphs = world->graphs;

	if (world_capturing(world, rank))
		return fail(ST_ARGUMENT, "rank %d is capturing %s already", rank,
		        names_text(world->names, graph_of(world, rank)->name));
	enum status status = world_name_fits(world, rank, name, THING_GRAPH);
	if (status != ST_OK)
		return status;
	MEM_GROW(&graphs->graphs, graphs->count, &graphs->room);
	graphs->graphs[graphs->count] = (struct graph){.rank = rank, .name = name};
	bind_set(world, rank, name, (struct thing){THING_GRAPH, (int)graphs->count});
	graphs->capturing[rank] = (int)++graphs->count;
	digest_change(world, CHANGE_CAPTURE, rank, name);
	return ST_OK;
}

enum status world_capture_end(struct world *world, int rank)
{
	if (!world_capturing(world, rank))
		return fail(ST_ARGUMENT, "rank %d captures no graph", rank);
	const struct graph *graph = graph_of(world, rank);
	for (size_t i = graph->event_count; i-- > 0;)
		world->events[graph->events[i].event].record = graph->events[i].before;
	world->graphs->capturing[rank] = 0;
	digest_change(world, CHANGE_CAPTURE, rank, 0);
	return ST_OK;
}

/* In place of world_queue while the rank captures. */
enum status graph_add(struct world *world, int rank, int stream, const struct record *record, uint32_t like,
        op_id target, int flags, op_id *id)
{
	struct graph *graph = graph_of(world, rank);
	uint32_t index = like;

	if (op_kind_is_host(record->kind))
		return fail(ST_ARGUMENT, "a graph holds work of the device only: `%s` is the host's",
		        names_text(world->names, record->title));
	if (!like)
		index = record_store(world, record);
	MEM_GROW(&graph->items, graph->count, &graph->room);
	*id = OP_CAPTURED + (op_id)graph->count;
	graph->items[graph->count++] = (struct captured){
	        .record = index, .target = target, .stream = stream, .flags = (uint8_t)flags};
	digest_change(world, CHANGE_CAPTURED, rank, (int64_t)index << 32 | (int64_t)target);
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
			return OP_CAPTURED + (op_id)i;
	}
	return 0;
}

void graph_event(struct world *world, int rank, int event, op_id record_op)
{
	struct graph *graph = graph_of(world, rank);

	MEM_GROW(&graph->events, graph->event_count, &graph->event_room);
	graph->events[graph->event_count++] = (struct captured_event){
	        .event = event, .op = record_op, .before = world->events[event].record};
}

/* What was captured under one `mark` and is launched under another counts to the other. */
static void move_to_section(struct world *world, struct graph *graph, int section)
{
	struct world_graphs *graphs = world->graphs;
	for (size_t i = 0; i < graph->count; i++) {
		uint32_t *record = &graph->items[i].record;
		if (i == graphs->moved_count) {
			MEM_GROW(&graphs->moved, graphs->moved_count, &graphs->moved_room);
			graphs->moved[graphs->moved_count++] = (struct moved){0};
		}
		struct moved *moved = &graphs->moved[i];
		if (world->records[*record].section == section)
			continue;
		if (moved->from != *record || moved->section != section)
			*moved = (struct moved){*record, record_in_section(world, *record, section), section};
		*record = moved->to;
	}
}

/* Clones every item, in order; targets within the graph become those of the clones. */
enum status world_graph_launch(struct world *world, int rank, name_id name, int stream, int section)
{
	struct thing thing = world_find(world, rank, name);

	if (thing.kind != THING_GRAPH || world->graphs->capturing[rank])
		return fail(ST_NAME, "rank %d has no graph '%s' to launch here", rank,
		        names_text(world->names, name));
	struct graph *graph = &world->graphs->graphs[thing.index];
	/* queued whole or not at all: with an implicit wait for each interval that is to be waited for, at
	 * most */
	size_t pending = world->memory->rank[rank].pending_count;
	enum status status = ops_fit(world, graph->count * (pending + 1));
	if (status != ST_OK)
		return status;
	op_id *clone = mem_alloc((graph->count + 1) * sizeof *clone);
	move_to_section(world, graph, section);
	for (size_t i = 0; i < graph->count && status == ST_OK; i++) {
		const struct captured *item = &graph->items[i];
		op_id target = item->target;
		struct draft draft = {.rank = rank,
		        .stream = item->stream == graph->items[0].stream ? stream : item->stream,
		        .record_index = item->record,
		        .flags = i == 0 ? item->flags : item->flags | OPF_FREE_LAUNCH,
		        .target = target != OP_EVERYTHING && target >= OP_CAPTURED
		                ? clone[target - OP_CAPTURED]
		                : target};
		status = queue_draft(world, &draft, &clone[i]);
	}
	for (size_t i = 0; i < graph->event_count && status == ST_OK; i++)
		world->events[graph->events[i].event].record = clone[graph->events[i].op - OP_CAPTURED];
	if (status == ST_OK)
		digest_change(world, CHANGE_LAUNCH, rank, name);
	mem_free(clone);
	return status;
}

/* graph.c -- graph launches: which can be CUDA graphs; the cache of executables; times of
 * operations
 *
 * An executable is found by its key, the bytes of calls, real addresses, streams and dependencies.
 * The launch's stream must not wait for anything that single launches would not wait for, because
 * hosts could deadlock. So all dependencies must have completed or be on that stream. */
#include "cuda/host/graph.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "world/world.h"

#include <string.h>

enum { GRAPHS_MOST = 64 };

struct device_graph {
	char *key;
	size_t key_bytes;
	struct captured captured; /* zeroed: it cannot be captured */
	uint64_t launches;
	int remembered; /* launches with operations in flight or kept */
};

struct graphs {
	struct device_graph *all[GRAPHS_MOST]; /* least recently used first */
	int count;
};

struct graph_launch {
	struct device_graph *graph;
	uint64_t number;
	CUevent begin, end;
	unsigned anchor;
	int count, left; /* operations; those not forgotten */
	bool known, divided;
	struct part_time {
		int64_t start, end;
	} part[]; /* predicted, from 0; once known, on the host clock */
};

int graph_place(const struct host_order *orders, int count, op_id id)
{
	return id >= orders[0].id && id - orders[0].id < (op_id)count ? (int)(id - orders[0].id) : -1;
}

/* A least duration is ended by a thread, a noted value is kept anew each time, and a host function
 * is called once, so they cannot be repeated. */
static bool can_repeat(const struct host_order *order)
{
	const struct record *record = &order->record;
	bool copies = record->kind == OP_COPY, kernel = record->kind == OP_KERNEL;
	if (order->least_ns > 0 || order->launch_ns > 0 || order->undone || record->noted)
		return false;
	if (record->kind == OP_RECORD || record->kind == OP_WAIT)
		return order->target != OP_EVERYTHING;
	if (!copies && !kernel)
		return false;
	for (int i = 0; i < record->operands; i++) {
		const struct operand *operand = &record->operand[i];
		bool line = copies && operand->space == SPACE_PINNED && layout_contiguous(&operand->layout);
		if (operand->space != SPACE_DEVICE && !line)
			return false;
	}
	return kernel ||
	        (record_target(record) &&
	                (record_source(record)->space == SPACE_DEVICE ||
	                        record_target(record)->space == SPACE_DEVICE));
}

static bool is_first_on_stream(const struct host_order *orders, int place)
{
	for (int i = 0; i < place; i++)
		if (orders[i].stream == orders[place].stream)
			return false;
	return true;
}

/* Streams other than the launch's must begin with a wait for it; the default stream cannot be
 * captured. Ranks that share a GPU have too few queues for other streams. */
static bool streams_are_joined(const struct host_thread *host, const struct host_order *orders, int count)
{
	for (int i = 1; i < count; i++) {
		const struct host_order *order = &orders[i];
		if (order->stream == orders[0].stream)
			continue;
		if (host->shares || order->stream == STREAM_DEFAULT || order->blocking)
			return false;
		if (is_first_on_stream(orders, i) &&
		        (order->record.kind != OP_WAIT || graph_place(orders, i, order->target) < 0))
			return false;
	}
	return true;
}

static bool can_be_graph(struct host_thread *host, const struct host_order *orders, int count)
{
	int64_t ns;
	for (int i = 0; i < count; i++)
		if (!can_repeat(&orders[i]) || orders[i].id != orders[0].id + (op_id)i ||
		        host_cancelled(host, orders[i].id, &ns))
			return false;
	return streams_are_joined(host, orders, count);
}

/* Returns true if every dependency has completed or precedes the launch on its own stream. */
static bool dependencies_are_met(struct host_thread *host, const struct host_order *orders, int count)
{
	for (int i = 0; i < count; i++) {
		const struct host_order *order = &orders[i];
		const struct host_flight *before = NULL;
		struct host_lane *lane;
		if (order->record.kind == OP_WAIT && order->target &&
		        graph_place(orders, count, order->target) < 0)
			before = host_flight_find(host, order->target);
		if (before && before->runs_on != orders[0].stream)
			return false;
		if (host_lane_of(host, order, &lane) != ST_OK)
			return false;
		before = host_flight_newest(lane);
		if (before && before->runs_on != orders[0].stream)
			return false;
	}
	return true;
}

struct graph_key {
	char *bytes;
	size_t count, room;
};

static void key_put(struct graph_key *key, const void *from, size_t bytes)
{
	MEM_ROOM(&key->bytes, key->count + bytes, &key->room);
	if (bytes)
		memcpy(key->bytes + key->count, from, bytes);
	key->count += bytes;
}

static void key_put_operand(
        struct graph_key *key, const struct host_thread *host, const struct operand *operand)
{
	const struct layout *layout = &operand->layout;
	void *at = memory_at(host, (enum space)operand->space, operand->address);
	uint8_t bytes[] = {operand->space, operand->access, layout->dtype, layout->dims};
	key_put(key, &at, sizeof at);
	key_put(key, bytes, sizeof bytes);
	key_put(key, layout->dim, layout->dims * sizeof *layout->dim);
	key_put(key, layout->stride, layout->dims * sizeof *layout->stride);
}

static struct graph_key key_of(const struct host_thread *host, const struct host_order *orders, int count)
{
	struct graph_key key = {0};
	for (int i = 0; i < count; i++) {
		const struct record *record = &orders[i].record;
		int place = record->kind == OP_WAIT ? graph_place(orders, count, orders[i].target) : -1;
		uint8_t bytes[] = {
		        record->kind, orders[i].stream, (uint8_t)orders[i].priority, record->operands};
		key_put(&key, bytes, sizeof bytes);
		key_put(&key, &place, sizeof place);
		key_put(&key, &record->kernel, sizeof record->kernel);
		key_put(&key, record->parameter, sizeof record->parameter);
		for (int k = 0; k < record->operands; k++)
			key_put_operand(&key, host, &record->operand[k]);
	}
	return key;
}

static void graph_free(struct host_thread *host, struct device_graph *graph)
{
	capture_release(host, &graph->captured);
	mem_free(graph->key);
	mem_free(graph);
}

static struct device_graph *graphs_remove(struct graphs *graphs, int i)
{
	struct device_graph *graph = graphs->all[i];
	MEM_REMOVE(graphs->all, &graphs->count, i);
	return graph;
}

static bool graphs_make_room(struct host_thread *host)
{
	struct graphs *graphs = host->graphs;
	if (graphs->count < GRAPHS_MOST)
		return true;
	for (int i = 0; i < graphs->count; i++)
		if (graphs->all[i]->remembered == 0) {
			graph_free(host, graphs_remove(graphs, i));
			return true;
		}
	return false;
}

static struct device_graph *graphs_find(struct graphs *graphs, const struct graph_key *key)
{
	for (int i = graphs->count; i-- > 0;) {
		struct device_graph *graph = graphs->all[i];
		if (graph->key_bytes != key->count || memcmp(graph->key, key->bytes, key->count) != 0)
			continue;
		graphs_remove(graphs, i);
		return graphs->all[graphs->count++] = graph;
	}
	return NULL;
}

static struct device_graph *graph_of(struct host_thread *host, const struct host_order *orders, int count)
{
	if (!host->graphs)
		host->graphs = mem_alloc(sizeof *host->graphs);
	struct graph_key key = key_of(host, orders, count);
	struct device_graph *graph = graphs_find(host->graphs, &key);
	if (graph || !graphs_make_room(host)) {
		mem_free(key.bytes);
	} else {
		graph = host->graphs->all[host->graphs->count++] = mem_alloc(sizeof *graph);
		graph->key = key.bytes;
		graph->key_bytes = key.count;
		if (capture_make(host, orders, count, &graph->captured) != ST_OK)
			lanes_check(host);
	}
	return graph && graph->captured.executable ? graph : NULL;
}

/* Predicts times: each operation follows the previous one on its stream and what it waits for. */
static void launch_predict(struct graph_launch *launch, const struct host_order *orders)
{
	for (int i = 0; i < launch->count; i++) {
		const struct host_order *order = &orders[i];
		bool works = order->record.kind == OP_KERNEL || order->record.kind == OP_COPY;
		int target = order->record.kind == OP_WAIT ? graph_place(orders, i, order->target) : -1;
		struct part_time *part = &launch->part[i];
		for (int k = i; k-- > 0;)
			if (orders[k].stream == order->stream) {
				part->start = launch->part[k].end;
				break;
			}
		part->end = part->start + (works ? most_of(order->foreseen_ns, 1) : 0);
		if (target >= 0)
			part->end = most_of(part->end, launch->part[target].end);
	}
}

static enum status launch_queue(struct host_thread *host, struct graph_launch *launch,
        const struct host_order *orders, const struct host_lane *own)
{
	const struct cuda_library *cuda = host->cuda;
	enum status status = memory_join(host, own);
	status = first_failure(status, anchors_renew(&host->anchors));
	launch->anchor = anchors_newest(&host->anchors);
	if (status == ST_OK)
		status = host_event_record(host, own->stream, &launch->begin);
	if (status == ST_OK)
		status = CUDA_CALL(cuda, cuGraphLaunch, launch->graph->captured.executable, own->stream);
	if (status == ST_OK)
		status = host_event_record(host, own->stream, &launch->end);
	for (int i = 1; i < launch->count && status == ST_OK; i++) {
		struct host_lane *lane = NULL;
		if (orders[i].stream == own->number || !is_first_on_stream(orders, i))
			continue;
		status = host_lane_of(host, &orders[i], &lane);
		if (status == ST_OK)
			status = CUDA_CALL(
			        cuda, cuStreamWaitEvent, lane->stream, launch->end, CU_EVENT_WAIT_DEFAULT);
	}
	return status;
}

static void launch_start(struct host_thread *host, struct device_graph *graph,
        const struct host_order *orders, int count, int64_t issue)
{
	struct host_lane *lane;
	struct graph_launch *launch = mem_alloc(sizeof *launch + (size_t)count * sizeof launch->part[0]);
	*launch = (struct graph_launch){
	        .graph = graph, .number = ++graph->launches, .count = count, .left = count};
	graph->remembered++;
	launch_predict(launch, orders);
	enum status status = host_lane_of(host, &orders[0], &lane);
	if (status == ST_OK)
		status = launch_queue(host, launch, orders, lane);
	int64_t took = host->cuda->host_now() - host->shift - issue;
	for (int i = 0; i < count; i++) {
		struct host_flight flight = {.id = orders[i].id,
		        .before = launch->begin,
		        .after = launch->end,
		        .issue = issue,
		        .launch = took,
		        .shift = host->shift,
		        .given = true,
		        .graph = launch,
		        .place = i,
		        .runs_on = orders[0].stream};
		if (status != ST_OK)
			host_flight_fail(&flight, status);
		/* dependencies_are_met has made the lane */
		if (host_lane_of(host, &orders[i], &lane) == ST_OK)
			host_flight_add(lane, &flight);
	}
	if (status != ST_OK)
		lanes_check(host);
}

bool graph_order(struct host_thread *host, const struct host_order *orders, int count, int64_t issue)
{
	if (!can_be_graph(host, orders, count))
		return false;
	lanes_look(host);
	if (!dependencies_are_met(host, orders, count))
		return false;
	struct device_graph *graph = graph_of(host, orders, count);
	if (!graph)
		return false;
	launch_start(host, graph, orders, count, issue);
	return true;
}

static enum status launch_read_events(
        struct host_thread *host, const struct graph_launch *launch, int64_t begin, struct part_time *part)
{
	const struct captured *captured = &launch->graph->captured;
	enum status status = ST_OK;
	int64_t *at = mem_alloc((size_t)(captured->events + 1) * sizeof *at);
	at[0] = begin;
	for (int i = 0; i < captured->events && status == ST_OK; i++)
		status = anchors_time(&host->anchors, launch->anchor, captured->event[i], &at[i + 1]);
	for (int i = 0; i < launch->count; i++)
		part[i] = (struct part_time){at[captured->span[i].from + 1], at[captured->span[i].to + 1]};
	mem_free(at);
	return status;
}

static void launch_divide(struct graph_launch *launch, int64_t begin, int64_t end)
{
	int64_t foreseen = 1;
	for (int i = 0; i < launch->count; i++)
		foreseen = most_of(foreseen, launch->part[i].end);
	double scale = (double)(end - begin) / (double)foreseen;
	for (int i = 0; i < launch->count; i++)
		launch->part[i] = (struct part_time){begin + (int64_t)(scale * (double)launch->part[i].start),
		        begin + (int64_t)(scale * (double)launch->part[i].end)};
	launch->divided = launch->count > 1;
}

enum status graph_times(struct host_thread *host, struct graph_launch *launch, int place, int64_t *start,
        int64_t *end, bool *divided)
{
	int64_t from = 0, to = 0;
	enum status status = ST_OK;
	if (!launch->known) {
		status = anchors_time(&host->anchors, launch->anchor, launch->begin, &from);
		if (status == ST_OK)
			status = anchors_time(&host->anchors, launch->anchor, launch->end, &to);
		if (status == ST_OK && launch->number == launch->graph->launches)
			status = launch_read_events(host, launch, from, launch->part);
		else if (status == ST_OK)
			launch_divide(launch, from, to);
		launch->known = status == ST_OK;
	}
	*start = launch->part[place].start;
	*end = launch->part[place].end;
	*divided = launch->divided;
	return status;
}

void graph_forget(struct host_thread *host, struct graph_launch *launch)
{
	if (--launch->left > 0)
		return;
	launch->graph->remembered--;
	host_event_free(host, launch->begin);
	host_event_free(host, launch->end);
	mem_free(launch);
}

void graphs_close(struct host_thread *host)
{
	for (int i = 0; host->graphs && i < host->graphs->count; i++)
		graph_free(host, host->graphs->all[i]);
	mem_free(host->graphs);
	host->graphs = NULL;
}

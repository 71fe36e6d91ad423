/* lanes.c -- streams, events, and operations in flight */
#include "cuda/host/graph.h"
#include "cuda/host/order.h"
#include "base/memory.h"
#include "base/search.h"

void lanes_open(struct host_thread *host)
{
	int least;
	host->lanes = mem_alloc(sizeof *host->lanes);
	if (host->cuda->cuCtxGetStreamPriorityRange(&least, &host->lanes->greatest) != CUDA_SUCCESS)
		host->lanes->greatest = 0; /* priorities are only a hint */
}

void host_event_free(struct host_thread *host, CUevent event)
{
	if (event)
		*MEM_ADD(&host->lanes->free, &host->lanes->free_count) = event;
}

void flight_release(struct host_thread *host, struct host_flight *flight)
{
	if (flight->graph) {
		graph_forget(host, flight->graph);
	} else {
		host_event_free(host, flight->before);
		host_event_free(host, flight->after != flight->before ? flight->after : NULL);
	}
	mem_free(flight->words);
}

void lanes_close(struct host_thread *host)
{
	struct host_lanes *lanes = host->lanes;
	if (!lanes)
		return;
	for (int i = 0; i < lanes->count; i++) {
		struct host_lane *lane = lanes->all[i];
		for (; lane->first < lane->count; lane->first++)
			flight_release(host, lane_flight(lane, lane->first));
		if (lane->stream)
			host->cuda->cuStreamDestroy(lane->stream);
		mem_free(lane->ring);
		mem_free(lane);
	}
	for (size_t i = 0; i < lanes->free_count; i++)
		host->cuda->cuEventDestroy(lanes->free[i]);
	mem_free(lanes->free);
	mem_free(lanes);
	host->lanes = NULL;
}

int host_lane_priority(const struct host_thread *host, const struct host_order *order)
{
	return order->priority ? host->lanes->greatest : 0;
}

enum status host_lane_of(struct host_thread *host, const struct host_order *order, struct host_lane **lane)
{
	struct host_lanes *lanes = host->lanes;
	CUstream stream = NULL;
	if (!lanes->by_number[order->stream]) {
		enum status status = order->stream == STREAM_DEFAULT
		        ? ST_OK
		        : CUDA_CALL(host->cuda, cuStreamCreateWithPriority, &stream,
		                  order->blocking ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING,
		                  host_lane_priority(host, order));
		if (status != ST_OK)
			return status;
		struct host_lane *new = mem_alloc(sizeof *new);
		new->stream = stream;
		new->number = order->stream;
		lanes->by_number[order->stream] = lanes->all[lanes->count++] = new;
	}
	*lane = lanes->by_number[order->stream];
	return ST_OK;
}

enum status host_event_record(struct host_thread *host, CUstream stream, CUevent *event)
{
	struct host_lanes *lanes = host->lanes;
	enum status status = ST_OK;
	CUevent new = NULL;
	if (lanes->free_count)
		new = lanes->free[--lanes->free_count];
	else
		status = CUDA_CALL(host->cuda, cuEventCreate, &new, CU_EVENT_DEFAULT);
	if (status == ST_OK)
		status = CUDA_CALL(host->cuda, cuEventRecord, new, stream);
	if (status == ST_OK)
		*event = new;
	else
		host_event_free(host, new);
	return status;
}

static struct host_flight *lane_append(struct host_lane *lane)
{
	if (lane->count - lane->first == lane->room) {
		size_t room = lane->room ? 2 * lane->room : 16;
		struct host_flight *ring = mem_alloc(room * sizeof *ring);
		for (size_t i = lane->first; i < lane->count; i++)
			ring[i & (room - 1)] = *lane_flight(lane, i);
		mem_free(lane->ring);
		lane->ring = ring;
		lane->room = room;
	}
	return lane_flight(lane, lane->count++);
}

void host_flight_add(struct host_lane *lane, const struct host_flight *flight)
{
	*lane_append(lane) = *flight;
}

enum status host_flight_begin(
        struct host_thread *host, struct host_lane *its, op_id id, int64_t issue, struct host_flight **flight)
{
	struct host_flight *new = lane_append(its);
	*new = (struct host_flight){.id = id, .issue = issue, .shift = host->shift, .runs_on = its->number};
	*flight = new;
	enum status status = anchors_renew(&host->anchors);
	new->anchor = anchors_newest(&host->anchors);
	return status == ST_OK ? host_event_record(host, its->stream, &new->before) : status;
}

enum status host_flight_end(
        struct host_thread *host, struct host_lane *lane, struct host_flight *flight, bool moment)
{
	flight->given = true;
	if (moment) {
		flight->after = flight->before;
		return ST_OK;
	}
	return host_event_record(host, lane->stream, &flight->after);
}

struct host_flight *host_flight_last(struct host_lane *lane)
{
	for (size_t i = lane->told; i < lane->count; i++)
		if (!lane_flight(lane, i)->given)
			return lane_flight(lane, i);
	return NULL;
}

const struct host_flight *host_flight_newest(const struct host_lane *lane)
{
	return lane->first < lane->count ? lane_flight(lane, lane->count - 1) : NULL;
}

void host_flight_fail(struct host_flight *flight, enum status status)
{
	if (flight->status != ST_OK)
		return;
	flight->status = status;
	flight->words = fail_copy();
}

struct host_flight *lane_find(const struct host_lane *lane, op_id id)
{
	size_t i, kept = lane->count - lane->first;
	SEARCH(i, kept, lane_flight(lane, lane->first + i)->id >= id);
	struct host_flight *found = i < kept ? lane_flight(lane, lane->first + i) : NULL;
	return found && found->id == id ? found : NULL;
}

const struct host_flight *host_flight_find(const struct host_thread *host, op_id id)
{
	struct host_flight *found = NULL;
	for (int i = 0; i < host->lanes->count && !found; i++)
		found = lane_find(host->lanes->all[i], id);
	return found;
}

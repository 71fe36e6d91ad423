/* lanes.c -- streams, the operations in flight there, and when they were
 *
 *      kept        | told, its end lies ahead | told ... | in flight | in flight | not given yet
 *                  first                        told                               count
 *
 * An operation is told when its last event is over. It is kept until the host's clock has passed its end: at once on a GPU;
 * where the clock is virtual, a wait for it has to come behind an end that lies ahead. */
#include "cuda/host/graph.h"
#include "cuda/host/order.h"
#include "base/arithmetic.h"
#include "base/memory.h"

struct lane_queue {
	struct host_lane lane;    /* first: what others see of it */
	struct host_flight *ring; /* number i at i % room, room a power of two */
	size_t room, first, told, count;
	int64_t last_end; /* session's time */
};

enum { LANES = 256 };
struct host_lanes {
	struct lane_queue *by_number[LANES];
	struct lane_queue *all[LANES];
	int count;
	int greatest; /* priority */
	CUevent *free;
	size_t free_count;
};

static struct lane_queue *own(struct host_lane *lane)
{
	return (struct lane_queue *)lane;
}

static struct host_flight *at(const struct lane_queue *lane, size_t i)
{
	return &lane->ring[i & (lane->room - 1)];
}

void lanes_open(struct host_thread *host)
{
	int least;
	host->lanes = mem_alloc(sizeof *host->lanes);
	if (host->cuda->cuCtxGetStreamPriorityRange(&least, &host->lanes->greatest) != CUDA_SUCCESS)
		host->lanes->greatest = 0; /* nothing hangs on it */
}

void host_event_free(struct host_thread *host, CUevent event)
{
	if (event)
		*MEM_ADD(&host->lanes->free, &host->lanes->free_count) = event;
}

static void put_back(struct host_thread *host, struct host_flight *flight)
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
		struct lane_queue *lane = lanes->all[i];
		for (; lane->first < lane->count; lane->first++)
			put_back(host, at(lane, lane->first));
		if (lane->lane.stream)
			host->cuda->cuStreamDestroy(lane->lane.stream);
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
		        : cuda_call(host->cuda, "cuStreamCreateWithPriority",
		                  host->cuda->cuStreamCreateWithPriority(&stream,
		                          order->blocking ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING,
		                          host_lane_priority(host, order)));
		if (status != ST_OK)
			return status;
		struct lane_queue *new = mem_alloc(sizeof *new);
		new->lane.stream = stream;
		new->lane.number = order->stream;
		lanes->by_number[order->stream] = lanes->all[lanes->count++] = new;
	}
	*lane = &lanes->by_number[order->stream]->lane;
	return ST_OK;
}

/* ---- an operation in flight */

enum status host_event_record(struct host_thread *host, CUstream stream, CUevent *event)
{
	struct host_lanes *lanes = host->lanes;
	enum status status = ST_OK;
	CUevent new = NULL;
	if (lanes->free_count)
		new = lanes->free[--lanes->free_count];
	else
		status = cuda_call(
		        host->cuda, "cuEventCreate", host->cuda->cuEventCreate(&new, CU_EVENT_DEFAULT));
	if (status == ST_OK)
		status = cuda_call(host->cuda, "cuEventRecord", host->cuda->cuEventRecord(new, stream));
	if (status == ST_OK)
		*event = new;
	else
		host_event_free(host, new);
	return status;
}

static void grow(struct lane_queue *lane)
{
	struct host_flight *ring = mem_alloc((lane->room ? 2 * lane->room : 16) * sizeof *ring);
	size_t room = lane->room ? 2 * lane->room : 16;
	for (size_t i = lane->first; i < lane->count; i++)
		ring[i & (room - 1)] = *at(lane, i);
	mem_free(lane->ring);
	lane->ring = ring;
	lane->room = room;
}

static struct host_flight *add(struct lane_queue *lane)
{
	if (lane->count - lane->first == lane->room)
		grow(lane);
	return at(lane, lane->count++);
}

void host_flight_add(struct host_lane *its, const struct host_flight *flight)
{
	*add(own(its)) = *flight;
}

enum status host_flight_begin(
        struct host_thread *host, struct host_lane *its, op_id id, int64_t issue, struct host_flight **flight)
{
	struct host_flight *new = add(own(its));
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

struct host_flight *host_flight_last(struct host_lane *its)
{
	struct lane_queue *lane = own(its);
	for (size_t i = lane->told; i < lane->count; i++)
		if (!at(lane, i)->given)
			return at(lane, i);
	return NULL;
}

const struct host_flight *host_flight_newest(const struct host_lane *its)
{
	const struct lane_queue *lane = (const struct lane_queue *)its;
	return lane->first < lane->count ? at(lane, lane->count - 1) : NULL;
}

void host_flight_fail(struct host_flight *flight, enum status status)
{
	if (flight->status != ST_OK)
		return;
	flight->status = status;
	flight->words = fail_copy();
}

static struct host_flight *find_in(const struct lane_queue *lane, op_id id)
{
	size_t low = lane->first, high = lane->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (at(lane, middle)->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < lane->count && at(lane, low)->id == id ? at(lane, low) : NULL;
}

const struct host_flight *host_flight_find(const struct host_thread *host, op_id id)
{
	struct host_flight *found = NULL;
	for (int i = 0; i < host->lanes->count && !found; i++)
		found = find_in(host->lanes->all[i], id);
	return found;
}

/* ---- what is over */

static enum status times_of(struct host_thread *host, const struct host_flight *flight, int64_t *start,
        int64_t *end, bool *divided)
{
	const struct anchors *anchors = &host->anchors;
	*divided = false;
	if (flight->graph)
		return graph_times(host, flight->graph, flight->place, start, end, divided);
	enum status status = anchors_time(anchors, flight->anchor, flight->before, start);
	*end = *start;
	if (status == ST_OK && flight->after != flight->before)
		status = anchors_time(anchors, flight->anchor, flight->after, end);
	return status;
}

/* What was done on the stream before has ended, as the events were, but for what clocks are apart. */
static void tell(struct host_thread *host, struct lane_queue *lane, struct host_flight *flight)
{
	int64_t start = 0, end = 0, cancelled;
	bool divided = false;
	if (flight->status == ST_OK && host->lost == ST_OK) {
		enum status status = times_of(host, flight, &start, &end, &divided);
		if (status != ST_OK)
			host_flight_fail(flight, status);
		else
			flight->end = end;
	}
	flight->undone |= host_cancelled(host, flight->id, &cancelled) || flight->status != ST_OK;
	start = most_of(most_of(start - flight->shift, flight->issue), lane->last_end);
	end = most_of(end - flight->shift, start);
	lane->last_end = end;
	/* issued is what the calls have returned of, or what its stream has let go meanwhile */
	int64_t took = flight->place ? 0 : flight->launch;
	int64_t issue = flight->played ? flight->issue : least_of(flight->issue + flight->launch, start);
	struct host_report report = {.status = flight->status,
	        .words = flight->words,
	        .measured = {.id = flight->id,
	                .issue = issue,
	                .ready = start,
	                .start = start,
	                .end = end,
	                .launch = flight->played ? flight->launch : least_of(took, issue - flight->issue),
	                .undone = flight->undone,
	                .divided = divided}};
	flight->words = NULL;
	host_tell(host, &report, end + flight->shift);
}

static void let_go(struct host_thread *host, struct host_flight *flight)
{
	int64_t ns;
	if (flight->hold && host_cancelled(host, flight->id, &ns)) {
		timer_let_go(host, flight->hold - 1, ns);
		flight->hold = 0;
		flight->undone = true;
	}
}

/* Is it over, by its last event? Where it has none, it failed. */
static bool is_over(struct host_thread *host, struct host_flight *flight)
{
	if (!flight->given)
		return false;
	if (host->lost != ST_OK || !flight->after)
		return true;
	let_go(host, flight);
	CUresult result = host->cuda->cuEventQuery(flight->after);
	if (result == CUDA_ERROR_NOT_READY)
		return false;
	enum status status = cuda_call(host->cuda, "cuEventQuery", result);
	if (status != ST_OK) {
		host_flight_fail(flight, status);
		lanes_check(host);
	}
	return true;
}

bool lanes_look(struct host_thread *host)
{
	struct host_lanes *lanes = host->lanes;
	bool any = false;
	int64_t now = host->cuda->host_now();
	for (int i = 0; i < lanes->count; i++) {
		struct lane_queue *lane = lanes->all[i];
		while (lane->told < lane->count && is_over(host, at(lane, lane->told))) {
			struct host_flight *flight = at(lane, lane->told++);
			if (host->lost != ST_OK && flight->status == ST_OK) {
				fail(host->lost, "%s", host->why);
				host_flight_fail(flight, host->lost);
			}
			tell(host, lane, flight);
		}
		while (lane->first < lane->told && at(lane, lane->first)->end <= now)
			put_back(host, at(lane, lane->first++));
		any |= lane->told < lane->count;
	}
	return any;
}

static void undo_part(struct host_lanes *lanes, int part)
{
	for (int i = 0; i < lanes->count; i++)
		for (size_t k = lanes->all[i]->told; k < lanes->all[i]->count; k++)
			at(lanes->all[i], k)->undone |= at(lanes->all[i], k)->part == part + 1;
}

void lanes_ask_exchange(struct host_thread *host)
{
	struct exchange *exchange = host->exchange;
	int part;
	enum status status;
	while (exchange && exchange->failure && host->lost == ST_OK &&
	        (status = exchange->failure(exchange, &part)) != ST_OK) {
		undo_part(host->lanes, part);
		host_tell_part(host, part, status);
	}
}

/* Sticky errors are told by every call from then on: of this event nothing else can be wrong. */
void lanes_check(struct host_thread *host)
{
	struct anchors *anchors = &host->anchors;
	if (host->lost != ST_OK || !anchors->count)
		return;
	CUresult result = host->cuda->cuEventQuery(anchors->event[anchors_newest(anchors) % ANCHORS]);
	if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY)
		return;
	host->lost = ST_GPU;
	host->why = fail_copy();
}

/* ---- waiting */

/* Told: then all that is waited for is behind the clock. */
static bool wait_is_over(struct host_thread *host, op_id target)
{
	struct host_lanes *lanes = host->lanes;
	for (int i = 0; i < lanes->count; i++) {
		struct lane_queue *lane = lanes->all[i];
		if (target == OP_EVERYTHING) {
			if (lane->told < lane->count)
				return false;
			continue;
		}
		struct host_flight *flight = find_in(lane, target);
		if (flight)
			return lane->told < lane->count ? flight->id < at(lane, lane->told)->id : true;
	}
	return true;
}

/* The virtual clock comes along; on a GPU it is over. */
static enum status reach_end(struct host_thread *host, const struct host_flight *flight)
{
	if (!flight || !flight->after || flight->status != ST_OK || host->lost != ST_OK)
		return ST_OK;
	return cuda_call(host->cuda, "cuEventSynchronize", host->cuda->cuEventSynchronize(flight->after));
}

enum status lanes_come_to(struct host_thread *host, const struct host_flight *flight)
{
	int64_t nap = 0;
	CUresult result;
	while ((result = host->cuda->cuEventQuery(flight->before)) == CUDA_ERROR_NOT_READY) {
		if (!host_serve(host))
			return fail(ST_INTERRUPTED, "the rank ends");
		host_nap(host, &nap);
		lanes_look(host);
	}
	return cuda_call(host->cuda, "cuEventQuery", result);
}

enum status lanes_wait(struct host_thread *host, op_id target, op_id its)
{
	struct host_lanes *lanes = host->lanes;
	int64_t nap = 0, ns;
	lanes_look(host);
	while (!wait_is_over(host, target)) {
		if (!host_serve(host) || host_cancelled(host, its, &ns))
			return ST_OK;
		host_nap(host, &nap);
		lanes_look(host);
	}
	if (target != OP_EVERYTHING)
		return reach_end(host, host_flight_find(host, target));
	enum status status = ST_OK;
	for (int i = 0; i < lanes->count; i++)
		if (lanes->all[i]->first < lanes->all[i]->count)
			status = first_failure(
			        status, reach_end(host, at(lanes->all[i], lanes->all[i]->count - 1)));
	return status;
}

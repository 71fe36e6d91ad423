/* lanes.c -- streams and their events
 *
 *      stream    | before 7 |  operation 7  | after 7 | before 8 | ...       CUDA tells when each event was
 *      lane        first                                 ... last            looked at from the front
 *
 * On the tests' stand-in an event may be over by the real clock and lie in the future of this thread's: then it counts as
 * over when the thread's clock has come there. */
#include "cuda/host/lanes.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "cuda/host/thread.h"

#include <string.h>

struct rank_lane {
	struct host_lane lane; /* first: a lane is one */
	struct queued_op *ops; /* [first .. count - 1] */
	size_t first, count, room;
	int64_t last_end;
};

struct lanes {
	struct rank_lane *lane[STREAMS_MAX + 1]; /* by number */
	CUevent *spare;
	size_t spare_count;
};

static struct rank_lane *rank_lane(struct host_lane *lane)
{
	return (struct rank_lane *)lane;
}

static int64_t now_of(const struct host_thread *host)
{
	return host->cuda->host_now() - host->shift;
}

/* ---- events */

static enum status event_take(struct host_thread *host, CUevent *event)
{
	struct lanes *lanes = host->lanes;
	if (lanes->spare_count) {
		*event = lanes->spare[--lanes->spare_count];
		return ST_OK;
	}
	*event = NULL;
	return cuda_call(host->cuda, "cuEventCreate", host->cuda->cuEventCreate(event, CU_EVENT_DEFAULT));
}

static void event_give(struct lanes *lanes, CUevent event)
{
	if (event)
		*MEM_ADD(&lanes->spare, &lanes->spare_count) = event;
}

static enum status record(struct host_thread *host, CUstream stream, CUevent *event)
{
	enum status status = event_take(host, event);
	if (status != ST_OK)
		return status;
	status = cuda_call(host->cuda, "cuEventRecord", host->cuda->cuEventRecord(*event, stream));
	if (status != ST_OK) {
		event_give(host->lanes, *event);
		*event = NULL;
	}
	return status;
}

/* ---- lanes */

enum status lanes_open(struct host_thread *host)
{
	host->lanes = mem_alloc(sizeof *host->lanes);
	return ST_OK;
}

void lanes_close(struct host_thread *host)
{
	struct lanes *lanes = host->lanes;
	if (!lanes)
		return;
	for (int i = 0; i <= STREAMS_MAX; i++) {
		struct rank_lane *lane = lanes->lane[i];
		for (size_t k = lane ? lane->first : 0; lane && k < lane->count; k++) {
			event_give(lanes, lane->ops[k].before);
			event_give(lanes, lane->ops[k].after);
			mem_free(lane->ops[k].words);
		}
		if (lane && lane->lane.stream)
			host->cuda->cuStreamDestroy(lane->lane.stream);
		if (lane)
			mem_free(lane->ops);
		mem_free(lane);
	}
	for (size_t i = 0; i < lanes->spare_count; i++)
		host->cuda->cuEventDestroy(lanes->spare[i]);
	mem_free(lanes->spare);
	mem_free(lanes);
	host->lanes = NULL;
}

/* The default stream is CUDA's own of that kind, NULL. */
static enum status stream_make(struct host_thread *host, const struct host_order *order, CUstream *stream)
{
	int least, greatest;
	*stream = NULL;
	if (order->stream == STREAM_DEFAULT)
		return ST_OK;
	enum status status = cuda_call(host->cuda, "cuCtxGetStreamPriorityRange",
	        host->cuda->cuCtxGetStreamPriorityRange(&least, &greatest));
	if (status != ST_OK)
		return status;
	return cuda_call(host->cuda, "cuStreamCreateWithPriority",
	        host->cuda->cuStreamCreateWithPriority(stream,
	                order->blocking ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING,
	                order->priority > 0 ? greatest : least));
}

enum status host_lane_of(struct host_thread *host, const struct host_order *order, struct host_lane **lane)
{
	struct rank_lane **place = &host->lanes->lane[order->stream];
	if (!*place) {
		CUstream stream;
		enum status status = stream_make(host, order, &stream);
		if (status != ST_OK)
			return status;
		*place = mem_alloc(sizeof **place);
		(*place)->lane = (struct host_lane){.stream = stream, .number = order->stream};
	}
	*lane = &(*place)->lane;
	return ST_OK;
}

/* ---- begin and end */

static struct queued_op *op_add(struct rank_lane *lane)
{
	if (lane->first > 64 && lane->first * 2 > lane->count) {
		lane->count -= lane->first;
		memmove(lane->ops, lane->ops + lane->first, lane->count * sizeof *lane->ops);
		lane->first = 0;
	}
	MEM_ROOM(&lane->ops, lane->count + 1, &lane->room);
	return &lane->ops[lane->count++];
}

enum status lanes_begin(struct host_thread *host, const struct host_order *order, struct host_lane **lane,
        struct queued_op **op)
{
	enum status status = host_lane_of(host, order, lane);
	if (status != ST_OK)
		return status;
	*op = op_add(rank_lane(*lane));
	**op = (struct queued_op){.id = order->id, .begun = now_of(host), .launch = -1};
	status = anchors_renew(&host->anchors);
	(*op)->anchor = anchors_newest(&host->anchors);
	if (status == ST_OK)
		status = memory_join(host, *lane);
	if (status == ST_OK)
		status = record(host, (*lane)->stream, &(*op)->before);
	return status;
}

static void fail_op(struct queued_op *op, enum status status)
{
	op->undone = true;
	if (op->status != ST_OK)
		return;
	op->status = status;
	op->words = words_copy(fail_text());
}

void lanes_end(struct host_thread *host, struct host_lane *lane, struct queued_op *op, enum status status)
{
	if (status != ST_OK)
		fail_op(op, status);
	status = record(host, lane->stream, &op->after);
	if (status != ST_OK)
		fail_op(op, status);
	op->issue = now_of(host);
}

/* ---- what is over */

/* An event on the session's clock */
static enum status time_of(struct host_thread *host, const struct queued_op *op, CUevent event, int64_t *time)
{
	*time = 0;
	if (!event)
		return ST_OK;
	enum status status = anchors_time(&host->anchors, op->anchor, event, time);
	*time -= host->shift;
	return status;
}

/* issue <= ready <= start <= end, and no end before the one before it, whatever clocks say */
static void report_op(
        struct host_thread *host, struct rank_lane *lane, struct queued_op *op, int64_t before, int64_t after)
{
	struct host_report report = {.status = op->status, .words = op->words};
	struct measured *m = &report.measured;
	m->id = op->id;
	m->issue = op->before ? most_of(op->begun, least_of(op->issue, before)) : op->begun;
	m->ready = most_of(most_of(before, m->issue), lane->last_end);
	m->start = m->ready;
	m->end = most_of(after, m->ready);
	m->launch = op->launch >= 0 ? op->launch : m->issue - op->begun;
	m->undone = op->undone;
	lane->last_end = m->end;
	host->last_end = most_of(host->last_end, m->end);
	event_give(host->lanes, op->before);
	if (op->after != op->before)
		event_give(host->lanes, op->after);
	thread_report(host, &report);
}

/* Is the first of the lane over? Its times, then. ST_GPU: the device is lost. */
static enum status look(struct host_thread *host, const struct queued_op *op, int64_t limit, bool *over,
        int64_t *before, int64_t *after)
{
	*over = false;
	if (op->issue == 0 && !op->after) /* of a `together` that is being given, or being issued */
		return ST_OK;
	CUresult result = op->after ? host->cuda->cuEventQuery(op->after) : CUDA_SUCCESS;
	if (result == CUDA_ERROR_NOT_READY)
		return ST_OK;
	enum status status = cuda_call(host->cuda, "cuEventQuery", result);
	if (status == ST_OK)
		status = time_of(host, op, op->before, before);
	if (status == ST_OK)
		status = time_of(host, op, op->after, after);
	*over = status == ST_OK && *after <= limit;
	return status;
}

bool lanes_harvest(struct host_thread *host, bool all)
{
	int64_t limit = all ? INT64_MAX : now_of(host), before, after;
	bool found = false, over = true;
	for (int i = 0; i <= STREAMS_MAX; i++) {
		struct rank_lane *lane = host->lanes->lane[i];
		for (over = true; lane && over && lane->first < lane->count && !host->lost; found |= over) {
			struct queued_op *op = &lane->ops[lane->first];
			enum status status = look(host, op, limit, &over, &before, &after);
			if (status != ST_OK)
				thread_lost(host, status);
			else if (over) {
				report_op(host, lane, op, before, after);
				lane->first++;
			}
		}
	}
	return found;
}

bool lanes_empty(const struct host_thread *host)
{
	for (int i = 0; i <= STREAMS_MAX; i++) {
		const struct rank_lane *lane = host->lanes->lane[i];
		if (lane && lane->first < lane->count)
			return false;
	}
	return true;
}

/* By id: ids grow along a lane. */
static struct queued_op *op_on(const struct rank_lane *lane, op_id id)
{
	size_t low = lane ? lane->first : 0, high = lane ? lane->count : 0, end = high;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (lane->ops[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return lane && low < end && lane->ops[low].id == id ? &lane->ops[low] : NULL;
}

static struct queued_op *queued_find(const struct host_thread *host, op_id id)
{
	struct queued_op *found = NULL;
	for (int i = 0; i <= STREAMS_MAX && !found; i++)
		found = op_on(host->lanes->lane[i], id);
	return found;
}

struct queued_op *lanes_at(struct host_lane *lane, op_id id)
{
	return op_on(rank_lane(lane), id);
}

CUevent lanes_event(struct host_thread *host, op_id id)
{
	struct queued_op *op = queued_find(host, id);
	return op ? op->after : NULL;
}

bool lanes_queued(const struct host_thread *host, op_id id)
{
	return queued_find(host, id) != NULL;
}

static bool catch_up(struct host_thread *host, const struct queued_op *op)
{
	if (!op || !op->after || host->cuda->cuEventQuery(op->after) != CUDA_SUCCESS)
		return false;
	host->cuda->cuEventSynchronize(op->after);
	return true;
}

void lanes_catch_up(struct host_thread *host, op_id id)
{
	if (id != OP_EVERYTHING) {
		catch_up(host, queued_find(host, id));
		return;
	}
	for (int i = 0; i <= STREAMS_MAX; i++) {
		const struct rank_lane *lane = host->lanes->lane[i];
		if (lane && lane->first < lane->count && catch_up(host, &lane->ops[lane->first]))
			return;
	}
}

void lanes_cancel(struct host_thread *host, op_id id)
{
	struct queued_op *op = queued_find(host, id);
	if (!op)
		return;
	op->undone = true;
	if (op->held)
		timer_let_go(host, op->hold);
	op->held = false;
}

void lanes_lose(struct host_thread *host)
{
	int64_t now = now_of(host);
	for (int i = 0; i <= STREAMS_MAX; i++) {
		struct rank_lane *lane = host->lanes->lane[i];
		for (; lane && lane->first < lane->count; lane->first++) {
			struct queued_op *op = &lane->ops[lane->first];
			fail_op(op, host->lost);
			report_op(host, lane, op, now, now);
		}
	}
}

/* run.c -- an order carried out: the learner's program, line by line
 *
 * Played launches. A host that is played issues its launches `launch_ns` apart, by a clock of its own (`due`) that goes on
 * from the last wait: what a call of CUDA takes beyond that is caught up by the next. */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "cuda/host/lanes.h"
#include "cuda/host/thread.h"

static int64_t now_of(const struct host_thread *host)
{
	return host->cuda->host_now() - host->shift;
}

static void sleep_until(struct host_thread *host, int64_t time)
{
	host->cuda->host_sleep_until(time + host->shift);
}

/* ---- waiting */

static bool is_over(const struct host_thread *host, op_id target)
{
	return target == 0 || host->lost ||
	        (target == OP_EVERYTHING ? lanes_empty(host) : !lanes_queued(host, target));
}

/* As a program waits in cudaStreamSynchronize; control is served meanwhile. */
static bool wait_for(struct host_thread *host, op_id target)
{
	bool goes_on = true, found = false;
	thread_calls(host, "cuEventSynchronize");
	lanes_harvest(host, false);
	while (!is_over(host, target) && (goes_on = thread_serve(host))) {
		lanes_catch_up(host, target);
		found = lanes_harvest(host, false);
		if (!is_over(host, target))
			thread_nap(host, found);
	}
	thread_calls(host, NULL);
	return goes_on;
}

/* ---- the host's own lane */

static void report_host(
        struct host_thread *host, const struct host_order *order, int64_t from, enum status status)
{
	struct host_report report = {.measured = {.id = order->id,
	                                     .issue = from,
	                                     .ready = from,
	                                     .start = from,
	                                     .end = most_of(from, now_of(host)),
	                                     .undone = status != ST_OK},
	        .status = status,
	        .words = status != ST_OK ? words_copy(fail_text()) : NULL};
	host->last_end = most_of(host->last_end, report.measured.end);
	thread_report(host, &report);
}

/* The segments that come with it are its time; it is over with the last of them. */
static void segment_over(struct host_thread *host)
{
	struct host_order *order = &host->segment;
	sleep_until(host, host->segment_from + order->least_ns);
	report_host(host, order, host->segment_from, host->segment_status);
	host->due = now_of(host);
	host->segment.id = 0;
}

static bool run_segment(struct host_thread *host, struct host_order *order)
{
	int64_t from = now_of(host);
	bool goes_on = wait_for(host, order->target);
	host->segment = *order;
	host->segment_from = from;
	host->segment_status = ST_OK;
	sleep_until(host, host->due);
	host->segment.least_ns += now_of(host) - from;
	if (!order->more)
		segment_over(host);
	return goes_on;
}

static void run_memory(struct host_thread *host, const struct host_order *order)
{
	enum status status = ST_OK;
	thread_calls(host, order->kind == ORDER_SEGMENT ? "cuMemAlloc" : "cuMemFree");
	if (order->kind == ORDER_SEGMENT_GONE)
		memory_drop(host, order->space, order->address);
	else if (!host->lost)
		status = memory_get(host, order->space, order->address, order->bytes);
	thread_calls(host, NULL);
	if (status != ST_OK && host->segment.id == 0)
		thread_lost(host, status); /* initial data has no operation that could tell of it */
	else if (status != ST_OK)
		host->segment_status = status;
	if (host->segment.id && !order->more)
		segment_over(host);
}

static bool run_host(struct host_thread *host, struct host_order *order)
{
	int64_t from = most_of(now_of(host), host->due);
	enum status status = ST_OK;
	bool goes_on = true;
	switch (order->record.kind) {
	case OP_SEGMENT:
		return run_segment(host, order);
	case OP_SYNC:
		goes_on = wait_for(host, order->target);
		break;
	case OP_FILL:
		if (order->record.kernel && !host->lost)
			status = compute_fill(host, order);
		report_host(host, order, now_of(host), status);
		return true;
	case OP_HOST:
		sleep_until(host, from + order->least_ns);
		break;
	default:
		host->crashed = true;
	}
	if (!goes_on)
		return false;
	sleep_until(host, from);
	report_host(host, order, from, status);
	host->due = now_of(host);
	return true;
}

/* ---- streams */

static enum status wait_event(
        struct host_thread *host, const struct host_order *order, struct host_lane *lane)
{
	CUevent event = order->target ? lanes_event(host, order->target) : NULL;
	if (!event)
		return ST_OK;
	return cuda_call(host->cuda, "cuStreamWaitEvent",
	        host->cuda->cuStreamWaitEvent(lane->stream, event, CU_EVENT_WAIT_DEFAULT));
}

static bool is_message(const struct host_order *order)
{
	enum op_kind kind = order->record.kind;
	return kind == OP_COLLECTIVE || kind == OP_P2P || kind == OP_ONE_SIDED;
}

static enum status compute(struct host_thread *host, const struct host_order *order, struct host_lane *lane)
{
	return order->record.kind == OP_COPY ? copy_queue(host, order, lane)
	                                     : compute_kernel(host, order, lane);
}

/* Messages play their time themselves, from where all have come. */
static enum status queue_played(
        struct host_thread *host, const struct host_order *order, struct host_lane *lane)
{
	uint32_t ticket;
	if (order->least_ns == 0)
		return compute(host, order, lane);
	enum status status = timer_begin(host, lane->stream, &ticket);
	if (status != ST_OK)
		return status;
	status = compute(host, order, lane);
	return first_failure(status, timer_end(host, lane->stream, ticket, order->least_ns));
}

static enum status queue_op(struct host_thread *host, const struct host_order *order, struct host_lane *lane,
        struct queued_op *op)
{
	if (order->undone)
		op->undone = true;
	else if (order->never) {
		op->held = true;
		return timer_hold(host, lane->stream, &op->hold);
	} else if (is_message(order))
		return message_queue(host, order, lane);
	else if (order->record.kind == OP_WAIT)
		return wait_event(host, order, lane);
	else if (order->record.kind != OP_RECORD)
		return queue_played(host, order, lane);
	return ST_OK;
}

/* Those of a `together` are queued with the last of them: their ends are recorded behind that. */
static void end_batch(struct host_thread *host, enum status status)
{
	struct batch_op *batch = host->together;
	size_t count = host->together_count;
	host->together = NULL;
	host->together_count = 0;
	for (size_t i = 0; i < count; i++)
		lanes_end(host, batch[i].lane, lanes_at(batch[i].lane, batch[i].id), status);
	mem_free(batch);
}

static void note(struct host_thread *host, const struct host_order *order, struct host_lane *lane)
{
	if (order->record.noted && order->record.kind != OP_COPY && !order->undone && !order->never)
		(void)copy_note(host, order, lane); /* what is not kept reads as not known */
}

static const char *call_of(const struct host_order *order)
{
	switch (order->record.kind) {
	case OP_COPY:
		return "cuMemcpyAsync";
	case OP_KERNEL:
		return "cuLaunchKernel";
	case OP_COLLECTIVE:
	case OP_P2P:
	case OP_ONE_SIDED:
		return "the launch of a message";
	default:
		return "cuEventRecord";
	}
}

static void run_device(struct host_thread *host, const struct host_order *order)
{
	struct host_lane *lane = NULL;
	struct queued_op *op = NULL;
	thread_calls(host, call_of(order));
	if (order->launch_ns > 0) {
		host->due += order->launch_ns;
		sleep_until(host, host->due);
	}
	enum status status = lanes_begin(host, order, &lane, &op);
	if (!op) {
		report_host(host, order, now_of(host), status);
		return;
	}
	if (order->launch_ns > 0 || order->flags & OPF_FREE_LAUNCH)
		op->launch = order->launch_ns;
	if (status == ST_OK)
		status = queue_op(host, order, lane, op);
	if (is_message(order) && (order->more || host->together_count))
		*MEM_ADD(&host->together, &host->together_count) = (struct batch_op){lane, order->id};
	if (!is_message(order) || !host->together_count)
		lanes_end(host, lane, op, status);
	else if (!order->more)
		end_batch(host, status);
	note(host, order, lane);
	thread_calls(host, NULL);
}

/* ---- orders */

static void run_clock(struct host_thread *host, const struct host_order *order)
{
	host->shift = order->shift;
	host->due = order->at;
	host->cuda->host_sleep_until(order->at + order->shift);
}

static void run_part(struct host_thread *host, const struct host_order *order)
{
	const struct host_meeting *meeting = order->meeting;
	thread_calls(host, "the making of a group");
	enum status status = host->lost ? ST_OK
	                                : host->exchange->open(host->exchange, meeting->part, meeting->n,
	                                          meeting->place, meeting->ranks);
	thread_calls(host, NULL);
	if (status != ST_OK)
		thread_lost(host, status);
}

static void run_lost(struct host_thread *host, const struct host_order *order)
{
	int64_t now = most_of(now_of(host), host->last_end);
	struct host_report report = {.measured = {.id = order->id,
	                                     .issue = now,
	                                     .ready = now,
	                                     .start = now,
	                                     .end = now,
	                                     .undone = true},
	        .status = host->lost,
	        .words = words_copy(host->why)};
	thread_report(host, &report);
}

bool run_order(struct host_thread *host, struct host_order *order)
{
	bool goes_on = true;
	if (host->crashed)
		;
	else if (order->kind == ORDER_CLOCK)
		run_clock(host, order);
	else if (order->kind == ORDER_PART)
		run_part(host, order);
	else if (order->kind != ORDER_OPERATION)
		run_memory(host, order);
	else if (host->lost)
		run_lost(host, order);
	else if (op_kind_is_host(order->record.kind))
		goes_on = run_host(host, order);
	else
		run_device(host, order);
	mem_free(order->meeting);
	return goes_on;
}

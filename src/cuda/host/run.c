/* run.c -- an order: its launch, what it queues or waits for, the host's time
 *
 *      host:    | launch (played) | issue: calls ......... |  next launch
 *      stream:                              event | work, time at least | event
 *
 * A played launch begins where the one before it was due to end, however long CUDA's calls took meanwhile. */
#include "cuda/host/graph.h"
#include "cuda/host/order.h"
#include "base/arithmetic.h"
#include "base/memory.h"

#include <string.h>

/* A part that the rank belongs to, and the last turn that it waits for there. lost: an operation failed there. Others would take
 * the next one for it, so nothing more is queued until all have let go, and it is opened again. */
struct part_seen {
	int part;
	uint32_t turn;
	bool lost;
	op_id last; /* collective of it that was queued, and on which stream */
	int stream;
};

struct run {
	bool retained, crashed;
	/* a segment's operation whose segments come behind it */
	bool segment_open;
	struct host_report segment;
	int64_t least_ns;
	/* what went wrong where no operation was: it is told of the next one */
	enum status failed;
	char *words;
	/* lanes of a `together` that is being given */
	struct host_lane **together;
	size_t together_count;
	/* orders of a graph's launch, of which more come */
	struct host_order *graph;
	size_t graph_count;
	struct part_seen *parts;
	size_t part_count;
};

/* ---- begin and end */

static enum status take_context(const struct host_setup *setup, struct host_thread *host, struct run *run)
{
	const struct cuda_library *cuda = host->cuda;
	enum status status = cuda_call(cuda, "cuDeviceGet", cuda->cuDeviceGet(&host->device, setup->ordinal));
	if (status == ST_OK)
		status = cuda_call(cuda, "cuDevicePrimaryCtxRetain",
		        cuda->cuDevicePrimaryCtxRetain(&host->context, host->device));
	if (status != ST_OK)
		return status;
	run->retained = true;
	return cuda_call(cuda, "cuCtxSetCurrent", cuda->cuCtxSetCurrent(host->context));
}

enum status run_open(const struct host_setup *setup, struct host_thread *host, struct run **run)
{
	*run = mem_alloc(sizeof **run);
	host_enters(host, "cuDevicePrimaryCtxRetain");
	enum status status = take_context(setup, host, *run);
	if (status == ST_OK)
		status = anchors_open(&host->anchors, host->cuda);
	if (status == ST_OK)
		status = timer_open(host);
	if (status == ST_OK)
		lanes_open(host);
	host_enters(host, "cuModuleLoadDataEx");
	if (status == ST_OK)
		status = memory_open(host);
	if (status == ST_OK)
		status = compute_open(host);
	if (status == ST_OK && setup->exchange)
		status = setup->exchange(setup->self, &host->exchange);
	host_enters(host, NULL);
	return status;
}

static struct part_seen *part_of(struct run *run, int part)
{
	for (size_t i = 0; i < run->part_count; i++)
		if (run->parts[i].part == part)
			return &run->parts[i];
	struct part_seen *new = MEM_ADD(&run->parts, &run->part_count);
	*new = (struct part_seen){.part = part};
	return new;
}

/* Of a `together` all begins with its last member, and ends are looked for behind that. status: whether it did */
static void end_together(struct host_thread *host, struct run *run, enum status status)
{
	for (size_t i = 0; i < run->together_count; i++) {
		struct host_flight *flight;
		while ((flight = host_flight_last(run->together[i])) != NULL) {
			if (status != ST_OK)
				host_flight_fail(flight, status);
			enum status ended = host_flight_end(host, run->together[i], flight, false);
			if (ended != ST_OK)
				host_flight_fail(flight, ended);
			part_of(run, flight->part - 1)->lost |= flight->status != ST_OK;
		}
	}
	run->together_count = 0;
}

/* All that waits for others goes on, and all that lasts a time is over: then streams run dry. */
static bool drain(struct host_thread *host, struct run *run)
{
	int64_t nap = 0, left = INT64_C(5000000000);
	end_together(host, run, message_end(host));
	for (size_t i = 0; host->exchange && i < run->part_count; i++)
		host->exchange->release(host->exchange, run->parts[i].part, run->parts[i].turn);
	timer_finish(host);
	while (host->lanes && lanes_look(host) && left > 0) {
		host_nap(host, &nap);
		left -= nap;
	}
	return left > 0;
}

static void order_release(struct host_order *orders, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		mem_free(orders[i].meeting);
		mem_free(orders[i].arrays);
	}
}

bool run_close(struct host_thread *host, struct run *run)
{
	if (host->lost == ST_OK && !drain(host, run))
		return false;
	kept_close(host);
	compute_close(host);
	memory_close(host);
	if (host->exchange)
		host->exchange->close(host->exchange);
	lanes_close(host);
	graphs_close(host);
	timer_close(host);
	anchors_close(&host->anchors);
	if (run->retained)
		host->cuda->cuDevicePrimaryCtxRelease(host->device);
	if (run->segment_open)
		mem_free(run->segment.words);
	mem_free(host->why);
	mem_free(run->words);
	order_release(run->graph, run->graph_count);
	mem_free(run->graph);
	mem_free(run->together);
	mem_free(run->parts);
	mem_free(run);
	return true;
}

/* ---- time */

static int64_t now_of(const struct host_thread *host)
{
	return host->cuda->host_now() - host->shift;
}

static void launch(struct host_thread *host, const struct host_order *order, int64_t given)
{
	if (order->flags & OPF_FREE_LAUNCH)
		return;
	host->due = most_of(host->due, given - host->shift) + order->launch_ns;
	if (order->launch_ns > 0)
		host_rest_until(host, host->due + host->shift);
}

static int64_t launch_took(const struct host_thread *host, const struct host_order *order, int64_t issue)
{
	if (order->flags & OPF_FREE_LAUNCH)
		return 0;
	return order->launch_ns > 0 ? order->launch_ns : now_of(host) - issue;
}

static void set_clock(struct host_thread *host, const struct host_order *order)
{
	host->shift = order->shift;
	host_rest_until(host, order->at + order->shift);
	host->due = now_of(host);
}

/* ---- failures */

static void keep_words(struct host_report *report, enum status status)
{
	if (status == ST_OK || report->status != ST_OK)
		return;
	report->status = status;
	report->words = mem_copy_text(fail_text(), strlen(fail_text()));
	report->measured.undone = 1;
}

/* What nobody can be told of yet */
static void keep_failure(struct host_thread *host, struct run *run, enum status status)
{
	if (status == ST_OK)
		return;
	if (run->segment_open)
		keep_words(&run->segment, status);
	else if (run->failed == ST_OK) {
		run->failed = status;
		run->words = mem_copy_text(fail_text(), strlen(fail_text()));
	}
	lanes_check(host);
}

/* Does something keep this operation from being done at all? */
static enum status kept_from(struct host_thread *host, struct run *run)
{
	if (host->lost != ST_OK)
		return fail(host->lost, "%s", host->why);
	if (run->failed == ST_OK)
		return ST_OK;
	enum status status = fail(run->failed, "%s", run->words);
	mem_free(run->words);
	run->words = NULL;
	run->failed = ST_OK;
	return status;
}

/* ---- on the host's own lane */

static void tell(struct host_thread *host, struct host_report *report, int64_t end)
{
	report->measured.end = most_of(end, report->measured.start);
	host_tell(host, report, report->measured.end + host->shift);
}

static void finish_segment(struct host_thread *host, struct run *run)
{
	run->segment_open = false;
	host_rest_until(host, run->segment.measured.start + run->least_ns + host->shift);
	host->due = now_of(host);
	tell(host, &run->segment, host->due);
}

static void compute_on_host(struct host_thread *host, const struct host_order *order, int64_t issue)
{
	int64_t ns = most_of(order->record.duration_ns, order->least_ns);
	host_rest_until(host, issue + ns + host->shift);
}

static void run_on_host(
        struct host_thread *host, struct run *run, const struct host_order *order, int64_t issue)
{
	int64_t cancelled;
	struct host_report report = {.measured = {.id = order->id,
	                                     .issue = issue,
	                                     .ready = issue,
	                                     .start = issue,
	                                     .undone = order->undone}};
	enum status status = kept_from(host, run);
	bool does = status == ST_OK && !order->undone;
	if (does && (order->record.kind == OP_SYNC || order->record.kind == OP_SEGMENT))
		status = lanes_wait(host, order->target, order->id);
	else if (does && order->record.kind == OP_HOST)
		compute_on_host(host, order, issue);
	else if (does && order->record.kind == OP_FILL && order->record.kernel)
		status = compute_fill(host, order);
	keep_words(&report, status);
	report.measured.undone |= host_cancelled(host, order->id, &cancelled);
	if (status != ST_OK)
		lanes_check(host);
	run->crashed |= order->record.kind == OP_CRASH;
	if (order->record.kind == OP_SEGMENT) {
		run->segment = report;
		run->segment_open = true;
		run->least_ns = does ? order->least_ns : 0;
		if (!order->more)
			finish_segment(host, run);
		return;
	}
	if (order->record.kind != OP_FILL && order->record.kind != OP_CRASH)
		host->due = now_of(host);
	tell(host, &report, order->record.kind == OP_FILL ? issue : now_of(host));
}

/* ---- on a stream */

static enum status wait_for(struct host_thread *host, const struct host_order *order, struct host_lane *lane)
{
	const struct host_flight *target = order->target ? host_flight_find(host, order->target) : NULL;
	if (!target || !target->after)
		return ST_OK;
	return cuda_call(host->cuda, "cuStreamWaitEvent",
	        host->cuda->cuStreamWaitEvent(lane->stream, target->after, CU_EVENT_WAIT_DEFAULT));
}

/* A kernel, copy or wait */
static enum status queue_timed(
        struct host_thread *host, const struct host_order *order, struct host_lane *lane)
{
	uint32_t ticket;
	enum status status = ST_OK;
	bool timed = order->least_ns > 0;
	if (timed)
		status = timer_begin(host, lane->stream, &ticket);
	if (status != ST_OK)
		return status;
	if (order->record.kind == OP_COPY)
		status = copy_queue(host, order, lane);
	else if (order->record.kind == OP_WAIT)
		status = wait_for(host, order, lane);
	else
		status = compute_kernel(host, order, lane);
	return timed ? first_failure(status, timer_end(host, lane->stream, ticket, order->least_ns)) : status;
}

static const char *call_of(const struct record *record)
{
	switch (record->kind) {
	case OP_KERNEL:
		return "cuLaunchKernel";
	case OP_COPY:
		return "cuMemcpyAsync";
	case OP_WAIT:
		return "cuStreamWaitEvent";
	case OP_RECORD:
		return "cuEventRecord";
	default:
		return record->collective ? record->collective->name : "a transfer";
	}
}

static bool meets(const struct host_order *order)
{
	return order->meeting != NULL;
}

/* Collectives of a part run one at a time, on whatever streams. What is played goes on when their exchange is over. */
static enum status await_turn(struct host_thread *host, struct run *run, const struct host_order *order,
        const struct host_lane *lane)
{
	if (order->record.kind != OP_COLLECTIVE)
		return ST_OK;
	struct part_seen *part = part_of(run, order->meeting->part);
	const struct host_flight *before = part->last ? host_flight_find(host, part->last) : NULL;
	bool same = part->stream == lane->number;
	part->last = order->id;
	part->stream = lane->number;
	if (same || !before || !before->given || !before->after)
		return ST_OK;
	return cuda_call(host->cuda, "cuStreamWaitEvent",
	        host->cuda->cuStreamWaitEvent(lane->stream, before->after, 0));
}

static enum status queue(struct host_thread *host, struct run *run, const struct host_order *order,
        struct host_lane *lane, struct host_flight *flight)
{
	if (order->undone || order->record.kind == OP_RECORD)
		return ST_OK;
	if (order->never) {
		uint32_t ticket;
		enum status status = timer_hold(host, lane->stream, &ticket);
		flight->hold = status == ST_OK ? ticket + 1 : 0;
		return status;
	}
	if (!meets(order))
		return queue_timed(host, order, lane);
	if (part_of(run, order->meeting->part)->lost) {
		flight->undone = true;
		return ST_OK;
	}
	enum status status = await_turn(host, run, order, lane);
	if (status == ST_OK)
		status = message_queue(host, order, lane);
	part_of(run, order->meeting->part)->lost = status != ST_OK;
	return status;
}

/* What an operation wrote and somebody will ask for is kept behind its end. */
static enum status note(struct host_thread *host, const struct host_order *order, struct host_lane *lane)
{
	bool brings = order->record.kind == OP_COPY && order->record.operands == 1;
	return order->record.noted && !brings && !order->undone && !order->never
	        ? copy_note(host, order, lane)
	        : ST_OK;
}

/* It never came to a stream. */
static void tell_failed(struct host_thread *host, struct run *run, const struct host_order *order,
        int64_t issue, enum status status)
{
	struct host_report report = {
	        .measured = {.id = order->id, .issue = issue, .ready = issue, .start = issue}};
	keep_words(&report, status);
	if (meets(order))
		part_of(run, order->meeting->part)->lost = true;
	lanes_check(host);
	tell(host, &report, issue);
}

static void run_on_stream(
        struct host_thread *host, struct run *run, const struct host_order *order, int64_t issue)
{
	struct host_lane *lane;
	struct host_flight *flight;
	int64_t cancelled;
	bool moment = order->record.kind == OP_RECORD || order->undone;
	enum status status = first_failure(kept_from(host, run), host_lane_of(host, order, &lane));
	if (status != ST_OK) {
		tell_failed(host, run, order, issue, status);
		return;
	}
	status = memory_join(host, lane);
	status = first_failure(status, host_flight_begin(host, lane, order->id, issue, &flight));
	flight->undone = order->undone || host_cancelled(host, order->id, &cancelled);
	flight->part = meets(order) ? order->meeting->part + 1 : 0;
	if (status == ST_OK && !host_cancelled(host, order->id, &cancelled))
		status = queue(host, run, order, lane, flight);
	if (status != ST_OK)
		host_flight_fail(flight, status);
	flight->launch = launch_took(host, order, issue);
	flight->played = order->launch_ns > 0;
	if (meets(order))
		*MEM_ADD(&run->together, &run->together_count) = lane;
	if (meets(order) && order->more)
		return;
	if (meets(order)) {
		status = first_failure(status, message_end(host));
		end_together(host, run, status);
	} else {
		status = first_failure(status, host_flight_end(host, lane, flight, moment));
		flight->launch =
		        launch_took(host, order, issue); /* what measures it counts: the host is at it */
	}
	status = first_failure(status, note(host, order, lane));
	if (status != ST_OK) {
		host_flight_fail(flight, status);
		lanes_check(host);
	}
}

/* ---- orders */

static void saw_turn(struct run *run, const struct host_meeting *meeting)
{
	struct part_seen *part = part_of(run, meeting->part);
	part->turn = meeting->turn > part->turn ? meeting->turn : part->turn;
}

static void run_operation(
        struct host_thread *host, struct run *run, const struct host_order *order, int64_t given)
{
	if (run->crashed)
		return;
	launch(host, order, given);
	int64_t issue = now_of(host);
	host_enters(host, order->record.kind == OP_SYNC ? NULL : call_of(&order->record));
	if (op_kind_is_host(order->record.kind))
		run_on_host(host, run, order, issue);
	else
		run_on_stream(host, run, order, issue);
	host_enters(host, NULL);
}

/* As a CUDA graph, or else as single launches */
static void run_graph(struct host_thread *host, struct run *run, int64_t given)
{
	int64_t issue = now_of(host);
	host_enters(host, "cuGraphLaunch");
	bool able = !run->crashed && run->failed == ST_OK && host->lost == ST_OK;
	bool done = able && graph_order(host, run->graph, (int)run->graph_count, issue);
	host_enters(host, NULL);
	if (done)
		launch(host, &run->graph[0], given);
	for (size_t i = 0; i < run->graph_count && !done; i++)
		run_operation(host, run, &run->graph[i], given);
	order_release(run->graph, run->graph_count);
	run->graph_count = 0;
}

static enum status run_segment(struct host_thread *host, const struct host_order *order)
{
	host_enters(host, "cuMemAlloc");
	enum status status = ST_OK;
	if (host->lost != ST_OK)
		return ST_OK;
	if (order->kind == ORDER_SEGMENT)
		status = memory_get(host, order->space, order->address, order->bytes);
	else
		memory_drop(host, order->space, order->address);
	host_enters(host, NULL);
	return status;
}

static void run_part(struct host_thread *host, struct run *run, const struct host_meeting *meeting)
{
	saw_turn(run, meeting);
	if (!host->exchange || host->lost != ST_OK)
		return;
	part_of(run, meeting->part)->lost = false;
	host_enters(host, "a group's making");
	enum status status = host->exchange->open(
	        host->exchange, meeting->part, meeting->n, meeting->place, meeting->ranks);
	host_enters(host, NULL);
	if (status == ST_OK)
		return;
	host_tell_part(host, meeting->part, status);
	lanes_check(host);
}

void run_order(struct host_thread *host, struct run *run, struct host_order *order, int64_t given)
{
	if (order->meeting && order->kind == ORDER_OPERATION)
		saw_turn(run, order->meeting);
	if (order->kind == ORDER_OPERATION && order->graph) {
		*MEM_ADD(&run->graph, &run->graph_count) = *order;
		if (!order->graph_more)
			run_graph(host, run, given);
		return;
	}
	switch ((enum host_order_kind)order->kind) {
	case ORDER_OPERATION:
		run_operation(host, run, order, given);
		break;
	case ORDER_CLOCK:
		set_clock(host, order);
		break;
	case ORDER_SEGMENT:
	case ORDER_SEGMENT_GONE:
		keep_failure(host, run, run_segment(host, order));
		if (run->segment_open && !order->more)
			finish_segment(host, run);
		break;
	case ORDER_PART:
		run_part(host, run, order->meeting);
		break;
	}
	order_release(order, 1);
}

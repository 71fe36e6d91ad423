/* run.c -- executes an order: launch, queueing or waiting, host time. A played launch begins when
 * the one before it was due to end, however long CUDA's calls took. */
#include "cuda/host/run.h"
#include "cuda/host/order.h"
#include "base/arithmetic.h"
#include "base/memory.h"

static enum status context_retain(const struct host_setup *setup, struct host_thread *host, struct run *run)
{
	const struct cuda_library *cuda = host->cuda;
	enum status status = CUDA_CALL(cuda, cuDeviceGet, &host->device, setup->ordinal);
	if (status == ST_OK)
		status = CUDA_CALL(cuda, cuDevicePrimaryCtxRetain, &host->context, host->device);
	if (status != ST_OK)
		return status;
	run->retained = true;
	return CUDA_CALL(cuda, cuCtxSetCurrent, host->context);
}

enum status run_open(const struct host_setup *setup, struct host_thread *host, struct run **run)
{
	*run = mem_alloc(sizeof **run);
	host_enters(host, "cuDevicePrimaryCtxRetain");
	enum status status = context_retain(setup, host, *run);
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

/* Releases everything that waits for peers or time, and waits until the streams are empty. */
static bool streams_drain(struct host_thread *host, struct run *run)
{
	int64_t nap = 0, left = INT64_C(5000000000);
	run_end_together(host, run, message_end(host));
	for (size_t i = 0; host->exchange && i < run->part_count; i++)
		host->exchange->release(host->exchange, run->parts[i].part, run->parts[i].seq);
	timer_finish(host);
	while (host->lanes && lanes_look(host) && left > 0) {
		host_nap(host, &nap);
		left -= nap;
	}
	return left > 0;
}

static void release_graph(struct run *run)
{
	for (size_t i = 0; i < run->graph_count; i++)
		host_order_release(&run->graph[i]);
	run->graph_count = 0;
}

bool run_close(struct host_thread *host, struct run *run)
{
	if (host->stuck || (host->lost == ST_OK && !streams_drain(host, run)))
		return false;
	values_close(host);
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
	release_graph(run);
	mem_free(run->graph);
	mem_free(run->together);
	mem_free(run->parts);
	mem_free(run);
	return true;
}

int64_t run_now_of(const struct host_thread *host)
{
	return host->cuda->host_now() - host->shift;
}

static void launch_wait(struct host_thread *host, const struct host_order *order, int64_t given)
{
	if (order->flags & OPF_FREE_LAUNCH)
		return;
	host->due = most_of(host->due, given - host->shift) + order->launch_ns;
	if (order->launch_ns > 0)
		host_rest_until(host, host->due + host->shift);
}

int64_t run_launch_took(const struct host_thread *host, const struct host_order *order, int64_t issue)
{
	if (order->flags & OPF_FREE_LAUNCH)
		return 0;
	return order->launch_ns > 0 ? order->launch_ns : run_now_of(host) - issue;
}

void run_keep_words(struct host_report *report, enum status status)
{
	if (status == ST_OK || report->status != ST_OK)
		return;
	report->status = status;
	report->words = fail_copy();
	report->measured.undone = 1;
}

static void keep_failure(struct host_thread *host, struct run *run, enum status status)
{
	if (status == ST_OK)
		return;
	if (run->segment_open)
		run_keep_words(&run->segment, status);
	else if (run->failed == ST_OK) {
		run->failed = status;
		run->words = fail_copy();
	}
	lanes_check(host);
}

enum status run_kept_from(struct host_thread *host, struct run *run)
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

void run_tell(struct host_thread *host, struct host_report *report, int64_t end)
{
	report->measured.end = most_of(end, report->measured.start);
	host_tell(host, report, report->measured.end + host->shift);
}

static void finish_segment(struct host_thread *host, struct run *run)
{
	run->segment_open = false;
	host_rest_until(host, run->segment.measured.start + run->least_ns + host->shift);
	host->due = run_now_of(host);
	run_tell(host, &run->segment, host->due);
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
	enum status status = run_kept_from(host, run);
	bool does = status == ST_OK && !order->undone;
	if (does && (order->record.kind == OP_SYNC || order->record.kind == OP_SEGMENT))
		status = lanes_wait(host, order->target, order->id);
	else if (does && order->record.kind == OP_HOST)
		host_rest_until(
		        host, issue + most_of(order->record.duration_ns, order->least_ns) + host->shift);
	else if (does && order->record.kind == OP_FILL && order->record.kernel)
		status = compute_fill(host, order);
	if (status == ST_OK && order->record.kind == OP_SYNC && order->record.noted)
		status = read_keep(host, order);
	run_keep_words(&report, status);
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
		host->due = run_now_of(host);
	run_tell(host, &report, order->record.kind == OP_FILL ? issue : run_now_of(host));
}

static void saw_seq(struct run *run, const struct host_match *match)
{
	struct part_seen *part = run_part_of(run, match->part);
	part->seq = match->seq > part->seq ? match->seq : part->seq;
}

static void run_operation(
        struct host_thread *host, struct run *run, const struct host_order *order, int64_t given)
{
	if (run->crashed)
		return;
	launch_wait(host, order, given);
	int64_t issue = run_now_of(host);
	host_enters(host, order->record.kind == OP_SYNC ? NULL : run_call_of(&order->record));
	if (op_kind_is_host(order->record.kind))
		run_on_host(host, run, order, issue);
	else
		run_on_stream(host, run, order, issue);
	host_enters(host, NULL);
}

/* Runs the launch as a CUDA graph if possible, else as single launches. */
static void run_graph(struct host_thread *host, struct run *run, int64_t given)
{
	int64_t issue = run_now_of(host);
	host_enters(host, "cuGraphLaunch");
	bool able = !run->crashed && run->failed == ST_OK && host->lost == ST_OK;
	bool done = able && graph_order(host, run->graph, (int)run->graph_count, issue);
	host_enters(host, NULL);
	if (done)
		launch_wait(host, &run->graph[0], given);
	for (size_t i = 0; i < run->graph_count && !done; i++)
		run_operation(host, run, &run->graph[i], given);
	release_graph(run);
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

static void run_part(struct host_thread *host, struct run *run, const struct host_match *match)
{
	saw_seq(run, match);
	if (!host->exchange || host->lost != ST_OK)
		return;
	run_part_of(run, match->part)->lost = false;
	host_enters(host, "a group's making");
	enum status status =
	        host->exchange->open(host->exchange, match->part, match->n, match->place, match->ranks);
	host_enters(host, NULL);
	if (status == ST_OK)
		return;
	if (status == ST_LIMIT) {
		host->stuck = true;
		host->lost = ST_GPU;
		host->why = fail_copy();
	}
	host_tell_part(host, match->part, ST_GPU);
	lanes_check(host);
}

void run_order(struct host_thread *host, struct run *run, struct host_order *order, int64_t given)
{
	if (order->match && order->kind == ORDER_OPERATION)
		saw_seq(run, order->match);
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
		host->shift = order->shift;
		host_rest_until(host, order->at + order->shift);
		host->due = run_now_of(host);
		break;
	case ORDER_SEGMENT:
	case ORDER_SEGMENT_GONE:
		keep_failure(host, run, run_segment(host, order));
		if (run->segment_open && !order->more)
			finish_segment(host, run);
		break;
	case ORDER_PART:
		run_part(host, run, order->match);
		break;
	}
	host_order_release(order);
}

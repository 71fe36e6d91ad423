/* on_stream.c -- an operation of a stream: what it queues between its two events, alone or in a
 * `together` */
#include "cuda/host/run.h"
#include "cuda/host/order.h"
#include "base/memory.h"
#include "world/world.h"

/* A copy of pageable memory blocks this thread inside CUDA, so this waits for the stream's earlier
 * work first; meanwhile the thread reports and can be stopped. */
static enum status queue_copy(
        struct host_thread *host, const struct host_order *order, struct host_lane *lane)
{
	const struct operand *from = record_source(&order->record), *to = record_target(&order->record);
	bool keeps = to &&
	        ((from->space == SPACE_DEVICE && to->space == SPACE_HOST) ||
	                (from->space == SPACE_HOST && to->space == SPACE_DEVICE));
	enum status status = keeps ? lanes_come_to(host, host_flight_last(lane)) : ST_OK;
	return status == ST_OK ? copy_queue(host, order, lane) : status;
}

static enum status queue_timed(
        struct host_thread *host, const struct host_order *order, struct host_lane *lane)
{
	const struct host_flight *target = NULL;
	struct timer_slot *slot;
	enum status status = ST_OK;
	bool timed = order->least_ns > 0;
	if (timed)
		status = timer_begin(host, lane->stream, &slot);
	if (status != ST_OK)
		return status;
	if (order->record.kind == OP_WAIT && order->target)
		target = host_flight_find(host, order->target);
	if (order->record.kind == OP_COPY)
		status = queue_copy(host, order, lane);
	else if (order->record.kind != OP_WAIT)
		status = compute_kernel(host, order, lane);
	else if (target && target->after)
		status = CUDA_CALL(host->cuda, cuStreamWaitEvent, lane->stream, target->after, 0);
	return timed ? first_failure(status, timer_end(host, lane->stream, slot, order->least_ns)) : status;
}

const char *run_call_of(const struct record *record)
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

struct part_seen *run_part_of(struct run *run, int part)
{
	for (size_t i = 0; i < run->part_count; i++)
		if (run->parts[i].part == part)
			return &run->parts[i];
	struct part_seen *new = MEM_ADD(&run->parts, &run->part_count);
	*new = (struct part_seen){.part = part};
	return new;
}

/* Makes the stream wait for the part's previous collective: those of a part run one at a time, on
 * any streams. */
static enum status wait_for_previous(struct host_thread *host, struct run *run,
        const struct host_order *order, const struct host_lane *lane)
{
	if (order->record.kind != OP_COLLECTIVE)
		return ST_OK;
	struct part_seen *part = run_part_of(run, order->match->part);
	const struct host_flight *before = part->last ? host_flight_find(host, part->last) : NULL;
	bool same = part->stream == lane->number;
	part->last = order->id;
	part->stream = lane->number;
	if (same || !before || !before->given || !before->after)
		return ST_OK;
	return CUDA_CALL(host->cuda, cuStreamWaitEvent, lane->stream, before->after, 0);
}

static enum status queue_operation(struct host_thread *host, struct run *run, const struct host_order *order,
        struct host_lane *lane, struct host_flight *flight)
{
	if (order->undone || order->record.kind == OP_RECORD)
		return ST_OK;
	if (order->never)
		return timer_hold(host, lane->stream, &flight->hold);
	if (!order->match)
		return queue_timed(host, order, lane);
	if (run_part_of(run, order->match->part)->lost) {
		flight->undone = true;
		return ST_OK;
	}
	enum status status = wait_for_previous(host, run, order, lane);
	if (status == ST_OK)
		status = message_queue(host, order, lane);
	run_part_of(run, order->match->part)->lost = status != ST_OK;
	return status;
}

void run_on_stream(struct host_thread *host, struct run *run, const struct host_order *order, int64_t issue)
{
	struct host_lane *lane;
	struct host_flight *flight;
	int64_t cancelled;
	bool moment = order->record.kind == OP_RECORD || order->undone;
	enum status status = first_failure(run_kept_from(host, run), host_lane_of(host, order, &lane));
	if (status != ST_OK) {
		struct host_report report = {
		        .measured = {.id = order->id, .issue = issue, .ready = issue, .start = issue}};
		run_keep_words(&report, status);
		if (order->match)
			run_part_of(run, order->match->part)->lost = true;
		lanes_check(host);
		run_tell(host, &report, issue);
		return;
	}
	status = memory_join(host, lane);
	status = first_failure(status, host_flight_begin(host, lane, order->id, issue, &flight));
	flight->undone = order->undone || host_cancelled(host, order->id, &cancelled);
	flight->part = order->match ? order->match->part + 1 : 0;
	if (status == ST_OK && !host_cancelled(host, order->id, &cancelled))
		status = queue_operation(host, run, order, lane, flight);
	if (status != ST_OK)
		host_flight_fail(flight, status);
	flight->launch = run_launch_took(host, order, issue);
	flight->played = order->launch_ns > 0;
	if (order->match)
		*MEM_ADD(&run->together, &run->together_count) = lane;
	if (order->match && order->more)
		return;
	if (order->match) {
		status = first_failure(status, message_end(host));
		run_end_together(host, run, status);
	} else {
		status = first_failure(status, host_flight_end(host, lane, flight, moment));
		/* a blocking copy counts as launch time: the host was busy */
		flight->launch = run_launch_took(host, order, issue);
	}
	bool brings = order->record.kind == OP_COPY && order->record.operands == 1;
	if (order->record.noted && !brings && !order->undone && !order->never)
		status = first_failure(status, copy_note(host, order, lane));
	if (status != ST_OK) {
		host_flight_fail(flight, status);
		lanes_check(host);
	}
}

/* All members of a `together` begin with the last one, so their ends are recorded after it. */
void run_end_together(struct host_thread *host, struct run *run, enum status status)
{
	for (size_t i = 0; i < run->together_count; i++) {
		struct host_flight *flight;
		while ((flight = host_flight_last(run->together[i])) != NULL) {
			if (status != ST_OK)
				host_flight_fail(flight, status);
			enum status ended = host_flight_end(host, run->together[i], flight, false);
			if (ended != ST_OK)
				host_flight_fail(flight, ended);
			run_part_of(run, flight->part - 1)->lost |= flight->status != ST_OK;
		}
	}
	run->together_count = 0;
}

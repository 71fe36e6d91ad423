/* completion.c -- completed operations and their times, asynchronous errors, waits */
#include "cuda/host/graph.h"
#include "cuda/host/order.h"
#include "base/arithmetic.h"

static enum status flight_times(struct host_thread *host, const struct host_flight *flight, int64_t *start,
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

/* Because clocks are uncertain, moves a start before the issue, or before the end of the stream's
 * previous operation, to that time. */
static void flight_report(struct host_thread *host, struct host_lane *lane, struct host_flight *flight)
{
	int64_t start = 0, end = 0, cancelled;
	bool divided = false;
	if (flight->status == ST_OK && host->lost == ST_OK) {
		enum status status = flight_times(host, flight, &start, &end, &divided);
		if (status != ST_OK)
			host_flight_fail(flight, status);
		else
			flight->end = end;
	}
	flight->undone |= host_cancelled(host, flight->id, &cancelled) || flight->status != ST_OK;
	start = most_of(most_of(start - flight->shift, flight->issue), lane->last_end);
	end = most_of(end - flight->shift, start);
	lane->last_end = end;
	/* the issue is when the calls returned, or the start if that was earlier */
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

/* Tests the last event; without one the operation has failed. */
static bool flight_is_over(struct host_thread *host, struct host_flight *flight)
{
	int64_t ns;
	if (!flight->given)
		return false;
	if (host->lost != ST_OK || !flight->after)
		return true;
	if (flight->hold && host_cancelled(host, flight->id, &ns)) {
		timer_let_go(host, flight->hold, ns);
		flight->hold = NULL;
		flight->undone = true;
	}
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
		struct host_lane *lane = lanes->all[i];
		while (lane->told < lane->count && flight_is_over(host, lane_flight(lane, lane->told))) {
			struct host_flight *flight = lane_flight(lane, lane->told++);
			if (host->lost != ST_OK && flight->status == ST_OK) {
				fail(host->lost, "%s", host->why);
				host_flight_fail(flight, host->lost);
			}
			compute_tell_faults(host, lane->number, flight->id);
			flight_report(host, lane, flight);
		}
		while (lane->first < lane->told && lane_flight(lane, lane->first)->end <= now)
			flight_release(host, lane_flight(lane, lane->first++));
		any |= lane->told < lane->count;
	}
	return any;
}

void lanes_ask_exchange(struct host_thread *host)
{
	struct exchange *exchange = host->exchange;
	int part;
	enum status status;
	while (exchange && exchange->failure && host->lost == ST_OK &&
	        (status = exchange->failure(exchange, &part)) != ST_OK) {
		for (int i = 0; i < host->lanes->count; i++) {
			struct host_lane *lane = host->lanes->all[i];
			for (size_t k = lane->told; k < lane->count; k++)
				lane_flight(lane, k)->undone |= lane_flight(lane, k)->part == part + 1;
		}
		host_tell_part(host, part, status);
	}
}

/* Every later call returns a sticky error, so this queries an event without work of its own. */
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

/* On a virtual clock, ends of reported operations may still lie ahead (flight_wait). */
static bool wait_is_over(struct host_thread *host, op_id target)
{
	struct host_lanes *lanes = host->lanes;
	for (int i = 0; i < lanes->count; i++) {
		struct host_lane *lane = lanes->all[i];
		if (target == OP_EVERYTHING) {
			if (lane->told < lane->count)
				return false;
			continue;
		}
		struct host_flight *flight = lane_find(lane, target);
		if (flight)
			return lane->told == lane->count || flight->id < lane_flight(lane, lane->told)->id;
	}
	return true;
}

/* Advances a virtual clock to the end; on a GPU it has completed. */
static enum status flight_wait(struct host_thread *host, const struct host_flight *flight)
{
	if (!flight || !flight->after || flight->status != ST_OK || host->lost != ST_OK)
		return ST_OK;
	return CUDA_CALL(host->cuda, cuEventSynchronize, flight->after);
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
		return flight_wait(host, host_flight_find(host, target));
	enum status status = ST_OK;
	for (int i = 0; i < lanes->count; i++)
		if (lanes->all[i]->first < lanes->all[i]->count)
			status = first_failure(status,
			        flight_wait(host, lane_flight(lanes->all[i], lanes->all[i]->count - 1)));
	return status;
}

/* export_counters.c -- a rank's counters over time as Chrome's trace events: device memory by
 * kind, and each link's rate
 *
 *      {"ph":"C","pid":2,"name":"nvlink out","ts":12.000,"args":{"GB/s":3.2}}
 *
 * A transfer has its mean rate from start to end; concurrent ones add up. Bytes are as in
 * `traffic`, memory as in `mem over`. */
#include "base/memory.h"
#include "backend/traffic.h"
#include "world/tensor_kind.h"
#include "trace/export.h"
#include "trace/lanes.h"

#include <inttypes.h>
#include <stdlib.h>

struct rate_change {
	int64_t time;
	int kind;
	double rate;
};
struct changes_of_rates {
	struct rate_change *change;
	size_t count;
};

static int by_time(const void *a, const void *b)
{
	const struct rate_change *x = a, *y = b;
	if (x->kind != y->kind)
		return x->kind - y->kind;
	return (x->time > y->time) - (x->time < y->time);
}

static void rates_add(const struct trace *trace, int rank, op_id id, struct changes_of_rates *changes)
{
	double sent[LINK_KINDS] = {0};
	struct times t = backend_times(trace->backend, id);
	if (t.end == TIME_UNKNOWN || t.end <= t.start || t.sent_nothing)
		return;
	traffic_of(trace->world, rank, id, sent);
	for (int kind = 0; kind < LINK_KINDS; kind++)
		if (sent[kind] > 0) {
			double rate = sent[kind] / (double)(t.end - t.start);
			*MEM_ADD(&changes->change, &changes->count) =
			        (struct rate_change){t.start, kind, rate};
			*MEM_ADD(&changes->change, &changes->count) =
			        (struct rate_change){t.end, kind, -rate};
		}
}

static void counter_begin(int rank, const char *name, int64_t time, struct text *out)
{
	text_add(out,
	        ",\n{\"ph\":\"C\",\"pid\":%d,\"tid\":0,\"name\":\"%s\",\"ts\":%" PRId64 ".%03d,\"args\":{",
	        rank, name, US(time));
}

/* Writes the last of several values at one time. The rate is exactly 0 while nothing runs, despite
 * rounding. */
static void put_rates(int rank, struct window window, struct changes_of_rates *changes, struct text *out)
{
	double now = 0;
	int running = 0;
	if (changes->count)
		qsort(changes->change, changes->count, sizeof *changes->change, by_time);
	for (size_t i = 0; i < changes->count; i++) {
		const struct rate_change *change = &changes->change[i], *next = change + 1;
		bool last = i + 1 == changes->count || next->kind != change->kind;
		running += change->rate > 0 ? 1 : -1;
		now = running ? now + change->rate : 0;
		if ((last || next->time > change->time) && change->time >= window.from &&
		        change->time <= window.to) {
			counter_begin(rank, link_name(change->kind), change->time, out);
			text_add(out, "\"GB/s\":%.6g}}", now);
		}
	}
}

static void put_memory(const struct trace *trace, int rank, struct window window, struct text *out)
{
	size_t count;
	const struct memory_change *change = world_memory_changes(trace->world, rank, &count);
	int64_t now[MEMORY_KINDS + 1] = {0};
	bool used[MEMORY_KINDS] = {false};
	for (size_t i = 0; i < count; i++)
		if (change[i].kind < MEMORY_KINDS)
			used[change[i].kind] = true;
	for (size_t i = 0; i < count; i++) {
		int64_t time = trace_clock_after(trace, change[i].after);
		if (time == TIME_UNKNOWN)
			return;
		now[change[i].kind] += change[i].bytes;
		bool same = i + 1 < count && trace_clock_after(trace, change[i + 1].after) == time;
		if (same || change[i].kind == MEMORY_RESERVED || time < window.from || time > window.to)
			continue;
		const char *before = "";
		counter_begin(rank, "device memory, bytes", time, out);
		for (int kind = 0; kind < MEMORY_KINDS; kind++)
			if (used[kind]) {
				text_add(out, "%s\"%s\":%" PRId64, before,
				        tensor_kind_name((enum tensor_kind)kind), now[kind]);
				before = ",";
			}
		text_add(out, "}}");
	}
}

void export_counters(const struct trace *trace, int rank, struct window window, struct text *out)
{
	struct changes_of_rates changes = {0};
	const struct world *world = trace->world;
	const op_id *gets = world->gets;
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program)
		rates_add(trace, rank, id, &changes);
	for (size_t i = 0; i < world->get_count; i++)
		if (op_record(world, gets[i])->part[0].peer == rank && world->ops[gets[i]].rank != rank)
			rates_add(trace, rank, gets[i], &changes);
	put_rates(rank, window, &changes, out);
	put_memory(trace, rank, window, out);
	mem_free(changes.change);
}

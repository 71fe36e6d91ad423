/* window.c -- a section's length: from its first operation to its last known time. Launches do not
 * count while the host runs ahead of the device (trace_begins); nor does initial data, which takes
 * no time */
#include "base/arithmetic.h"
#include "trace/figures.h"
#include "trace/lanes.h"

/* Untimed fills would make every section begin at its tensors' declarations. */
bool trace_counts(const struct trace *trace, op_id id, int section)
{
	return trace_in(trace, id, section) && op_record(trace->world, id)->kind != OP_FILL;
}

/* A host carries out one line after the other, so a rank's first operation in the section begins
 * first:
 *
 *      host     |1111|2222|                    launches of section 2 from here on
 *      compute   | 1111111111 | 2222222222 |
 *      io        |  111 |  22 |                section 2 begins here: its first work */
int64_t trace_begins(const struct trace *trace, int section, int rank)
{
	const struct world *world = trace->world;
	int64_t launch = TIME_UNKNOWN, work = TIME_UNKNOWN, earlier = 0;

	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
		bool device = trace_is_work(op_record(world, id)->kind) && !trace_on_host(world, id);
		bool in = trace_counts(trace, id, section);
		if (!in && (!device || launch != TIME_UNKNOWN))
			continue;
		struct times t = backend_times(trace->backend, id);
		if (in && launch == TIME_UNKNOWN)
			launch = times_begin(op_record(world, id)->kind, &t);
		if (in && device)
			work = least_of(work, t.start);
		if (!in)
			earlier = most_of(earlier, t.end);
		if (trace_is_everything(trace, section))
			break;
	}
	return work == TIME_UNKNOWN ? launch : most_of(launch, least_of(work, earlier));
}

/* Returns the section's last known time, 0 if none; or the first one found later than `enough`.
 * threads: host threads count. For everything no record is read: fills end no later than their
 * host's clock. */
static int64_t last_time(const struct trace *trace, int section, bool threads, int64_t enough)
{
	const struct world *world = trace->world;
	int64_t last = 0;

	if (trace->kept && trace_is_everything(trace, section) && threads) {
		for (int rank = 0; rank < world->n; rank++)
			last = most_of(last, kept_rank(trace, rank)->last);
		return last;
	}
	for (op_id id = 1; id <= world->op_count && last <= enough; id++) {
		if ((!trace_is_everything(trace, section) && !trace_counts(trace, id, section)) ||
		        (!threads && trace_on_host(world, id)))
			continue;
		struct times t = backend_times(trace->backend, id);
		last = most_of(last, times_last(&t));
	}
	return last;
}

/* From the start of the first rank's time to `to`; for everything, at least to the hosts'
 * clocks */
static struct window window_to(const struct trace *trace, int section, int64_t to)
{
	const struct world *world = trace->world;
	struct window window = {.from = TIME_UNKNOWN, .to = to, .section = section};

	for (int rank = 0; rank < world->n; rank++) {
		window.from = least_of(window.from, trace_begins(trace, section, rank));
		struct host_now now = backend_host(trace->backend, rank);
		if (section < 0 && now.clock != TIME_UNKNOWN)
			window.to = most_of(window.to, now.clock);
	}
	if (window.from == TIME_UNKNOWN)
		window.from = 0;
	window.to = most_of(window.to, window.from);
	return window;
}

struct window trace_window(const struct trace *trace, int section)
{
	return window_to(trace, section, last_time(trace, section, true, INT64_MAX));
}

bool trace_hangs(const struct trace *trace)
{
	op_id on;
	bool hangs = false;
	for (int rank = 0; rank < trace->world->n && !hangs; rank++)
		hangs = trace->backend->waiting(trace->backend, rank, &on);
	return hangs;
}

void trace_put_hangs(const struct trace *trace, struct text *out)
{
	text_add(out, trace_hangs(trace) ? ", of what ends (see `stuck`)\n" : "\n");
}

/* Returns since when the section's first operation without an end is ready; TIME_UNKNOWN if
 * none. */
static int64_t hangs_since(const struct trace *trace, int section)
{
	const struct world *world = trace->world;
	int64_t since = TIME_UNKNOWN;
	op_id on;

	for (int rank = 0; rank < world->n; rank++) {
		if (!trace->backend->waiting(trace->backend, rank, &on))
			continue;
		for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
			struct times t = backend_times(trace->backend, id);
			if (t.end == TIME_UNKNOWN && trace_counts(trace, id, section))
				since = least_of(since, t.ready);
		}
	}
	return since;
}

struct window trace_window_seen(const struct trace *trace, int section)
{
	struct window window = trace_window(trace, section);
	int64_t more = (window.to - window.from) / 8, since = hangs_since(trace, section);
	if (since != TIME_UNKNOWN && window.to - since < more)
		window.to += more;
	return window;
}

static int64_t last_of_figures(const struct trace *trace, int section, int64_t enough)
{
	int64_t to = last_time(trace, section, false, enough);
	return to ? to : last_time(trace, section, true, enough);
}

struct window trace_time(const struct trace *trace, int section)
{
	return window_to(trace, section, last_of_figures(trace, section, INT64_MAX));
}

/* One operation after the start is enough. */
bool trace_empty(const struct trace *trace, int section)
{
	struct window begun = window_to(trace, section, 0);
	return begun.to <= begun.from && last_of_figures(trace, section, begun.from) <= begun.from;
}

bool trace_says_nothing(const struct trace *trace, int section, struct text *out)
{
	if (!trace_empty(trace, section))
		return false;
	if (trace_empty(trace, -1))
		text_add(out, "nothing has run yet\n");
	else
		text_add(out, "nothing has run yet in section '%s'\n", section_name(trace, section));
	return true;
}

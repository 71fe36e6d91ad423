/* window.c -- a section's length, from its first operation to its last known time; and the
 * iterations that a table covers
 *
 * Launches do not count while the host runs ahead of the device (trace_begins). */
#include "base/arithmetic.h"
#include "trace/figures.h"
#include "trace/lanes.h"

/* Initial data would make a section begin at its tensors' declarations. */
bool trace_counts(const struct trace *trace, op_id id, int section)
{
	return trace_in(trace, id, section) && op_record(trace->world, id)->kind != OP_FILL;
}

/* A section begins with its first launch on the rank, or later, with its first work:
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

/* Returns the section's last known time, 0 if none; stops at the first one later than `enough`.
 * threads: host threads count. If all operations count, no record is read, because fills end no
 * later than their host's clock. */
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

/* From the first rank's start to `to`; for everything, at least to the hosts' clocks */
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
	text_add(out, trace_hangs(trace) ? ", without work that hangs (see `stuck`)\n" : "\n");
}

/* Returns when the first of the section's operations without an end became ready; TIME_UNKNOWN if
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

/* ---- iterations
 *
 *      setup  | iteration 1 | iteration 2 | iteration 3 | lines typed by hand
 *                           |<- counted: "iterations 2-3 of 3" ----------->|
 *
 * The first one allocates the memory and communicators that later ones reuse. */

void iterations_text(const struct iterations *iterations, struct text *out)
{
	if (iterations->last && iterations->first == iterations->last)
		text_add(out, ", iteration %d of %d", iterations->last, iterations->of);
	else if (iterations->last)
		text_add(
		        out, ", iterations %d-%d of %d", iterations->first, iterations->last, iterations->of);
}

struct trace trace_steady(const struct trace *trace, int section, struct iterations *iterations)
{
	struct trace steady = *trace;
	const struct world *world = trace->world;
	size_t found = 0, begin = 0;
	*iterations = (struct iterations){0};
	for (size_t i = 0; i < world->iteration_count && world->iterations[i].first <= world->op_count; i++) {
		const struct iteration *one = &world->iterations[i];
		iterations->of = one->number + 1;
		if (section >= 0 && op_record(world, one->first)->section != section)
			continue;
		if (found++ == 0)
			begin = i;
		/* the first one began a program */
		if (found == 2 &&
		        (!begin || world->iterations[begin].number <= world->iterations[begin - 1].number))
			iterations->from = one->first;
		if (found == 1 || (found == 2 && iterations->from))
			iterations->first = one->number + 1;
		iterations->last = one->number + 1;
	}
	steady.first = iterations->from;
	return steady;
}

/* Returns the last end of the work of operations first .. end - 1; clears *whole if one has no
 * end. */
static int64_t end_of(const struct trace *trace, op_id first, op_id end, bool *whole)
{
	int64_t last = 0;
	for (op_id id = first; id < end; id++) {
		if (!trace_is_work(op_record(trace->world, id)->kind) || trace_on_host(trace->world, id))
			continue;
		int64_t at = backend_times(trace->backend, id).end;
		*whole &= at != TIME_UNKNOWN;
		last = at != TIME_UNKNOWN ? most_of(last, at) : last;
	}
	return last;
}

/*      ends   first          ...          last        each (last - first) / 2
 *             |  iteration 1  |  iteration 2  |
 */
enum status metric_iteration(const struct trace *trace, int section, int *count, double *each)
{
	const struct world *world = trace->world;
	int64_t first = 0, last = 0;
	*count = 0;
	*each = 0;
	for (size_t i = 0; i < world->iteration_count; i++) {
		const struct iteration *it = &world->iterations[i];
		bool whole = it->end > it->first;
		if (!whole || !trace_in(trace, it->first, section))
			continue;
		enum status status = trace_step(trace, it->end - it->first);
		if (status != ST_OK)
			return status;
		last = end_of(trace, it->first, it->end, &whole);
		if (whole && !(*count)++)
			first = last;
	}
	if (*count == 1)
		*each = (double)(first - trace_window(trace, section).from);
	else if (*count > 1)
		*each = (double)(last - first) / (*count - 1);
	return ST_OK;
}

bool trace_last_iteration(const struct trace *trace, struct window *window)
{
	const struct world *world = trace->world;
	if (!world->iteration_count)
		return false;
	const struct iteration *it = &world->iterations[world->iteration_count - 1];
	struct trace own = *trace;
	bool whole = true;
	own.first = it->first;
	struct window from = trace_window(&own, -1);
	int64_t to =
	        end_of(trace, it->first, it->end > it->first ? it->end : (op_id)world->op_count + 1, &whole);
	if (to <= from.from)
		return false;
	*window = (struct window){from.from, to, -1};
	return true;
}

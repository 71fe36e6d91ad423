/* iterations.c -- the iterations that a table covers
 *
 *      setup  | iteration 1 | iteration 2 | iteration 3 | lines of one's own
 *                           |<- counted: "iterations 2-3 of 3" ----------->|
 *
 * The first one allocates the memory and communicators that later ones reuse, so its times
 * differ. */
#include "base/arithmetic.h"
#include "trace/lanes.h"

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

/* iterations.c -- how long an iteration takes
 *
 *     iteration    |  0: memory is got   |   1    |   2    |        those over, of the section
 *     ends                               e0       e1       e2       each (e2 - e0) / 2, on the rank that ends last
 *
 * An iteration ends when the last of its work does. The first one, in which memory is got, is apart. */
#include "base/arithmetic.h"
#include "trace/lanes.h"

/* Of the operations first .. end - 1; *whole is false where one has no end. */
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

enum status trace_iterations(const struct trace *trace, int section, struct iterations *out)
{
	const struct world *world = trace->world;
	int64_t first = 0, last = 0;
	*out = (struct iterations){.first = -1};
	for (size_t i = 0; i < world->iteration_count; i++) {
		const struct iteration *it = &world->iterations[i];
		bool whole = it->end != 0;
		if (!whole || it->first >= it->end || !trace_in(world, it->first, section))
			continue;
		enum status status = trace_step(trace, it->end - it->first);
		if (status != ST_OK)
			return status;
		last = end_of(trace, it->first, it->end, &whole);
		if (!whole)
			continue;
		if (!out->count++) {
			out->first = (int)i;
			first = last;
		}
		out->last = (int)i;
	}
	if (out->count == 1)
		out->each = (double)(first - trace_window(trace, section).from);
	else if (out->count > 1)
		out->each = (double)(last - first) / (out->count - 1);
	return ST_OK;
}

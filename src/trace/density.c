/* density.c -- how busy everything is, from one end of time to the other
 *
 *      streams that work    0 1 2 2 2 1 0 ...     an operation counts in each part of the time as much as it covers of it
 *      parts                0 3 7 9 9 4 0 */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "trace/lanes.h"
#include "trace/spots.h"

enum { LEVELS = 9 };

/* busy[i]: ns of work in part i but for the parts that an operation covers whole, which stand in `whole` as +1 where they
 * begin and -1 behind their end. */
struct busy {
	double *ns;
	int64_t *whole;
	int parts;
	struct window window;
};

static void add(struct busy *b, int64_t from, int64_t to)
{
	double part = (double)(b->window.to - b->window.from) / b->parts;
	from = most_of(from, b->window.from) - b->window.from;
	to = least_of(to, b->window.to) - b->window.from;
	if (from >= to)
		return;
	int first = (int)((double)from / part),
	    last = (int)least_of((int64_t)((double)to / part), b->parts - 1);
	if (first >= last) {
		b->ns[last] += (double)(to - from);
		return;
	}
	b->ns[first] += (first + 1) * part - (double)from;
	b->ns[last] += (double)to - last * part;
	b->whole[first + 1]++;
	b->whole[last]--;
}

void trace_density(const struct trace *trace, struct window window, int parts, uint8_t *level)
{
	const struct world *world = trace->world;
	struct busy b = {mem_alloc((size_t)parts * sizeof *b.ns),
	        mem_alloc(((size_t)parts + 2) * sizeof *b.whole), parts, window};
	uint8_t *works = mem_alloc((size_t)world->n * (STREAMS_MAX + 1));
	int64_t streams = 0, whole = 0;
	for (op_id id = 1; id <= world->op_count; id++) {
		const struct op *op = &world->ops[id];
		if (!trace_is_work((enum op_kind)op_record(world, id)->kind))
			continue;
		uint8_t *known = &works[(size_t)op->rank * (STREAMS_MAX + 1) + op->stream];
		streams += !*known;
		*known = 1;
		struct times t = backend_times(trace->backend, id);
		if (t.start != TIME_UNKNOWN)
			add(&b, t.start, t.end);
	}
	double part = (double)(window.to - window.from) / parts;
	for (int i = 0; i < parts; i++) {
		whole += b.whole[i];
		double full = streams ? (b.ns[i] / part + (double)whole) / (double)streams : 0;
		int tenth = (int)(full * LEVELS + 0.5);
		level[i] = (uint8_t)(full > 0 && tenth == 0 ? 1 : least_of(tenth, LEVELS));
	}
	mem_free(b.ns);
	mem_free(b.whole);
	mem_free(works);
}

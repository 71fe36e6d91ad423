/* density.c -- how busy all streams are over the whole time
 *
 *      busy streams    0 1 2 2 2 1 0 ...     an operation counts by the share it covers of a part
 *      parts           0 3 7 9 9 4 0 */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "trace/lanes.h"
#include "trace/spots.h"

enum { LEVELS = 9 };

/* ns[i]: work in part i, except parts that an operation covers fully: these are +1 in `whole` at
 * their start and -1 after their end. */
struct busy {
	double *ns;
	int64_t *whole;
	int parts;
	double part, per_ns;
	struct window window;
};

static void busy_add(struct busy *b, int64_t from, int64_t to)
{
	from = most_of(from, b->window.from) - b->window.from;
	to = least_of(to, b->window.to) - b->window.from;
	if (from >= to)
		return;
	int first = (int)((double)from * b->per_ns),
	    last = (int)least_of((int64_t)((double)to * b->per_ns), b->parts - 1);
	if (first >= last) {
		b->ns[last] += (double)(to - from);
		return;
	}
	b->ns[first] += (first + 1) * b->part - (double)from;
	b->ns[last] += (double)to - last * b->part;
	b->whole[first + 1]++;
	b->whole[last]--;
}

void trace_density(const struct trace *trace, struct window window, int parts, uint8_t *level)
{
	double length = (double)(window.to - window.from);
	struct busy b = {.ns = mem_alloc((size_t)parts * sizeof *b.ns),
	        .whole = mem_alloc(((size_t)parts + 2) * sizeof *b.whole),
	        .parts = parts,
	        .part = length / parts,
	        .per_ns = parts / length,
	        .window = window};
	int64_t streams = 0, whole = 0;
	struct trace loading = *trace;
	struct lanes lanes = {0};
	loading.budget = NULL;
	for (int rank = 0; rank < trace->world->n; rank++) {
		bool works[STREAMS_MAX + 1] = {0};
		(void)lanes_load(&lanes, &loading, rank);
		for (size_t i = 0; i < lanes.count; i++) {
			const struct moment *m = &lanes.moment[i];
			if (!trace_is_work(m->kind))
				continue;
			streams += !works[m->stream];
			works[m->stream] = true;
			if (m->t.start != TIME_UNKNOWN)
				busy_add(&b, m->t.start, m->t.end);
		}
	}
	lanes_release(&lanes);
	for (int i = 0; i < parts; i++) {
		whole += b.whole[i];
		double full = streams ? (b.ns[i] / b.part + (double)whole) / (double)streams : 0;
		int tenth = (int)(full * LEVELS + 0.5);
		level[i] = (uint8_t)(full > 0 && tenth == 0 ? 1 : least_of(tenth, LEVELS));
	}
	mem_free(b.ns);
	mem_free(b.whole);
}

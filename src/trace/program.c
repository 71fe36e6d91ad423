/* program.c -- figures of a rank's program: its host's waits between launches, numbers of
 * operations, peak memory, and staleness */
#include "base/arithmetic.h"
#include "collectives/collective.h"
#include "trace/lanes.h"
#include "base/memory.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

/* True for a launch on the device, except copies for a `print` or a value, a barrier's collective,
 * and opening or closing a window. */
static bool is_launch(const struct world *world, op_id id)
{
	const struct record *record = op_record(world, id);
	bool brings = record->kind == OP_COPY && record->operands < 2,
	     meets = record->kind == OP_COLLECTIVE &&
	        (record->window || record->collective == &collective_barrier);
	return trace_is_work(record->kind) && !brings && !meets && !trace_on_host(world, id);
}

/* Sums the waits between launches:
 *
 *     sync | launch | print | launch | sync | launch | sync
 *             first   counts            counts          after the last: no effect */
enum status metric_host_waits(const struct trace *trace, int section, int rank, int64_t *ns)
{
	const struct world *world = trace->world;
	int64_t since = 0;
	bool launched = false;
	op_id endless = 0;

	*ns = 0;
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
		enum op_kind kind = (enum op_kind)op_record(world, id)->kind;
		if (!trace_in(trace, id, section))
			continue;
		if (is_launch(world, id)) {
			if (endless)
				return trace_never_ends(trace, endless);
			*ns += since;
			since = 0;
			launched = true;
		} else if (launched && !endless && (kind == OP_SYNC || kind == OP_SEGMENT)) {
			struct times t = backend_times(trace->backend, id);
			endless = t.end == TIME_UNKNOWN ? id : 0;
			/* allocating a segment is work; the wait until the device frees it
			 * counts */
			if (!endless)
				since += most_of(t.end - t.start - (kind == OP_SYNC ? 0 : t.alone), 0);
		}
	}
	return trace_step(trace, world->last[rank] ? world->ops[world->last[rank]].number : 0);
}

static bool uses_tensor(const struct world *world, int rank, const struct record *record, name_id tensor)
{
	bool found = false;
	for (int i = 0; i < record->operands && !found; i++) {
		const char *text = names_text(world->names, record->operand[i].name);
		name_id base = names_find(world->names, text, strcspn(text, ".["));
		struct thing thing = base ? world_find(world, rank, base) : (struct thing){0};
		found = base == tensor ||
		        (thing.kind == THING_TENSOR &&
		                world->tensors[world->tensors[thing.index].base].name == tensor);
	}
	return found;
}

int64_t metric_count(const struct trace *trace, int section, int rank, const struct counted_ops *which)
{
	const struct world *world = trace->world;
	name_id wanted = names_find(world->names, which->title, strlen(which->title));
	int64_t work = 0, waits = 0;
	bool titled = false;

	for (op_id id = wanted ? world->first[rank] : 0; id; id = world->ops[id].next_program) {
		const struct record *record = op_record(world, id);
		bool wait = record->kind == OP_SYNC;
		if ((wait ? record->reason : record->title) != wanted)
			continue;
		titled = titled || !wait;
		if (trace_in(trace, id, section) &&
		        (!which->stream || world->ops[id].stream == which->stream) &&
		        (!which->tensor || uses_tensor(world, rank, record, which->tensor)))
			*(wait ? &waits : &work) += 1;
	}
	return titled ? work : waits;
}

int64_t metric_peak(const struct trace *trace, int section, int rank, int kind)
{
	size_t count;
	const struct memory_change *change = world_memory_changes(trace->world, rank, &count);
	int64_t now[MEMORY_KINDS + 1] = {0}, all = 0, most = 0, of_kind = 0;
	for (size_t i = 0;; i++) {
		/* before each change and after the last: the initial amount counts */
		if ((i == count || change[i].section >= section) && all > most) {
			most = all;
			of_kind = kind < 0 ? all : now[kind];
		}
		if (i == count || (section >= 0 && change[i].section > section))
			return of_kind;
		now[change[i].kind] += change[i].bytes;
		all += change[i].kind == MEMORY_RESERVED ? 0 : change[i].bytes;
	}
}

/* ---- staleness: the age of the parameters that a gradient was computed from, when it is added
 *
 *      worker 0    get w |---- forward, backward ----| add -> w        2 updates: staleness 2
 *      worker 1        add -> w                      .
 *      worker 2                      add -> w        .   add -> w
 *
 * Ho et al. 2013 bound this in a worker's steps. */

struct window_change {
	int64_t address, end;
	int target, rank;
};

static int by_place(const struct window_change *a, const struct window_change *b)
{
	if (a->target != b->target)
		return a->target - b->target;
	return (a->address > b->address) - (a->address < b->address);
}

static int by_place_and_end(const void *a, const void *b)
{
	const struct window_change *x = a, *y = b;
	int place = by_place(x, y);
	return place ? place : (x->end > y->end) - (x->end < y->end);
}

/* Returns false if the operation is not one-sided, was aborted, or has not ended. */
static bool change_of(const struct trace *trace, op_id id, struct window_change *change)
{
	const struct world *world = trace->world;
	const struct record *record = op_record(world, id);
	struct operand remote;
	if (record->kind != OP_ONE_SIDED || world->ops[id].flags & OPF_ABORTED ||
	        !world_remote(world, id, &remote))
		return false;
	*change = (struct window_change){.address = remote.address,
	        .target = record->part[0].peer,
	        .rank = world->ops[id].rank,
	        .end = backend_times(trace->backend, id).end};
	return change->end != TIME_UNKNOWN;
}

/* Returns how many sorted changes by other ranks at the place of `at` end after `from` and before
 * at->end. */
static int64_t others_between(
        const struct window_change *changes, size_t count, const struct window_change *at, int64_t from)
{
	struct window_change first = *at;
	int64_t others = 0;
	size_t i;
	first.end = from;
	SEARCH(i, count, by_place_and_end(&changes[i], &first) > 0);
	for (; i < count && by_place(&changes[i], at) == 0 && changes[i].end < at->end; i++)
		others += changes[i].rank != at->rank;
	return others;
}

static enum one_sided what_of(const struct world *world, op_id id)
{
	return (enum one_sided)op_record(world, id)->part[0].direction;
}

static struct window_change *all_changes(const struct trace *trace, size_t *count)
{
	struct window_change *changes = NULL, change;
	for (op_id id = 1; id <= trace->world->op_count; id++)
		if (change_of(trace, id, &change) && what_of(trace->world, id) != ONE_SIDED_GET)
			*MEM_ADD(&changes, count) = change;
	qsort(changes, *count, sizeof *changes, by_place_and_end);
	return changes;
}

int64_t trace_staleness(const struct trace *trace, int section, int rank, double *mean, double *most)
{
	const struct world *world = trace->world;
	struct window_change *changes = NULL, *gets = NULL, *get, change;
	size_t count = 0, places = 0;
	int64_t adds = 0;

	*mean = *most = 0;
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
		if (!change_of(trace, id, &change))
			continue;
		get = NULL; /* a linear search: a rank has few places */
		for (size_t i = 0; i < places && !get; i++)
			if (by_place(&gets[i], &change) == 0)
				get = &gets[i];
		if (what_of(world, id) == ONE_SIDED_GET) {
			get = get ? get : MEM_ADD(&gets, &places);
			*get = change;
			get->end = backend_times(trace->backend, id).start;
		} else if (what_of(world, id) == ONE_SIDED_ADD && get && trace_in(trace, id, section)) {
			if (!changes)
				changes = all_changes(trace, &count);
			double others = others_between(changes, count, &change, get->end);
			*mean += others;
			*most = others > *most ? others : *most;
			adds++;
		}
	}
	mem_free(changes);
	mem_free(gets);
	*mean = adds ? *mean / adds : 0;
	return adds;
}

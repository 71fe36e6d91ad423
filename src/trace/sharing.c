/* sharing.c -- the operations that an operation shared its device or links with
 *
 *      = runs alone, - runs slower, beside another operation
 *      default  |==== matmul y ====--------|     y's loss (-) is blamed on the longest overlap
 *      io              |---- matmul z -----====|
 *      comm          p p p p|== allreduce ==|    holds multiprocessors from its arrival on
 *
 * Holders of a rank's device or links are lists by stream, cached during a query. On a stream, end
 * times never decrease, so overlaps are found by bisection and a short walk. */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/search.h"
#include "backend/cost.h"
#include "trace/lanes.h"
#include "trace/sharing.h"

#include <string.h>

struct holding {
	op_id id;
	int64_t from, to;
};
struct holdings {
	struct holding *at;
	size_t count;
	uint32_t first[STREAMS_MAX + 2]; /* at[first[s]] .. at[first[s + 1] - 1] are stream s */
};

/* True if it runs on the multiprocessors: a GPU kernel other than spin (kernels on host memory
 * have a duration as spin does), or a copy within the device. */
static bool holds_as_kernel(const struct record *record)
{
	return (record->kind == OP_KERNEL && !record_is_spin(record)) ||
	        (record->kind == OP_COPY && copy_way(record) == COPY_ON_DEVICE);
}

/* Returns when an operation begins to hold multiprocessors: a collective when it is ready and the
 * group's previous one is over on this rank (on any rank, if the previous one left this rank
 * out). */
static int64_t holds_from(const struct trace *trace, op_id id, const struct times *t)
{
	const struct world *world = trace->world;
	const struct op *op = &world->ops[id];
	if (op_record(world, id)->kind != OP_COLLECTIVE)
		return t->start;
	const struct match *match = &world->matches[op->match], *before = &world->matches[match->before];
	int place = match->before ? world->groups[match->group].place_of[op->rank] : -1;
	bool own = place >= 0 && before->member[place];
	int64_t turn = own ? backend_times(trace->backend, before->member[place]).end : 0;
	bool without = turn == TIME_UNKNOWN || turn >= t->start;
	for (int i = 0; without && i < before->n; i++)
		if (before->member[i])
			turn = least_of(turn, backend_times(trace->backend, before->member[i]).end);
	return least_of(t->end, most_of(t->ready, turn));
}

static bool is_flow(const struct record *record)
{
	return trace_communicates(record->kind) ||
	        (record->kind == OP_COPY && copy_way(record) < COPY_ENGINES);
}

/* Returns when a flow's latency is over and it uses its links. */
static int64_t flows_from(const struct world *world, op_id id, const struct times *t)
{
	return t->start == TIME_UNKNOWN
	        ? t->start
	        : least_of(t->end, t->start + (int64_t)op_record(world, id)->latency_ns);
}

static bool takes_device(const struct record *record)
{
	return holds_as_kernel(record) || record->kind == OP_COLLECTIVE;
}

/* Makes a list in two passes: counting by stream in first[s + 1], then appending, which moves
 * first[s] to the end of stream s, where stream s + 1 begins. flows: operations that use links,
 * else those that hold the device */
static void holdings_load(struct holdings *list, const struct trace *trace, int rank, bool flows)
{
	const struct world *world = trace->world;
	bool (*takes)(const struct record *record) = flows ? is_flow : takes_device;
	memset(list->first, 0, sizeof list->first);
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program)
		list->first[world->ops[id].stream + 1] += takes(op_record(world, id));
	for (int s = 0; s <= STREAMS_MAX; s++)
		list->first[s + 1] += list->first[s];
	list->count = list->first[STREAMS_MAX + 1];
	list->at = mem_resize(list->at, (list->count + 1) * sizeof *list->at);
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
		if (!takes(op_record(world, id)))
			continue;
		struct times t = backend_times(trace->backend, id);
		int64_t from = flows ? flows_from(world, id, &t) : holds_from(trace, id, &t);
		list->at[list->first[world->ops[id].stream]++] = (struct holding){id, from, t.end};
	}
	memmove(list->first + 1, list->first, (STREAMS_MAX + 1) * sizeof *list->first);
	list->first[0] = 0;
}

/* Returns a rank's GPU kernels, collectives and copies within the device, valid until those of
 * another rank are requested. */
static const struct holdings *device_of(struct sharers *sharing, int rank)
{
	if (!sharing->device)
		sharing->device = mem_alloc(sizeof *sharing->device);
	if (!sharing->device->at || sharing->device_rank != rank)
		holdings_load(sharing->device, sharing->trace, rank, false);
	sharing->device_rank = rank;
	return sharing->device;
}

/* Returns the copies, transfers, collectives and one-sided operations of a rank. One-sided
 * operations reach ranks without an operation there, so those of all ranks have a list. */
static const struct holdings *flows_of(struct sharers *sharing, int rank)
{
	const struct world *world = sharing->trace->world;
	if (!sharing->flows) {
		sharing->flows = mem_alloc((size_t)world->n * sizeof *sharing->flows);
		for (op_id id = 1; id <= world->op_count; id++)
			if (op_record(world, id)->kind == OP_ONE_SIDED)
				*MEM_ADD(&sharing->one_sided, &sharing->one_sided_count) = id;
	}
	if (!sharing->flows[rank].at)
		holdings_load(&sharing->flows[rank], sharing->trace, rank, true);
	return &sharing->flows[rank];
}

struct overlap {
	const struct trace *trace;
	op_id id, best;
	int64_t from, to, longest;
};

int64_t trace_lost(const struct trace *trace, op_id id, const struct times *t)
{
	if (trace->backend->measures || !t->alone || t->end == TIME_UNKNOWN || t->sent_nothing ||
	        !trace_is_work(op_record(trace->world, id)->kind))
		return 0;
	int64_t lost = t->end - t->start - t->alone;
	return lost > 1 ? lost : 0; /* a nanosecond is rounding */
}

static void overlap_add(struct overlap *o, op_id id, int64_t from, int64_t to)
{
	int64_t ns = least_of(to, o->to) - most_of(from, o->from);
	if (ns <= 0 || ns < o->longest)
		return;
	const struct op *x = &o->trace->world->ops[id], *y = &o->trace->world->ops[o->best];
	bool first = x->rank != y->rank  ? x->rank < y->rank
	        : x->stream != y->stream ? x->stream < y->stream
	                                 : x->number < y->number;
	if (ns > o->longest || first) {
		o->longest = ns;
		o->best = id;
	}
}

static struct path part_path(const struct world *world, op_id id, int part)
{
	const struct part *of = &op_record(world, id)->part[part];
	int rank = world->ops[id].rank;
	bool sends = of->direction == P2P_SEND;
	struct path path = {0};
	if (of->peer != rank)
		machine_path(world->machine, sends ? rank : of->peer, sends ? of->peer : rank, &path);
	return path;
}

static unsigned kinds_of(const struct path *path, int rank)
{
	unsigned kinds = 0;
	for (int i = 0; i < path->count; i++)
		if (path->link[i] / LINK_KINDS == rank)
			kinds |= 1u << path->link[i] % LINK_KINDS;
	return kinds;
}

static unsigned links_of(struct sharers *sharing, const struct match *match)
{
	const struct world *world = sharing->trace->world;
	const struct group *last = &world->groups[world->group_count - 1],
	                   *group = &world->groups[match->group];
	if (!sharing->links)
		sharing->links = mem_alloc((size_t)(last->first + last->instances));
	uint8_t *links = &sharing->links[group->first + match->instance];
	if (!*links)
		*links = collective_links(world->machine, match);
	return *links;
}

static unsigned kinds_at(struct sharers *sharing, op_id id, int rank)
{
	const struct world *world = sharing->trace->world;
	const struct record *record = op_record(world, id);
	const struct op *op = &world->ops[id];
	struct path path;
	unsigned kinds = 0;
	switch (record->kind) {
	case OP_COPY:
		return op->rank == rank ? 1u << copy_link(copy_way(record)) : 0;
	case OP_COLLECTIVE:
		return op->rank == rank ? links_of(sharing, &world->matches[op->match]) : 0;
	case OP_ONE_SIDED:
		path = one_sided_path(world->machine, world, id);
		return kinds_of(&path, rank);
	default:
		for (int i = 0; i < record->parts; i++) {
			path = part_path(world, id, i);
			kinds |= kinds_of(&path, rank);
		}
		return kinds;
	}
}

/* Finds overlaps of a kernel. High-priority kernels share only among them and with collectives. */
static void search_device(struct sharers *sharing, struct overlap *o)
{
	const struct world *world = o->trace->world;
	const struct op *op = &world->ops[o->id];
	const struct holdings *list = device_of(sharing, op->rank);
	bool first = world_stream(world, op->rank, op->stream)->priority > 0;
	for (int s = STREAM_DEFAULT; s <= STREAMS_MAX && list->first[s] < list->count; s++) {
		uint32_t i = list->first[s], end = list->first[s + 1], skipped;
		if (i == end)
			continue;
		bool yields = first && world_stream(world, op->rank, s)->priority <= 0;
		SEARCH(skipped, end - i, list->at[i + skipped].to > o->from);
		for (i += skipped; i < end && list->at[i].from < o->to; i++) {
			const struct holding *h = &list->at[i];
			if (h->id != o->id && !(yields && holds_as_kernel(op_record(world, h->id))))
				overlap_add(o, h->id, h->from, h->to);
		}
	}
}

static void search_links(struct sharers *sharing, struct overlap *o, int rank, unsigned kinds)
{
	const struct world *world = sharing->trace->world;
	const struct holdings *list = flows_of(sharing, rank);
	for (int s = STREAM_DEFAULT; s <= STREAMS_MAX && list->first[s] < list->count; s++) {
		uint32_t i = list->first[s], end = list->first[s + 1], skipped;
		SEARCH(skipped, end - i, list->at[i + skipped].to > o->from);
		for (i += skipped; i < end && list->at[i].from < o->to; i++) {
			const struct holding *h = &list->at[i];
			bool own = h->id == o->id || trace_meets(world, o->id, h->id);
			if (!own && kinds_at(sharing, h->id, rank) & kinds)
				overlap_add(o, h->id, h->from, h->to);
		}
	}
	for (size_t i = 0; i < sharing->one_sided_count; i++) {
		op_id id = sharing->one_sided[i];
		if (id == o->id || op_record(world, id)->part[0].peer != rank ||
		        world->ops[id].rank == rank || !(kinds_at(sharing, id, rank) & kinds))
			continue;
		struct times t = backend_times(sharing->trace->backend, id);
		if (t.start != TIME_UNKNOWN)
			overlap_add(o, id, flows_from(world, id, &t), t.end);
	}
}

static void search_path(struct sharers *sharing, struct overlap *o, const struct path *path)
{
	for (int i = 0; i < path->count; i++)
		search_links(sharing, o, path->link[i] / LINK_KINDS, 1u << path->link[i] % LINK_KINDS);
}

/* A partner that is not ready delays the transfers, too. */
static void search_parts(struct sharers *sharing, struct overlap *o)
{
	const struct world *world = sharing->trace->world;
	const struct record *record = op_record(world, o->id);
	for (int i = 0; i < record->parts; i++) {
		const struct match *match = part_match(world, o->id, i);
		op_id other = match->member[record->part[i].direction == P2P_SEND ? 1 : 0];
		struct path path = part_path(world, o->id, i);
		search_path(sharing, o, &path);
		if (other && other != o->id)
			overlap_add(o, other, o->from, backend_times(sharing->trace->backend, other).ready);
	}
}

static void search_members(struct sharers *sharing, struct overlap *o, int64_t alone)
{
	const struct world *world = sharing->trace->world;
	const struct match *match = &world->matches[world->ops[o->id].match];
	for (int i = 0; i < match->n; i++)
		search_links(sharing, o, match->ranks[i], links_of(sharing, match));
	for (int i = 0; i < match->n && op_record(world, o->id)->split.n; i++) {
		int64_t own = match->member[i] ? op_record(world, match->member[i])->alone_ns : 0;
		if (own > alone)
			overlap_add(o, match->member[i], o->from, o->from + own - alone);
	}
}

/* The members of a collective blame the same operation, except in an alltoall with send counts. */
static op_id collective_with(struct sharers *sharing, struct overlap *o, int64_t alone)
{
	const struct world *world = sharing->trace->world;
	uint32_t match = world->ops[o->id].match;
	bool alike = !op_record(world, o->id)->split.n;
	if (!sharing->of_match)
		sharing->of_match = mem_alloc((world->match_count + 1) * sizeof *sharing->of_match);
	if (!alike || !sharing->of_match[match]) {
		search_members(sharing, o, alone);
		sharing->of_match[match] = o->best;
	}
	return sharing->of_match[match];
}

op_id sharing_with(struct sharers *sharing, op_id id)
{
	const struct trace *trace = sharing->trace;
	const struct world *world = trace->world;
	const struct record *record = op_record(world, id);
	struct times t = backend_times(trace->backend, id);
	struct overlap o = {.trace = trace, .id = id, .from = t.start, .to = t.end};
	if (record->kind == OP_KERNEL || holds_as_kernel(record)) {
		search_device(sharing, &o);
	} else if (record->kind == OP_COPY) {
		search_links(sharing, &o, world->ops[id].rank, 1u << copy_link(copy_way(record)));
	} else if (record->kind == OP_COLLECTIVE) {
		o.best = collective_with(sharing, &o, t.alone);
	} else if (record->kind == OP_P2P) {
		search_parts(sharing, &o);
	} else if (record->kind == OP_ONE_SIDED) {
		struct path path = one_sided_path(world->machine, world, id);
		search_path(sharing, &o, &path);
	}
	return o.best ? o.best : id;
}

int64_t trace_shared(const struct trace *trace, op_id id, op_id *with)
{
	struct sharers sharing = {.trace = trace};
	struct times t = backend_times(trace->backend, id);
	int64_t lost = trace_lost(trace, id, &t);
	*with = lost ? sharing_with(&sharing, id) : 0;
	sharing_release(&sharing);
	return lost;
}

void sharing_release(struct sharers *sharing)
{
	for (int rank = 0; sharing->flows && rank < sharing->trace->world->n; rank++)
		mem_free(sharing->flows[rank].at);
	if (sharing->device)
		mem_free(sharing->device->at);
	mem_free(sharing->device);
	mem_free(sharing->flows);
	mem_free(sharing->of_match);
	mem_free(sharing->links);
	mem_free(sharing->one_sided);
	*sharing = (struct sharers){.trace = sharing->trace};
}

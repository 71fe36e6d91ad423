/* axes.c -- the cost of each mesh axis on a rank: operations, bytes by link, exposed time
 *
 * `group acts by 0 in pp` belongs to pp, so its sends count there.
 *
 * Communication is exposed while no kernel of the rank runs. Each such instant belongs to one
 * group, so the axes' times add up to the rank's:
 *  1. the running group that a stream with kernels waits for, directly or through another stream;
 *  2. if there is none or several, the group whose axis was made first.
 *
 *         0    5    10             25   30                 50
 * compute | F  |e  waits for in    | B  |e  waits for comm |     5 to 25: pp, since compute waits
 * in      |==== recv in pp ========|                             for its recv, although dp runs
 * comm              |========= allreduce in dp ============|     from 10 on; 30 to 50: dp */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "backend/traffic.h"
#include "trace/lanes.h"

#include <stdlib.h>

/* ---- groups ---- */

int trace_axis_of(const struct world *world, int rank, int group)
{
	int axis = group, least = 0;
	if (world->groups[group].axis || world->groups[group].instance_of[rank] < 0)
		return group;
	const struct group_instance *part = group_part(&world->groups[group], rank);
	for (size_t i = 1; i < world->group_count; i++) {
		const struct group *other = &world->groups[i];
		if (!other->axis || other->instance_of[rank] < 0)
			continue;
		int k = 0, n = group_part(other, rank)->n;
		while (k < part->n && other->instance_of[part->ranks[k]] == other->instance_of[rank])
			k++;
		if (k == part->n && (!least || n < least)) {
			axis = (int)i;
			least = n;
		}
	}
	return axis;
}

struct edge {
	int64_t at;
	int group, step; /* 1: begins, -1: ends */
	enum { AWAITED, OTHERS } who;
};

struct sharing {
	const struct lanes *lanes;
	int section;
	struct edge *edge;
	size_t count;
};

static void edges_add(struct sharing *s, int64_t from, int64_t to, int group, int who)
{
	if (from >= to)
		return;
	*MEM_ADD(&s->edge, &s->count) = (struct edge){from, group, 1, who};
	*MEM_ADD(&s->edge, &s->count) = (struct edge){to, group, -1, who};
}

static int group_of(const struct sharing *s, const struct moment *m)
{
	const struct world *world = s->lanes->trace->world;
	bool counts = trace_communicates(m->kind) && trace_in(s->lanes->trace, m->id, s->section);
	return counts ? op_record(world, m->id)->group : -1;
}

/* Returns the operation on the rank's streams that m waits for, by an event or by rule 7 (default
 * and blocking streams); 0 if none. */
static op_id awaited_by(const struct lanes *lanes, const struct moment *m)
{
	const struct world *world = lanes->trace->world;
	op_id id = m->kind == OP_WAIT ? world->ops[m->id].target : m->t.blame;
	if (!id || id == OP_EVERYTHING)
		return 0;
	id = lanes_behind(lanes, id);
	return world->ops[id].rank == lanes->rank && world->ops[id].stream >= STREAM_DEFAULT ? id : 0;
}

/* Adds the communication that the stream waits for in [from, to), also through other streams. Each
 * stream is visited once on a path. */
static void add_awaited(struct sharing *s, int stream, int64_t from, int64_t to, bool asked[STREAMS_MAX + 1])
{
	const struct lanes *lanes = s->lanes;
	uint32_t i = lanes_after(lanes, stream, from), end = lanes->first[stream + 1];
	if (asked[stream])
		return;
	asked[stream] = true;
	for (; i < end && from < to; i++) {
		const struct moment *m = moment_at(lanes, i);
		int64_t ready = m->kind == OP_WAIT ? m->t.end : m->t.ready;
		int group = group_of(s, m);
		op_id id = awaited_by(lanes, m);
		if (id)
			add_awaited(s, lanes->trace->world->ops[id].stream, most_of(from, m->t.issue),
			        least_of(to, ready), asked);
		if (group >= 0 && m->t.end != TIME_UNKNOWN)
			edges_add(s, most_of(from, m->t.start), least_of(to, m->t.end), group, AWAITED);
		from = most_of(from, m->t.end);
	}
	asked[stream] = false;
}

static int by_time(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Of one group: its axis, operations, the first without an end, exposed ns, and the operations
 * that run now: [0] those awaited by a stream with kernels, [1] all */
struct group_share {
	int axis;
	int64_t operations, ns;
	op_id endless;
	int at_it[2];
};

static struct group_share *owner_of(struct group_share *shares, size_t groups)
{
	struct group_share *owner = NULL;
	for (int others = 0; others < 2 && !owner; others++)
		for (size_t i = 0; i < groups; i++)
			if (shares[i].at_it[others] && (!owner || shares[i].axis < owner->axis))
				owner = &shares[i];
	return owner;
}

static void share_out(struct sharing *s, struct group_share *shares, size_t groups)
{
	int kernels = 0;
	if (s->count)
		qsort(s->edge, s->count, sizeof *s->edge, by_time);
	for (size_t i = 0; i < s->count; i++) {
		const struct edge *edge = &s->edge[i];
		struct group_share *owner =
		        kernels || !i || edge->at == edge[-1].at ? NULL : owner_of(shares, groups);
		if (owner)
			owner->ns += edge->at - edge[-1].at;
		if (edge->group < 0)
			kernels += edge->step;
		else
			shares[edge->group].at_it[edge->who == OTHERS] += edge->step;
	}
}

static struct group_share *share_groups(const struct lanes *lanes, int section)
{
	const struct world *world = lanes->trace->world;
	struct group_share *shares = mem_alloc(world->group_count * sizeof *shares);
	struct sharing s = {.lanes = lanes, .section = section};
	bool kernels[STREAMS_MAX + 1] = {false}, asked[STREAMS_MAX + 1] = {false};
	for (size_t i = 0; i < world->group_count; i++)
		shares[i].axis = trace_axis_of(world, lanes->rank, (int)i);
	for (size_t i = 0; i < lanes->count; i++) {
		const struct moment *m = &lanes->moment[i];
		int group = group_of(&s, m);
		bool ends = m->t.end != TIME_UNKNOWN, kernel = trace_computes(world, m->id);
		if (kernel)
			kernels[m->stream] = true;
		if (group >= 0)
			shares[group].operations++;
		if (group >= 0 && !ends && !shares[group].endless)
			shares[group].endless = m->id;
		if (ends && (group >= 0 || kernel))
			edges_add(&s, m->t.start, m->t.end, group, OTHERS);
	}
	for (int stream = STREAM_DEFAULT; stream < lanes->streams; stream++)
		if (kernels[stream])
			add_awaited(&s, stream, 0, TIME_UNKNOWN, asked);
	share_out(&s, shares, world->group_count);
	mem_free(s.edge);
	return shares;
}

static enum status of_axis(const struct trace *trace, int section, int rank, const struct group_share *shares,
        struct axis_use *use)
{
	size_t groups = trace->world->group_count;
	bool *mine = mem_alloc(groups * sizeof *mine);
	op_id endless = 0;
	use->operations = use->exposed_ns = 0;
	for (size_t i = 0; i < groups; i++) {
		mine[i] = (int)i == use->axis || shares[i].axis == use->axis;
		if (!mine[i])
			continue;
		use->operations += shares[i].operations;
		use->exposed_ns += shares[i].ns;
		endless = endless ? endless : shares[i].endless;
	}
	use->known = !endless;
	traffic_sent(trace->backend, trace->world, rank,
	        (struct counted){.section = section, .first = trace->first, .groups = mine}, use->sent);
	mem_free(mine);
	return endless ? trace_never_ends(trace, endless) : ST_OK;
}

enum status metric_axes(const struct trace *trace, int section, int rank, struct axis_use *use, int count)
{
	struct lanes lanes = {0};
	enum status status = lanes_load(&lanes, trace, rank);
	struct group_share *shares = status == ST_OK ? share_groups(&lanes, section) : NULL;
	for (int i = 0; i < count && (status == ST_OK || status == ST_WAITS); i++) {
		enum status own = of_axis(trace, section, rank, shares, &use[i]);
		status = status == ST_OK ? own : status;
	}
	mem_free(shares);
	lanes_release(&lanes);
	return status;
}

size_t trace_axes(const struct world *world, int rank, struct axis_use **use)
{
	size_t axes = 0, count = 0;
	*use = NULL;
	for (size_t i = 1; i < world->group_count; i++)
		axes += world->groups[i].axis && world->groups[i].instance_of[rank] >= 0 &&
		        group_part(&world->groups[i], rank)->n > 1;
	for (size_t i = 1; i <= world->group_count && axes > 1; i++) {
		int group = (int)(i % world->group_count); /* the world, in no axis, last */
		if (world->groups[group].instance_of[rank] >= 0 && trace_axis_of(world, rank, group) == group)
			*MEM_ADD(use, &count) = (struct axis_use){.axis = group};
	}
	return count;
}

/* link.c -- flows on links: copies, transfers, collectives
 *
 * A flow takes its latency first, off the links. Then it moves at full rate divided by the number
 * of flows on its most crowded link. A flow that joins or leaves updates all flows on its links,
 * even if their speed stays equal, so that the order of equal times has no effect.
 *
 *      link 1   | A A A A B B |      A is on links 1 and 2, B on 1, C on 2 and 3.
 *      link 2   | A C |              Links 1 and 2 carry two flows: A, B and C go at half rate.
 *      link 3   | C |                When B ends, A is planned again; C is not.
 *
 * C leaves part of link 3 unused: a link that serves n flows in turn gives each a share of 1/n. A
 * link's flows are a list of ties from one free list (room_for_works). */
#include "sim/engine.h"

int flow_member(const struct engine *e, const struct match *match, int i)
{
	for (int place = 0; place < match->n; place++) {
		const struct op *op = match->member[place] ? op_at(e, match->member[place]) : NULL;
		if (op && op->flags & OPF_STARTED && !(op->flags & OPF_LATE) && i-- == 0)
			return place;
	}
	return -1;
}

/* Returns the links of a flow that is no collective's. */
static struct path flow_path(const struct engine *e, const struct activity *work)
{
	const struct record *record = op_record(e->world, work->op);
	if (work->owner == OWNER_TRANSFER)
		return e->transfers[work->index].path;
	if (record->kind == OP_ONE_SIDED)
		return one_sided_path(machine_then(e, work->op), e->world, work->op);
	int link = e->lanes[work->index].rank * LINK_KINDS + copy_link(copy_way(record));
	return (struct path){.count = 1, .link = {link}};
}

/* Returns the flow's i-th link, an index into e->links; -1 past the last. A collective has the
 * links of all members that count, kind by kind. */
static int flow_link(const struct engine *e, uint32_t work, int i)
{
	const struct activity *w = &e->works[work];
	if (w->owner != OWNER_GROUP) {
		struct path path = flow_path(e, w);
		return i < path.count ? path.link[i] : -1;
	}
	const struct instance *instance = &e->instances[w->index];
	const struct match *match = &e->world->matches[instance->match];
	unsigned kinds = instance->kinds;
	int members = (int)instance->members;
	for (; kinds && i >= members; i -= members)
		kinds &= kinds - 1;
	if (!kinds)
		return -1;
	if (members < match->n)
		i = flow_member(e, match, i);
	return match->ranks[i] * LINK_KINDS + __builtin_ctz(kinds);
}

/* Two flows may share several links: `round` marks those done. */
static void flow_share_anew(struct engine *e, uint32_t work)
{
	e->s.round++;
	for (int i = 0, link; (link = flow_link(e, work, i)) >= 0; i++)
		for (uint32_t t = e->links[link].first; t != NOWHERE; t = e->ties[t].next) {
			uint32_t other = e->ties[t].work, most = 1;
			struct activity *w = &e->works[other];
			if (w->touched == e->s.round)
				continue;
			w->touched = e->s.round;
			for (int k = 0, crowded; (crowded = flow_link(e, other, k)) >= 0; k++) {
				uint32_t count = e->links[crowded].count;
				most = count > most ? count : most;
			}
			work_settle(e, w);
			work_plan(e, other, 1.0 / most);
		}
}

static void flow_join(struct engine *e, uint32_t work)
{
	bool alone = true;
	for (int i = 0, on; (on = flow_link(e, work, i)) >= 0; i++) {
		struct link *link = &e->links[on];
		uint32_t tie = e->s.free_tie;
		e->s.free_tie = e->ties[tie].next;
		e->ties[tie] = (struct tie){work, link->first};
		link->first = tie;
		alone &= link->count++ == 0;
	}
	if (alone)
		work_plan(e, work, 1); /* or no link: a message to itself */
	else
		flow_share_anew(e, work);
}

static void flow_part(struct engine *e, uint32_t work)
{
	bool alone = true;
	for (int i = 0, on; (on = flow_link(e, work, i)) >= 0; i++) {
		struct link *link = &e->links[on];
		uint32_t *at = &link->first;
		while (e->ties[*at].work != work)
			at = &e->ties[*at].next;
		uint32_t tie = *at;
		*at = e->ties[tie].next;
		e->ties[tie].next = e->s.free_tie;
		e->s.free_tie = tie;
		sim_rule(8, link->count > 0);
		alone &= --link->count == 0;
	}
	if (!alone)
		flow_share_anew(e, work);
}

/* Subtracts from the rest what rounding added to the latency, so that only the sum is rounded
 * up. */
void flow_begin(struct engine *e, uint32_t work, double latency_ns, double bytes, double rate)
{
	struct activity *w = &e->works[work];
	double ns = bytes > 0 && rate > 0 ? bytes / rate * 1e9 : 0;
	if (otherwise_takes(e, w->op, latency_ns + ns, &latency_ns))
		ns = 0;
	int64_t latency = ns > 0 ? round_up(latency_ns) : round_up(latency_ns + ns);
	w->left = ns - (latency - latency_ns);
	if (w->left < 0)
		w->left = 0;
	w->phase = PHASE_LATENCY;
	w->since = e->s.now;
	if (latency == 0 && w->left > 0)
		flow_due(e, work);
	else
		agenda_set(e, work, e->s.now + latency, op_order(&e->world->ops[w->op]));
}

bool flow_over(const struct engine *e, uint32_t work)
{
	const struct activity *w = &e->works[work];
	return w->phase == PHASE_FLOW || w->left <= 0;
}

void flow_due(struct engine *e, uint32_t work)
{
	struct activity *w = &e->works[work];
	w->phase = PHASE_FLOW;
	w->since = e->s.now;
	w->share = 1;
	flow_join(e, work);
}

void flow_leave(struct engine *e, uint32_t work)
{
	struct activity *w = &e->works[work];
	agenda_drop(e, work);
	if (w->phase == PHASE_FLOW)
		flow_part(e, work);
	w->phase = PHASE_NONE;
}

/* link.c -- flows on links: copies, transfers, collectives
 *
 * A flow takes its latency first and is on no link meanwhile. Then it moves at its rate alone times its
 * share: one part in as many as the most crowded of its links carries. A flow that comes or goes touches
 * those it shares a link with and nobody else; all of them are brought up to date at that instant, whether
 * their share changes or not, so that the order of equal times means nothing. */
#include "sim/engine.h"

static const struct instance *group_of(const struct engine *e, uint32_t work)
{
	return &e->instances[e->works[work].index];
}

static const struct group_instance *members_of(const struct engine *e, const struct instance *instance)
{
	return &e->world->groups[instance->group].instance[instance->number];
}

int flow_links(const struct engine *e, uint32_t work)
{
	const struct activity *w = &e->works[work];
	if (w->owner == OWNER_LANE)
		return 1;
	if (w->owner == OWNER_TRANSFER)
		return e->transfers[w->index].links;
	const struct instance *instance = group_of(e, work);
	return members_of(e, instance)->n * __builtin_popcount(instance->kinds);
}

/* A collective: the members' links of the first kind, then those of the next. */
static int group_link(const struct engine *e, const struct instance *instance, int i)
{
	const struct group_instance *members = members_of(e, instance);
	unsigned kinds = instance->kinds;
	for (; i >= members->n; i -= members->n)
		kinds &= kinds - 1;
	return members->ranks[i] * LINK_KINDS + __builtin_ctz(kinds);
}

int flow_link(const struct engine *e, uint32_t work, int i)
{
	const struct activity *w = &e->works[work];
	if (w->owner == OWNER_LANE) {
		bool up = copy_way(op_record(e->world, w->op)) == COPY_TO_HOST;
		return (int)e->lanes[w->index].rank * LINK_KINDS + (up ? LINK_UP : LINK_DOWN);
	}
	if (w->owner == OWNER_TRANSFER)
		return e->transfers[w->index].link[i];
	return group_link(e, group_of(e, work), i);
}

/* Of its speed alone, by the most crowded link it is on. */
static double share_of(const struct engine *e, uint32_t work)
{
	uint32_t most = 1;
	for (int i = 0, n = flow_links(e, work); i < n; i++) {
		uint32_t count = e->links[flow_link(e, work, i)].count;
		most = count > most ? count : most;
	}
	return 1.0 / (double)most;
}

/* Brings a flow up to date and plans its end at its share of now; once a round. */
static void touch(struct engine *e, uint32_t work)
{
	struct activity *w = &e->works[work];
	if (w->touched == e->s.round)
		return;
	w->touched = e->s.round;
	work_settle(e, w);
	work_plan(e, work, share_of(e, work));
}

static void touch_neighbours(struct engine *e, uint32_t work)
{
	for (int i = 0, n = flow_links(e, work); i < n; i++)
		for (uint32_t t = e->links[flow_link(e, work, i)].first; t != NOWHERE; t = e->ties[t].next)
			touch(e, e->ties[t].work);
}

/* The flow takes its place on each of its links. */
static void join(struct engine *e, uint32_t work)
{
	bool alone = true;
	for (int i = 0, n = flow_links(e, work); i < n; i++) {
		struct link *link = &e->links[flow_link(e, work, i)];
		uint32_t tie = e->s.free_tie;
		e->s.free_tie = e->ties[tie].next;
		e->ties[tie] = (struct tie){work, link->first};
		link->first = tie;
		alone &= link->count++ == 0;
	}
	if (alone) {
		work_plan(e, work, 1);
		return;
	}
	e->s.round++;
	touch_neighbours(e, work);
}

/* ... and leaves them. */
static void part(struct engine *e, uint32_t work)
{
	bool alone = true;
	for (int i = 0, n = flow_links(e, work); i < n; i++) {
		struct link *link = &e->links[flow_link(e, work, i)];
		uint32_t *at = &link->first;
		while (e->ties[*at].work != work)
			at = &e->ties[*at].next;
		uint32_t tie = *at;
		*at = e->ties[tie].next;
		e->ties[tie].next = e->s.free_tie;
		e->s.free_tie = tie;
		alone &= --link->count == 0;
	}
	if (alone)
		return;
	e->s.round++;
	touch_neighbours(e, work);
}

/* The part of a nanosecond by which the end of the latency is rounded up is taken off the rest: alone,
 * latency and rest add up to their sum rounded up once. */
void flow_begin(struct engine *e, uint32_t work, double latency_ns, double bytes, double rate)
{
	struct activity *w = &e->works[work];
	double ns = bytes > 0 && rate > 0 ? bytes / rate * 1e9 : 0;
	int64_t latency = ns > 0 ? round_up(latency_ns) : round_up(latency_ns + ns);
	w->left = ns - ((double)latency - latency_ns);
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
	join(e, work);
}

void flow_leave(struct engine *e, uint32_t work)
{
	struct activity *w = &e->works[work];
	agenda_drop(e, work);
	if (w->phase == PHASE_FLOW)
		part(e, work);
	w->phase = PHASE_NONE;
}

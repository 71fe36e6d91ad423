/* device.c -- what the lanes of one device share: multiprocessors, copy engines, queues of a disk
 *
 * Each of k running kernels gets (1 - held)/k of the multiprocessors; while kernels of
 * high-priority streams run, only they count. Collectives that wait or run on the rank hold `sms`
 * each, together at most nine tenths. Copies of a direction run in order of arrival.
 *
 *      a ====--------            two kernels of 2 ms, the second 1 ms later: both run at half
 *      b     --------====        speed while they share (-), a ends at 3 ms and b at 4 */
#include "sim/engine.h"

void work_settle(struct engine *e, struct activity *work)
{
	double done = (e->s.now - work->since) * work->share;
	work->left = work->left > done ? work->left - done : 0;
	work->since = e->s.now;
}

void work_plan(struct engine *e, uint32_t index, double share)
{
	struct activity *work = &e->works[index];
	work->share = share;
	agenda_set(e, index, e->s.now + round_up(work->left / share), op_order(&e->world->ops[work->op]));
}

static bool goes_first(const struct engine *e, uint32_t work)
{
	return e->lanes[e->works[work].index].high;
}

static void share_kernels(struct engine *e, struct rank *r)
{
	double held = r->held_part;
	uint32_t first = 0, all = 0;
	for (uint32_t w = r->kernels; w != NOWHERE; w = e->works[w].next, all++)
		first += goes_first(e, w);
	double share = (1 - (held < 0.9 ? held : 0.9)) / (first ? first : all);
	for (uint32_t w = r->kernels; w != NOWHERE; w = e->works[w].next) {
		if (first && !goes_first(e, w) && e->works[w].left > 0) {
			e->works[w].share = 0; /* until the others are done */
			agenda_drop(e, w);
		} else {
			work_plan(e, w, share);
		}
	}
}

static void settle_kernels(struct engine *e, struct rank *r)
{
	for (uint32_t w = r->kernels; w != NOWHERE; w = e->works[w].next)
		work_settle(e, &e->works[w]);
}

void kernel_begin(struct engine *e, uint32_t lane, double ns)
{
	struct rank *r = &e->ranks[e->lanes[lane].rank];
	uint32_t index = e->lanes[lane].work;
	struct activity *work = &e->works[index];
	settle_kernels(e, r);
	work->op = e->lanes[lane].head;
	work->phase = PHASE_KERNEL;
	work->left = ns;
	work->since = e->s.now;
	work->next = r->kernels;
	r->kernels = index;
	share_kernels(e, r);
}

void kernel_end(struct engine *e, uint32_t lane)
{
	struct rank *r = &e->ranks[e->lanes[lane].rank];
	uint32_t index = e->lanes[lane].work, *link = &r->kernels;
	agenda_drop(e, index);
	settle_kernels(e, r);
	sim_rule(8, e->works[index].left < 1);
	while (*link != index)
		link = &e->works[*link].next;
	*link = e->works[index].next;
	e->works[index].phase = PHASE_NONE;
	share_kernels(e, r);
}

void device_hold(struct engine *e, op_id id, int change)
{
	struct rank *r = &e->ranks[e->world->ops[id].rank];
	sim_rule(8, change > 0 || r->held > 0);
	r->held += change;
	r->held_part = r->held ? r->held_part + change * machine_then(e, id)->collective_sms : 0;
	if (r->kernels == NOWHERE)
		return;
	settle_kernels(e, r);
	share_kernels(e, r);
}

/* ---- copies */

static struct engine_line *line_of(struct engine *e, uint32_t lane, enum copy_way way)
{
	return &e->ranks[e->lanes[lane].rank].engine[way];
}

static void copy_begin(struct engine *e, uint32_t lane, struct engine_line *line)
{
	struct stream_queue *l = &e->lanes[lane];
	const struct record *record = op_record(e->world, l->head);
	sim_rule(6, !line->running);
	line->running = l->stream;
	l->state = LANE_RUN;
	lane_begun(e, l->head);
	e->works[l->work].op = l->head;
	flow_begin(e, l->work, record->latency_ns, record->flow_bytes, record->rate);
}

void copy_arrive(struct engine *e, uint32_t lane, enum copy_way way)
{
	struct engine_line *line = line_of(e, lane, way);
	struct stream_queue *l = &e->lanes[lane];
	if (!line->running) {
		copy_begin(e, lane, line);
		return;
	}
	l->state = LANE_ENGINE;
	l->next = 0;
	if (line->last)
		e->lanes[e->ranks[l->rank].lanes + line->last].next = l->stream;
	else
		line->first = l->stream;
	line->last = l->stream;
}

void copy_end(struct engine *e, uint32_t lane, enum copy_way way)
{
	struct engine_line *line = line_of(e, lane, way);
	op_id holder = e->lanes[lane].head;
	uint32_t next = e->ranks[e->lanes[lane].rank].lanes + line->first;
	sim_rule(6, line->running == e->lanes[lane].stream);
	flow_leave(e, e->lanes[lane].work);
	line->running = 0;
	if (!line->first)
		return;
	line->first = e->lanes[next].next;
	if (!line->first)
		line->last = 0;
	op_at(e, e->lanes[next].head)->blame = holder;
	copy_begin(e, next, line);
}

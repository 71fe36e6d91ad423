/* transfer.c -- sends and receives: a transfer begins when both sides are at the heads of their
 * streams. put, get, add: a flow over the links of two ranks, begun by one of them
 *
 * world/ matches the sides in the order of each (source, destination) channel. The parts of one
 * operation (sendrecv, together) run at once, each as a flow; the operation ends with the last.
 *
 * The peer counts the parts that wait for it, so that a stop (run.c) finds them. */
#include "sim/engine.h"
#include "numerics/rank_data.h"

op_id part_other(const struct engine *e, op_id id, int part)
{
	bool sends = op_record(e->world, id)->part[part].direction == P2P_SEND;
	return part_match(e->world, id, part)->member[sends ? 1 : 0];
}

bool op_arrived(const struct engine *e, op_id id)
{
	const struct stream_queue *lane = &e->lanes[lane_of(e, &e->world->ops[id])];
	return lane->head == id && (lane->state == LANE_MATCH || lane->state == LANE_RUN);
}

/* Starts one side; `last` made the other one wait. */
static void side_begin(struct engine *e, op_id id, op_id last)
{
	struct op *op = op_at(e, id);
	struct stream_queue *lane = &e->lanes[lane_of(e, op)];
	if (lane->state == LANE_RUN)
		return;
	lane->state = LANE_RUN;
	if (last != id)
		op->blame = last;
	lane_begun(e, id);
}

static void transfer_begin(struct engine *e, const struct match *match, op_id send, op_id receive, op_id last)
{
	sim_rule(9, match_complete(match) && op_arrived(e, send) && op_arrived(e, receive));
	uint32_t index = make_transfer(e);
	struct transfer *t = &e->transfers[index];
	t->send = send;
	t->receive = receive;
	t->send_part = match_part(e->world, send, match, P2P_SEND);
	t->receive_part = match_part(e->world, receive, match, P2P_RECV);
	side_begin(e, send, last);
	side_begin(e, receive, last);

	const struct op *from = op_at(e, send);
	const struct record *record = record_at(e, from);
	const struct machine *machine = machine_then(e, send);
	double bytes = layout_bytes(&part_operand(record, t->send_part)->layout);
	t->path = (struct path){.rate = machine->memory_rate / 2}; /* within the rank's memory */
	int to = op_at(e, receive)->rank;
	if (to != from->rank)
		machine_path(machine, from->rank, to, &t->path);
	e->works[t->work].op = send;
	if (data_now(e))
		data_transfer_begin(e->data, t->send, t->send_part);
	flow_begin(e, t->work, t->path.latency_ns, bytes, t->path.rate);
}

void transfers_arrive(struct engine *e, uint32_t lane)
{
	struct stream_queue *l = &e->lanes[lane];
	op_id id = l->head;
	const struct record *record = op_record(e->world, id);

	bool with_stopped = false;
	for (int i = 0; i < record->parts && e->stopped_count; i++)
		with_stopped |= rank_stopped(e, record->part[i].peer);
	if (with_stopped && match_put_off(e, lane, NULL))
		return;
	l->state = LANE_MATCH;
	l->left = record->parts;
	for (int i = 0; i < record->parts; i++) {
		const struct part *part = &record->part[i];
		const struct match *match = part_match(e->world, id, i);
		op_id other = part_other(e, id, i);
		bool sends = part->direction == P2P_SEND;
		if (other == id && sends)
			continue; /* its receive begins it */
		if (match->mismatch)
			continue;
		if (other && op_arrived(e, other)) {
			sim_rule(9, other == id || e->ranks[l->rank].awaited > 0);
			if (other != id)
				e->ranks[l->rank].awaited--;
			transfer_begin(e, match, sends ? id : other, sends ? other : id, id);
		} else {
			e->ranks[part->peer].awaited++;
		}
	}
	if (record->parts == 0)
		lane_finish(e, lane);
}

static void side_end(struct engine *e, op_id id)
{
	uint32_t lane = lane_of(e, op_at(e, id));
	sim_rule(9, e->lanes[lane].head == id && e->lanes[lane].left > 0);
	e->ranks[e->lanes[lane].rank].seen = e->s.now;
	if (--e->lanes[lane].left == 0)
		lane_finish(e, lane);
}

static void transfer_release(struct engine *e, uint32_t index)
{
	flow_leave(e, e->transfers[index].work);
	e->transfers[index].send = e->transfers[index].receive = 0;
	e->transfers[index].next = e->s.free_transfer;
	e->s.free_transfer = index;
}

void transfer_due(struct engine *e, uint32_t index)
{
	struct transfer t = e->transfers[index];
	if (!flow_over(e, t.work)) {
		flow_due(e, t.work);
		return;
	}
	transfer_release(e, index);
	if (data_now(e))
		data_transfer_end(e->data, t.send, t.send_part, t.receive, t.receive_part);
	side_end(e, t.send);
	side_end(e, t.receive);
}

void transfers_forget(struct engine *e, uint32_t lane)
{
	op_id id = e->lanes[lane].head;
	const struct record *record = op_record(e->world, id);
	for (int i = 0; i < record->parts; i++) {
		op_id other = part_other(e, id, i);
		if (!part_match(e->world, id, i)->mismatch &&
		        !(other && (op_arrived(e, other) || op_done(e, other))))
			e->ranks[record->part[i].peer].awaited--;
	}
	e->lanes[lane].left = 0;
	for (uint32_t i = 0; i < e->transfers_count; i++)
		if (e->transfers[i].send == id || e->transfers[i].receive == id)
			transfer_release(e, i);
}

/* ---- one-sided operations
 *
 *      rank 0  s     |latency|====== put x -> y@1 ======|      reads x at its start
 *      rank 1                                           y      changes at its end
 *
 * The target has no operation for it and cannot know when it comes. So the ranks of an open window
 * stop together (run.c), and `one_sided` and `reached` count queued operations. */

void one_sided_queued(struct engine *e, op_id id)
{
	e->ranks[e->world->ops[id].rank].one_sided++;
	e->ranks[op_record(e->world, id)->part[0].peer].reached++;
}

void one_sided_done(struct engine *e, const struct op *op, const struct record *record)
{
	sim_rule(12, e->ranks[op->rank].one_sided > 0 && e->ranks[record->part[0].peer].reached > 0);
	e->ranks[op->rank].one_sided--;
	e->ranks[record->part[0].peer].reached--;
}

void one_sided_begin(struct engine *e, uint32_t lane)
{
	struct stream_queue *l = &e->lanes[lane];
	op_id id = l->head;
	struct path path = one_sided_path(machine_then(e, id), e->world, id);
	sim_rule(12, op_done(e, op_at(e, id)->target));
	e->works[l->work].op = id;
	if (data_now(e))
		data_one_sided_begin(e->data, id);
	flow_begin(e, l->work, path.latency_ns, layout_bytes(&op_record(e->world, id)->operand[0].layout),
	        path.rate);
}

void one_sided_end(struct engine *e, uint32_t lane)
{
	op_id id = e->lanes[lane].head;
	flow_leave(e, e->lanes[lane].work);
	e->ranks[op_record(e->world, id)->part[0].peer].seen = e->s.now;
	if (data_now(e))
		data_one_sided_end(e->data, id);
}

void one_sided_forget(struct engine *e, uint32_t lane)
{
	flow_leave(e, e->lanes[lane].work);
	if (data_now(e))
		data_drop(e->data, e->lanes[lane].head);
}

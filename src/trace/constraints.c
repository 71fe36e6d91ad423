/* constraints.c -- the rules of docs/internals/time.md as edges: a stream's order, launches,
 * waits, matches, engines; and slack, by a walk back over them */
#include "trace/constraints.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "backend/cost.h"

#include <stdlib.h>

struct copy_start {
	int64_t start;
	op_id id;
	int way;
};

static int by_start(const void *a, const void *b)
{
	const struct copy_start *x = a, *y = b;
	if (x->way != y->way)
		return x->way - y->way;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Copies of a direction had their engine in the order of their starts. */
static void order_copies(struct constraints *c, const struct lanes *lanes)
{
	struct copy_start *copy = NULL;
	size_t count = 0;
	for (size_t i = 0; i < lanes->count; i++) {
		const struct moment *m = &lanes->moment[i];
		if (m->kind != OP_COPY || m->t.start == TIME_UNKNOWN)
			continue;
		enum copy_way way = copy_way(op_record(c->trace->world, m->id));
		if (way < COPY_ENGINES)
			*MEM_ADD(&copy, &count) = (struct copy_start){m->t.start, m->id, (int)way};
	}
	if (count)
		qsort(copy, count, sizeof *copy, by_start);
	for (size_t i = 1; i < count; i++)
		if (copy[i].way == copy[i - 1].way)
			c->copy_before[copy[i].id] = copy[i - 1].id;
	mem_free(copy);
}

enum status constraints_load(struct constraints *constraints, const struct trace *trace)
{
	const struct world *world = trace->world;
	struct constraints *c = constraints;
	enum status status = ST_OK;
	*c = (struct constraints){.trace = trace,
	        .nodes = (node_id)((world->op_count + 1) * NODES_EACH + world->match_count + 1)};
	c->lanes = mem_alloc((size_t)world->n * sizeof *c->lanes);
	c->copy_before = mem_alloc((world->op_count + 1) * sizeof *c->copy_before);
	for (int rank = 0; rank < world->n && status == ST_OK; rank++) {
		status = lanes_load(&c->lanes[rank], trace, rank);
		if (status == ST_OK)
			order_copies(c, &c->lanes[rank]);
	}
	return status;
}

void constraints_release(struct constraints *constraints)
{
	for (int rank = 0; constraints->lanes && rank < constraints->trace->world->n; rank++)
		lanes_release(&constraints->lanes[rank]);
	mem_free(constraints->lanes);
	mem_free(constraints->copy_before);
	*constraints = (struct constraints){0};
}

static node_id first_meeting(const struct constraints *c)
{
	return (node_id)((c->trace->world->op_count + 1) * NODES_EACH);
}

static node_id node_of_match(const struct constraints *c, uint32_t match)
{
	return first_meeting(c) + match;
}

op_id node_op(const struct constraints *constraints, node_id node)
{
	return node < first_meeting(constraints) ? node / NODES_EACH : 0;
}

const struct moment *node_moment(const struct constraints *constraints, op_id id)
{
	const struct op *op = &constraints->trace->world->ops[id];
	return &constraints->lanes[op->rank].moment[op->number - 1];
}

/* Returns when all members are there and it is their turn: the first start. For a transfer, whose
 * parts begin one by one, returns when both sides are ready. */
static int64_t meeting_time(const struct constraints *c, const struct match *match)
{
	int64_t start = TIME_UNKNOWN, ready = 0;
	for (int i = 0; i < match->n; i++) {
		if (!match->member[i])
			return TIME_UNKNOWN;
		const struct times *t = &node_moment(c, match->member[i])->t;
		start = least_of(start, t->start);
		ready = most_of(ready, t->ready);
	}
	return match->p2p ? ready : start;
}

int64_t node_time(const struct constraints *constraints, node_id node)
{
	op_id id = node_op(constraints, node);
	if (!id)
		return meeting_time(
		        constraints, &constraints->trace->world->matches[node - first_meeting(constraints)]);
	const struct moment *m = node_moment(constraints, id);
	enum node_of of = node_part(node);
	if (of == NODE_ENDED)
		return m->t.end;
	if (op_kind_is_host(m->kind))
		return m->t.start;
	return of == NODE_ISSUED ? m->t.issue : of == NODE_READY ? m->t.ready : m->t.start;
}

struct asked_node {
	const struct constraints *c;
	const struct lanes *lanes; /* of its rank; NULL: a match */
	const struct moment *m;
	int64_t time;
	take_edge *take;
	void *self;
};

static void edge_put(const struct asked_node *a, node_id from, int64_t ns)
{
	int64_t time = node_time(a->c, from);
	if (time != TIME_UNKNOWN && time <= a->time)
		a->take(a->self, from, least_of(ns, a->time - time));
}

static void edge_from_answer(const struct asked_node *a)
{
	struct backend *backend = a->c->trace->backend;
	op_id answer =
	        backend->answer && a->m->stream != STREAM_HOST ? backend->answer(backend, a->m->id) : 0;
	if (answer)
		edge_put(a, node_at(answer, NODE_ENDED), 0);
}

/* Adds edges from the stream's previous operation; by rule 7 also from those of the default stream
 * or of blocking ones. */
static void edges_of_ready(const struct asked_node *a)
{
	int stream = a->m->stream;
	edge_put(a, node_at(a->m->id, NODE_ISSUED), 0);
	edge_from_answer(a);
	if (a->m->place > a->lanes->first[stream])
		edge_put(a, node_at(moment_at(a->lanes, a->m->place - 1)->id, NODE_ENDED), 0);
	for (int s = STREAM_DEFAULT; s < a->lanes->streams; s++) {
		const struct moment *last = lanes_holder(a->lanes, a->m, s);
		if (last)
			edge_put(a, node_at(last->id, NODE_ENDED), 0);
	}
}

/* Work starts when its match is complete; a copy when its engine is free. */
static void edges_of_start(const struct asked_node *a)
{
	const struct constraints *c = a->c;
	edge_put(a, node_at(a->m->id, NODE_READY), 0);
	edge_from_answer(a);
	FOR_MATCHES (of, c->trace->world, a->m->id)
		edge_put(a, node_of_match(c, of.index), 0);
	if (c->copy_before[a->m->id])
		edge_put(a, node_at(c->copy_before[a->m->id], NODE_ENDED), 0);
}

static void edges_of_end(const struct asked_node *a)
{
	const struct moment *m = a->m;
	int64_t whole = m->t.end - m->t.start,
	        alone = m->kind == OP_SEGMENT ? least_of(m->t.alone, whole) : 0;
	bool waits = m->kind == OP_WAIT || m->kind == OP_SYNC || m->kind == OP_SEGMENT;
	edge_put(a, node_at(m->id, NODE_STARTED), waits ? alone : whole);
	/* the operations that a sync or allocation waits for, and its own time after that */
	op_id target = waits ? a->c->trace->world->ops[m->id].target : 0;
	if (target && target != OP_EVERYTHING)
		edge_put(a, node_at(target, NODE_ENDED), alone);
	for (int s = STREAM_DEFAULT; target == OP_EVERYTHING && s < a->lanes->streams; s++) {
		const struct moment *last = lanes_last_before(a->lanes, s, m);
		if (last)
			edge_put(a, node_at(last->id, NODE_ENDED), alone);
	}
	/* a part of a transfer whose other side came while another part was under way */
	FOR_MATCHES (of, a->c->trace->world, m->id) {
		int64_t met = node_time(a->c, node_of_match(a->c, of.index));
		if (m->kind == OP_P2P && met != TIME_UNKNOWN && met > m->t.start)
			edge_put(a, node_of_match(a->c, of.index), a->time - met);
	}
}

static void edges_of_meeting(const struct asked_node *a, const struct match *match)
{
	const struct match *before =
	        !match->p2p && match->before ? &a->c->trace->world->matches[match->before] : NULL;
	for (int i = 0; i < match->n; i++) {
		edge_put(a, node_at(match->member[i], NODE_READY), 0);
		if (before && before->member[i])
			edge_put(a, node_at(before->member[i], NODE_ENDED), 0);
	}
}

void constraints_of(const struct constraints *constraints, node_id node, take_edge *take, void *self)
{
	const struct world *world = constraints->trace->world;
	struct asked_node a = {constraints, NULL, NULL, node_time(constraints, node), take, self};
	op_id id = node_op(constraints, node);
	if (a.time == TIME_UNKNOWN)
		return;
	if (!id) {
		edges_of_meeting(&a, &world->matches[node - first_meeting(constraints)]);
		return;
	}
	a.m = node_moment(constraints, id);
	a.lanes = &constraints->lanes[world->ops[id].rank];
	bool host = op_kind_is_host(a.m->kind);
	switch (node_part(node)) {
	case NODE_ISSUED:
		if (a.m == a.lanes->moment)
			return;
		edge_put(&a, node_at(a.m[-1].id, op_kind_is_host(a.m[-1].kind) ? NODE_ENDED : NODE_ISSUED),
		        host ? 0 : a.m->t.launch);
		return;
	case NODE_READY:
		if (host)
			edge_put(&a, node_at(id, NODE_ISSUED), 0);
		else
			edges_of_ready(&a);
		return;
	case NODE_STARTED:
		edges_of_start(&a);
		return;
	default:
		edges_of_end(&a);
	}
}

/* ---- slack: the latest time of a node is set by its dependents
 *
 *      late(u) = min over edges u -> v of late(v) - ns        after all dependents */

struct pass {
	const struct constraints *c;
	int64_t *late;
	uint32_t *waiting; /* by node: dependents that are not done */
	node_id *next;
	size_t count;
	int64_t late_now;
};

static void count_waiting(void *self, node_id from, int64_t ns)
{
	(void)ns;
	((struct pass *)self)->waiting[from]++;
}

static void lower_late(void *self, node_id from, int64_t ns)
{
	struct pass *pass = self;
	if (pass->late_now != TIME_UNKNOWN)
		pass->late[from] = least_of(pass->late[from], pass->late_now - ns);
	if (--pass->waiting[from] == 0)
		pass->next[pass->count++] = from;
}

/* Slots between operations' nodes and matches are unused. */
static bool is_node(const struct constraints *c, node_id node)
{
	node_id meetings = node_at((op_id)c->trace->world->op_count + 1, 0);
	return node_op(c, node) || node > meetings;
}

static enum status slack_begin(struct pass *pass, int section, int64_t end)
{
	for (node_id node = 0; node < pass->c->nodes; node++) {
		op_id id = node_op(pass->c, node);
		bool ends = id && node_part(node) == NODE_ENDED && trace_counts(pass->c->trace, id, section);
		pass->late[node] = ends ? end : TIME_UNKNOWN;
		if (is_node(pass->c, node))
			constraints_of(pass->c, node, count_waiting, pass);
		if (node % 4096 == 0 && trace_step(pass->c->trace, 1024) != ST_OK)
			return ST_INTERRUPTED;
	}
	for (node_id node = 0; node < pass->c->nodes; node++)
		if (!pass->waiting[node])
			pass->next[pass->count++] = node;
	return ST_OK;
}

static enum status slack_walk(struct pass *pass)
{
	for (size_t seen = 0; pass->count; seen++) {
		node_id node = pass->next[--pass->count];
		if (seen % 4096 == 0 && trace_step(pass->c->trace, 1024) != ST_OK)
			return ST_INTERRUPTED;
		pass->late_now = pass->late[node];
		if (is_node(pass->c, node))
			constraints_of(pass->c, node, lower_late, pass);
	}
	return ST_OK;
}

enum status slack_find(const struct constraints *c, int section, int64_t end, int64_t **slack)
{
	size_t ops = c->trace->world->op_count;
	struct pass pass = {.c = c,
	        .late = mem_alloc(c->nodes * sizeof *pass.late),
	        .waiting = mem_alloc(c->nodes * sizeof *pass.waiting),
	        .next = mem_alloc(c->nodes * sizeof *pass.next)};
	enum status status = slack_begin(&pass, section, end);
	if (status == ST_OK)
		status = slack_walk(&pass);
	*slack = mem_alloc((ops + 1) * sizeof **slack);
	for (op_id id = 1; id <= ops; id++) {
		int64_t late = pass.late[node_at(id, NODE_ENDED)],
		        ended = node_time(c, node_at(id, NODE_ENDED));
		(*slack)[id] = late == TIME_UNKNOWN || ended == TIME_UNKNOWN ? TIME_UNKNOWN : late - ended;
	}
	mem_free(pass.late);
	mem_free(pass.waiting);
	mem_free(pass.next);
	return status;
}

/* slack.c -- backwards over the graph of constraints: the latest time of a node is set by its
 * dependents
 *
 *      late(u) = min over edges u -> v of late(v) - ns        after all dependents */
#include "trace/constraints.h"
#include "trace/lanes.h"
#include "base/arithmetic.h"
#include "base/memory.h"

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

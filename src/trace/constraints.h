/* constraints.h -- private to trace/: what had to be fulfilled before what, as a graph over moments of time
 *
 *      host      | launch a |-> a issued -> a ready -> a starts --duration--> a ends -> b ready ...
 *                                                        ^ all members of its meeting are there
 *
 * An operation has four nodes, a meeting (a match of the books) one. An edge says: no earlier than that node's time and so
 * long. Durations are fixed, with what sharing took; the order in which copies had their engine, too. */
#ifndef RANKSH_TRACE_CONSTRAINTS_H
#define RANKSH_TRACE_CONSTRAINTS_H

#include "trace/lanes.h"

/* Of a host's operation ISSUED and READY are its start. */
enum node_of { NODE_ISSUED, NODE_READY, NODE_STARTED, NODE_ENDED, NODES_EACH };
typedef uint32_t node_id; /* op * NODES_EACH + enum node_of; meetings behind all of those */

struct constraints {
	const struct trace *trace;
	struct lanes *lanes; /* of all ranks */
	op_id *copy_before;  /* by operation: the copy that had its engine before it; 0 none */
	node_id nodes;
};
/* Loads all ranks: about 90 bytes an operation. ST_INTERRUPTED; released in any case */
enum status constraints_load(struct constraints *constraints, const struct trace *trace);
void constraints_release(struct constraints *constraints);

static inline node_id node_at(op_id id, enum node_of of)
{
	return id * NODES_EACH + of;
}
/* 0: it is a meeting */
op_id node_op(const struct constraints *constraints, node_id node);
static inline enum node_of node_part(node_id node)
{
	return (enum node_of)(node % NODES_EACH);
}
/* TIME_UNKNOWN: it never comes */
int64_t node_time(const struct constraints *constraints, node_id node);
const struct moment *node_moment(const struct constraints *constraints, op_id id);
/* Calls take() for each node that `node` waits for, with the time between the two; only such as are known, and no later than
 * itself (measured times may be off). */
typedef void take_edge(void *self, node_id from, int64_t ns);
void constraints_of(const struct constraints *constraints, node_id node, take_edge *take, void *self);

/* slack.c */
/* *slack: by operation, ns that it may end later without moving `end`, where durations stay as they are; TIME_UNKNOWN: it
 * never ends, or is of another section than asked for (-1: any) and nothing of that waits for it. mem_free, in any case.
 * ST_INTERRUPTED */
enum status slack_find(const struct constraints *c, int section, int64_t end, int64_t **slack);

#endif

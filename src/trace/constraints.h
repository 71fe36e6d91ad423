/* constraints.h -- private to trace/: dependencies as a graph over moments of time
 *
 *    host      | launch a |-> a issued -> a ready -> a starts --duration--> a ends -> b ready ...
 *                                                      ^ all members of its match are there
 *
 * An operation has four nodes, a match has one. An edge from a to b with a length in ns says that
 * b is no earlier than a plus that length. Durations (with the loss by sharing) and the order of
 * copies on an engine are fixed. */
#ifndef RANKSH_TRACE_CONSTRAINTS_H
#define RANKSH_TRACE_CONSTRAINTS_H

#include "trace/lanes.h"

/* ISSUED and READY of a host operation are its start. */
enum node_of { NODE_ISSUED, NODE_READY, NODE_STARTED, NODE_ENDED, NODES_EACH };
typedef uint32_t node_id; /* op * NODES_EACH + enum node_of; matches follow */

struct constraints {
	const struct trace *trace;
	struct lanes *lanes; /* of all ranks */
	op_id *copy_before;  /* by operation: the previous copy on its engine; 0 none */
	node_id nodes;
};
/* Loads all ranks, about 90 bytes an operation. The caller releases them in any case. */
enum status constraints_load(struct constraints *constraints, const struct trace *trace);
void constraints_release(struct constraints *constraints);

static inline node_id node_at(op_id id, enum node_of of)
{
	return id * NODES_EACH + of;
}
/* Returns the node's operation; 0 for a match. */
op_id node_op(const struct constraints *constraints, node_id node);
static inline enum node_of node_part(node_id node)
{
	return (enum node_of)(node % NODES_EACH);
}
/* Returns TIME_UNKNOWN if it never happens. */
int64_t node_time(const struct constraints *constraints, node_id node);
const struct moment *node_moment(const struct constraints *constraints, op_id id);
/* Calls take() for each node that `node` depends on, with the length of the edge. Skips nodes with
 * unknown times, and later ones (measured times are inexact). */
typedef void take_edge(void *self, node_id from, int64_t ns);
void constraints_of(const struct constraints *constraints, node_id node, take_edge *take, void *self);

/* Stores by operation how many ns later it may end without moving `end`. TIME_UNKNOWN: it never
 * ends, or neither it nor anything that depends on it is in the section (-1: any). The caller
 * frees *slack with mem_free in any case. */
enum status slack_find(const struct constraints *c, int section, int64_t end, int64_t **slack);

#endif

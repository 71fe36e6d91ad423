/* inside.h -- what the files of src/collectives share: algorithms as rows, and NCCL's tables
 *
 * To add an algorithm: its name in ALGORITHMS (algorithm.h), and one file with a struct algorithm_row.
 * An umbrella header: it brings along what it includes. */
#ifndef RANKSH_COLLECTIVES_INSIDE_H
#define RANKSH_COLLECTIVES_INSIDE_H

#include "collectives/algorithm.h"
#include "collectives/collective.h"
#include "world/op.h"

/* Where a group lives. per_node: members on the node with the fewest. */
struct group_nodes {
	int n, nodes, per_node;
};
/* One collective on one group of one machine. message: bytes. */
struct cost_task {
	const struct collective *collective;
	const struct machine *machine;
	struct group_nodes places;
	double message;
	bool asked; /* for the algorithm, by name; else only what the machine's library would consider */
};

/* A place whose sends are counted, with the machine, the group and the message */
struct sender {
	const struct machine *machine;
	struct cost_group group;
	const struct collective_message *message;
	int place;
	double *sent; /* by kind of link */
};
/* Counts elements that go to a place; those to the sender itself count nothing. */
void send_to(const struct sender *sender, int to, int64_t elements);
/* The place of the member of a node that has `before` others of it before it in the group; -1: none. node: as
 * machine_node's */
int node_member(const struct sender *sender, int node, int before);
/* How many members of the sender's node are before it in the group */
int place_in_node(const struct sender *sender);
/* Elements in halves up and down the two trees over the group's nodes, between the members that have `before` others of
 * their node before them: the sender is one, and each node has one. */
void send_by_trees_of_nodes(const struct sender *sender, int before, int64_t elements);

struct algorithm_row {
	/* The least over its protocols: latency_ns, bytes, rate, protocol. A rate of 0: this collective cannot be done
	 * so there. */
	struct cost (*cost)(const struct cost_task *task);
	const char *needs; /* words for the refusal */
	/* Counts what a place sends, by send_to; of more than one member and one element */
	void (*sends)(const struct sender *sender);
	/* NULL: cannot be unrolled. Returns the number of steps written. */
	bool (*unrolls)(const struct collective *collective);
	int (*steps)(const struct collective *collective, int n, int place, int root, int64_t elements,
	        struct collective_step *steps);
};
#define X(symbol, name) extern const struct algorithm_row algorithm_##name;
ALGORITHMS(X)
#undef X
const struct algorithm_row *algorithm_row(uint8_t algorithm); /* NULL of ALGORITHM_AUTO */

/* How a group lies on the nodes of a machine */
struct group_nodes places_of(const struct machine *machine, struct cost_group group);

/* data.c: what rows choose from, for collective.data */
typedef enum status data_rule(const struct collective_job *job);
data_rule data_reduce, data_broadcast, data_move;

/* The quicker of two, the first where they are equal; one with a rate of 0 is none */
struct cost quicker(struct cost best, struct cost other);

/* Steps of a pipeline around the ranks, and how many of them lie between nodes. */
struct hops {
	int all, between_nodes;
};
/* One way of the plain model: the narrowest and the farthest of a group's links. */
double plain_rate(const struct machine *machine, struct group_nodes places);
double plain_hops_ns(const struct machine *machine, struct hops hops);
int log2_up(int n); /* the least d with 2^d >= n */

/* NCCL's tuning model (src/graph/tuning.cc): see nccl.c. Latencies in us, rates in GB/s. */
enum nccl_protocol { NCCL_LL, NCCL_LL128, NCCL_SIMPLE, NCCL_PROTOCOLS };
enum nccl_algorithm { NCCL_TREE, NCCL_RING, NCCL_ALGORITHMS };
/* An algorithm's latency_ns and rate of *cost */
typedef void nccl_cost_rule(const struct cost_task *task, enum nccl_protocol protocol, struct cost *cost);
/* By the quickest of the protocols that the machine has; the rest of `cost` is the same for all. */
struct cost nccl_quickest(const struct cost_task *task, nccl_cost_rule *rule, struct cost cost);
double nccl_base_us(enum nccl_algorithm algorithm, enum nccl_protocol protocol);
double nccl_hop_us(const struct machine *machine, bool between_nodes, enum nccl_algorithm algorithm,
        enum nccl_protocol protocol);
double nccl_ring_rate(const struct machine *machine, struct group_nodes places, enum nccl_protocol protocol);
double nccl_tree_rate(const struct machine *machine, struct group_nodes places, enum nccl_protocol protocol);

#endif

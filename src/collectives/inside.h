/* inside.h -- shared by src/collectives: algorithm rows and NCCL's tables. An umbrella header. */
#ifndef RANKSH_COLLECTIVES_INSIDE_H
#define RANKSH_COLLECTIVES_INSIDE_H

#include "collectives/algorithm.h"
#include "collectives/collective.h"
#include "world/op.h"

/* A group's nodes. per_node: members on the node with the fewest. */
struct group_nodes {
	int n, nodes, per_node;
};
/* One collective, one group, one machine. message: bytes. */
struct cost_task {
	const struct collective *collective;
	const struct machine *machine;
	struct group_nodes places;
	double message;
	/* the user named the algorithm; false: only those count that NCCL would consider */
	bool asked;
};

/* A place whose sends are counted, with machine, group and message */
struct sender {
	const struct machine *machine;
	struct cost_group group;
	const struct collective_message *message;
	int place;
	double *sent; /* by kind of link */
};
/* Counts elements sent to a place; to the sender itself it counts none. */
void send_to(const struct sender *sender, int to, int64_t elements);
/* Returns the group rank of member number `before`, from 0, on a node (as machine_node's); -1 if
 * none. */
int node_member(const struct sender *sender, int node, int before);
/* Returns how many members on the sender's node precede it in the group. */
int place_in_node(const struct sender *sender);
/* Counts sends along the two trees over the group's nodes, half of the elements on each. Member
 * number `before` of each node takes part, and the sender must be such a member. */
void send_by_trees_of_nodes(const struct sender *sender, int before, int64_t elements);

struct algorithm_row {
	/* Returns latency_ns, bytes, rate and protocol of the cost under the algorithm's best
	 * protocol. A rate of 0: the algorithm is not possible there. */
	struct cost (*cost)(const struct cost_task *task);
	const char *needs; /* requirement, for the refusal */
	/* Counts a place's sends with send_to. Requires two members or more and an element. */
	void (*sends)(const struct sender *sender);
	const struct collective *unrolls[4]; /* ended by NULL */
	/* Returns the number of steps written. NULL if it unrolls none. */
	int (*steps)(const struct collective *collective, int n, int place, int root, int64_t elements,
	        struct collective_step *steps);
};
#define X(symbol, name) extern const struct algorithm_row algorithm_##name;
ALGORITHMS(X)
#undef X

struct group_nodes places_of(const struct machine *machine, struct cost_group group);

/* data.c: the choices for collective.data */
typedef enum status data_rule(const struct collective_job *job);
data_rule data_reduce, data_broadcast, data_move;

/* Returns the faster cost, or `best` if they are equal. A cost with rate 0 is impossible. */
struct cost quicker(struct cost best, struct cost other);

/* Steps in a pipeline around the ranks, and the number of them that cross nodes */
struct hops {
	int all, between_nodes;
};
/* The plain model, without NCCL's tables: the rate of a group's narrowest link, and the latency of
 * the hops. */
double plain_rate(const struct machine *machine, struct group_nodes places);
double plain_hops_ns(const struct machine *machine, struct hops hops);
int log2_up(int n);   /* returns the least d with 2^d >= n */
int log2_down(int n); /* returns the greatest d with 2^d <= n */

/* nccl.c: NCCL's tuning model. Latencies in us, rates in GB/s. */
enum nccl_protocol { NCCL_LL, NCCL_LL128, NCCL_SIMPLE, NCCL_PROTOCOLS };
enum nccl_algorithm { NCCL_TREE, NCCL_RING, NCCL_ALGORITHMS };
/* Returns the cost under the machine's fastest protocol; `bytes` is protocol-independent. */
struct cost nccl_quickest(
        const struct cost_task *task, enum nccl_algorithm algorithm, struct hops hops, double bytes);
/* Returns the base latency plus that of the hops, in us. */
double nccl_hops_us(const struct machine *machine, enum nccl_algorithm algorithm, enum nccl_protocol protocol,
        struct hops hops);
double nccl_ring_rate(const struct machine *machine, struct group_nodes places, enum nccl_protocol protocol);

#endif

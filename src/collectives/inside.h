/* inside.h -- what the files of src/collectives share: algorithms as rows, and NCCL's tables
 *
 * To add an algorithm: its name in ALGORITHMS, and one file with a struct algorithm_row.
 * An umbrella header: it brings along what it includes. */
#ifndef RANKSH_COLLECTIVES_INSIDE_H
#define RANKSH_COLLECTIVES_INSIDE_H

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

struct algorithm_row {
	/* The least over its protocols: latency_ns, bytes, rate, protocol, sent_bytes. A rate of 0: this
	 * collective cannot be done so there. */
	struct cost (*cost)(const struct cost_task *task);
	const char *needs; /* words for the refusal */
	/* NULL: cannot be unrolled. Returns the number of steps written. */
	bool (*unrolls)(const struct collective *collective);
	int (*steps)(const struct collective *collective, int n, int place, int root, int64_t elements,
	        struct collective_step *steps);
};
#define X(symbol, name) extern const struct algorithm_row algorithm_##name;
ALGORITHMS(X)
#undef X

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

/* inside.h -- what the files of src/collectives share: algorithms as rows, and NCCL's tables
 *
 * To add an algorithm: its symbol in ALGORITHMS, one file with a struct algorithm_row, one line in the list
 * of cost.c. */
#ifndef RANKSH_COLLECTIVES_INSIDE_H
#define RANKSH_COLLECTIVES_INSIDE_H

#include "collectives/collective.h"

/* Where a group lives. per_node: members on the node with the fewest. */
struct places {
	int n, nodes, per_node;
};
/* One collective on one group of one machine. message: bytes. */
struct task {
	const struct collective *collective;
	const struct machine *machine;
	struct places places;
	double message;
};

struct algorithm_row {
	enum algorithm algorithm;
	/* The least over its protocols: latency_ns, bytes, rate, protocol, sent_bytes of *cost. False: this
	 * collective cannot be done so there. asked: by name; else only what the machine's library would
	 * consider. */
	bool (*cost)(const struct task *task, bool asked, struct cost *cost);
	const char *needs; /* words for the refusal */
	/* NULL: cannot be unrolled. Returns the number of steps written. */
	bool (*unrolls)(enum collective_kind kind);
	int (*steps)(
	        enum collective_kind kind, int n, int place, int root, int64_t elements, struct step *steps);
};
extern const struct algorithm_row algorithm_ring, algorithm_tree, algorithm_nvls, algorithm_pat;

double cost_ns(const struct cost *cost);
/* *best becomes `other` when that is quicker, or when there is none yet. */
void cost_take(struct cost *best, bool *found, const struct cost *other);

/* Steps of a pipeline around the ranks, and how many of them lie between nodes. */
struct hops {
	int all, between_nodes;
};
struct hops ring_hops(enum collective_kind kind, struct places places);
/* One way of the plain model: the narrowest and the farthest of a group's links. */
double plain_rate(const struct machine *machine, struct places places);
double plain_hops_ns(const struct machine *machine, struct hops hops);
int log2_up(int n); /* the least d with 2^d >= n */

/* NCCL's tuning model (src/graph/tuning.cc): see nccl.c. Latencies in us, rates in GB/s. */
enum nccl_protocol { NCCL_LL, NCCL_LL128, NCCL_SIMPLE, NCCL_PROTOCOLS };
enum nccl_algorithm { NCCL_TREE, NCCL_RING, NCCL_ALGORITHMS };
/* An algorithm's latency_ns, rate and protocol of *cost */
typedef void nccl_cost_rule(const struct task *task, enum nccl_protocol protocol, struct cost *cost);
/* *best: the quickest of the protocols that the machine has; the rest of *cost is the same for all. Always
 * true. */
bool nccl_quickest(const struct task *task, nccl_cost_rule *rule, struct cost *cost, struct cost *best);
const char *nccl_protocol_name(enum nccl_protocol protocol);
bool nccl_has_ll128(const struct machine *machine);
double nccl_base_us(enum nccl_algorithm algorithm, enum nccl_protocol protocol);
double nccl_hop_us(const struct machine *machine, bool between_nodes, enum nccl_algorithm algorithm,
        enum nccl_protocol protocol);
double nccl_ring_rate(const struct machine *machine, struct places places, enum nccl_protocol protocol);
double nccl_tree_rate(const struct machine *machine, struct places places, enum nccl_protocol protocol);

#endif

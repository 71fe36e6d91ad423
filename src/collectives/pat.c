/* pat.c -- parallel aggregated trees: allgather and reducescatter in log2 n steps with growing
 * size, for one GPU per node
 *
 * In step k a rank receives 2^k parts from the rank 2^k away: as many bytes as in a ring, fewer
 * steps. Rank 0's parts in an allgather over 8:
 *
 *      before     0 . . . . . . .
 *      step 0     0 . . . . . . 7      from the rank 1 away: 1 part
 *      step 1     0 . . . . 5 6 7      from the rank 2 away: 2 parts
 *      step 2     0 1 2 3 4 5 6 7      from the rank 4 away: 4 parts
 *
 * A reducescatter is the reverse, with additions. NCCL uses PAT if every rank has its own node:
 * NVIDIA/nccl@5067397 (v2.30.7) src/graph/tuning.cc; 2.8 us per rank: from memory, unverified */
#include "collectives/inside.h"

static const double base_us = 8, hop_us = 14, rank_us = 2.8, hop_shared = 3.5, bus_part = 0.75;

/* In the plain model each step is one hop; as many of them cross nodes as a PAT of the nodes
 * has. */
static struct cost pat_cost(const struct cost_task *task)
{
	const struct collective *collective = task->collective;
	struct group_nodes places = task->places;
	int steps = log2_up(places.n), far = log2_up(places.nodes);
	struct cost cost = {.protocol = ""};

	if (collective != &collective_allgather && collective != &collective_reducescatter)
		return cost;
	cost.bytes = task->message * collective_bus_factor(collective, places.n);
	if (task->machine->nccl != 1) {
		cost.latency_ns = plain_hops_ns(task->machine, (struct hops){steps, far});
		cost.rate = plain_rate(task->machine, places);
	} else if (places.nodes == places.n) {
		cost.latency_ns = 1e3 * (base_us + far * hop_us / hop_shared + places.n * rank_us);
		cost.rate = nccl_ring_rate(task->machine, places, NCCL_SIMPLE) * bus_part * 1e9;
		cost.protocol = "Simple";
	}
	return cost;
}

static void pat_sends(const struct sender *sender)
{
	const struct collective_message *message = sender->message;
	bool forwards = message->collective == &collective_allgather;
	int n = sender->group.n;

	for (int away = 1; away < n; away *= 2) {
		int parts = away < n - away ? away : n - away;
		send_to(sender, (sender->place + (forwards ? away : n - away)) % n,
		        message->elements / n * parts);
	}
}

const struct algorithm_row algorithm_pat = {
        .cost = pat_cost,
        .sends = pat_sends,
        .needs = "by pat: only allgather and reducescatter, and with NCCL only if every rank has its own "
                 "node",
};

/* tree.c -- up to a root and down again: few steps, more bytes
 *
 * Allreduce: two trees, each for half of the message, a leaf of one being an inner rank of the other; the
 * message flows in small parts, so a rank sends 2 x the message, and the depth counts only in latency.
 * Broadcast and reduce: one binomial tree without parts, as it unrolls; the root sends the whole message once
 * a level.
 *
 *        0 ----------> 4          level 1: 0 sends to 4
 *        0 --> 2       4 --> 6    level 2
 *        0>1   2>3     4>5   6>7  level 3
 *
 * The two trees of an allreduce (Sanders, Speck, Traeff 2009), which NCCL builds over the nodes. A leaf only
 * sends up and is sent to; an inner rank does both, for two children. The second tree is the first moved on
 * by a rank, so that no rank is an inner one of both, and what the leaves of one leave idle the other
 * uses. Of 7 ranks:
 *
 *        first half:        3               second half:       4
 *                         /   \                              /   \
 *                        1     5                            2     6
 *                       / \   / \                          / \   / \
 *                      0   2 4   6                        1   3 5   0  */
#include "collectives/inside.h"

int log2_up(int n)
{
	int depth = 0;

	while ((INT64_C(1) << depth) < n)
		depth++;
	return depth;
}

/* Inside a node NCCL's tree is a chain of its GPUs; the nodes form the tree. */
static void nccl_cost(const struct cost_task *task, enum nccl_protocol protocol, struct cost *cost)
{
	struct group_nodes places = task->places;
	double near_us =
	        (places.n / places.nodes - 1) * nccl_hop_us(task->machine, false, NCCL_TREE, protocol);
	int depth = 0;
	while (places.nodes >> (depth + 1))
		depth++;
	double far_us = depth * nccl_hop_us(task->machine, true, NCCL_TREE, protocol);
	double us = nccl_base_us(NCCL_TREE, protocol) + 2 * (near_us + far_us);

	cost->latency_ns = us * 1e3;
	cost->rate = nccl_tree_rate(task->machine, places, protocol) * 1e9;
}

/* Up and down: as many hops as levels, each way, and twice the message through every rank. One way alone is not
 * cut into parts: the root sends the whole message once a level, `depth` times. */
static struct cost plain_cost(const struct cost_task *task, bool both_ways)
{
	int ways = both_ways ? 2 : 1, depth = log2_up(task->places.n), far = log2_up(task->places.nodes);
	double bytes = task->message * (both_ways ? 2 : depth);

	return (struct cost){
	        .latency_ns = plain_hops_ns(task->machine, (struct hops){ways * depth, ways * far}),
	        .bytes = bytes,
	        .rate = plain_rate(task->machine, task->places),
	        .protocol = "",
	        .sent_bytes = bytes};
}

/* NCCL itself broadcasts and reduces by rings only. */
static struct cost tree_cost(const struct cost_task *task)
{
	bool both_ways = task->collective->rounds == 2, nccl = task->machine->nccl == 1;
	struct cost cost = {.bytes = 2 * task->message, .sent_bytes = 2 * task->message};

	if (!both_ways && task->collective != &collective_broadcast && task->collective != &collective_reduce)
		return (struct cost){.rate = 0};
	if (nccl && both_ways)
		return nccl_quickest(task, nccl_cost, cost);
	return !nccl || task->asked ? plain_cost(task, both_ways) : (struct cost){.rate = 0};
}

static bool tree_unrolls(const struct collective *collective)
{
	return collective == &collective_broadcast;
}

/* Binomial: counted from the root, rank v receives from v without its lowest bit, then sends to v plus each
 * lower bit. */
static int tree_steps(const struct collective *collective, int n, int place, int root, int64_t elements,
        struct collective_step *steps)
{
	int v = (place - root + n) % n, count = 0, bit = 1;

	(void)collective;
	if (elements == 0)
		return 0;
	while (bit < n && !(v & bit))
		bit <<= 1;
	if (v > 0)
		steps[count++] = (struct collective_step){
		        .to = -1, .from = (v - bit + root) % n, .recv_count = elements};
	for (bit >>= 1; bit > 0; bit >>= 1) {
		if (v + bit < n)
			steps[count++] = (struct collective_step){
			        .to = (v + bit + root) % n, .from = -1, .send_count = elements};
	}
	return count;
}

const struct algorithm_row algorithm_tree = {
        .cost = tree_cost,
        .needs = "is not done by a tree; allreduce, broadcast and reduce are",
        .unrolls = tree_unrolls,
        .steps = tree_steps,
};

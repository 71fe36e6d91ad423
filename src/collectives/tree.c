/* tree.c -- up to a root and down again: few steps, more bytes
 *
 * Allreduce: two trees, each for half of the message, which is pipelined: a rank sends 2 x the
 * message, and the depth affects only latency. Broadcast and reduce: one binomial tree, not
 * pipelined, as in the unrolled steps; a broadcast's root sends the whole message once per level.
 *
 *        0 ----------> 4          level 1: 0 sends to 4
 *        0 --> 2       4 --> 6    level 2
 *        0>1   2>3     4>5   6>7  level 3
 *
 * An allreduce's two trees (Sanders, Speck, Traeff 2009), which NCCL builds over nodes. The second
 * tree is the first, shifted by one rank, so no rank is inner in both. With 7 ranks:
 *
 *        first half:        3               second half:       4
 *                         /   \                              /   \
 *                        1     5                            2     6
 *                       / \   / \                          / \   / \
 *                      0   2 4   6                        1   3 5   0 */
#include "base/ranks.h"
#include "collectives/inside.h"
#include "machine/machine.h"

enum { LEVELS_MAX = 12 };
_Static_assert(1 << LEVELS_MAX >= RANKS_MAX, "a binomial tree over all ranks");

int log2_down(int n)
{
	return 31 - __builtin_clz((unsigned)n);
}

int log2_up(int n)
{
	return n > 1 ? log2_down(n - 1) + 1 : 0;
}

/* Each way has as many hops as the tree has levels. Without a way back the tree is not pipelined:
 * the root sends the whole message `depth` times. */
static struct cost plain_cost(const struct cost_task *task, bool both_ways)
{
	int ways = both_ways ? 2 : 1, depth = log2_up(task->places.n), far = log2_up(task->places.nodes);
	double bytes = task->message * (both_ways ? 2 : depth);

	return (struct cost){
	        .latency_ns = plain_hops_ns(task->machine, (struct hops){ways * depth, ways * far}),
	        .bytes = bytes,
	        .rate = plain_rate(task->machine, task->places),
	        .protocol = ""};
}

/* NCCL itself broadcasts and reduces only by rings. */
static struct cost tree_cost(const struct cost_task *task)
{
	bool both_ways = task->collective->rounds == 2, nccl = task->machine->nccl == 1;

	if (!both_ways && task->collective != &collective_broadcast && task->collective != &collective_reduce)
		return (struct cost){.rate = 0};
	if (nccl && both_ways) { /* inside a node the tree is a chain of GPUs; the nodes form the tree */
		int near = task->places.n / task->places.nodes - 1, depth = log2_down(task->places.nodes);
		struct hops hops = {2 * (near + depth), 2 * depth};
		return nccl_quickest(task, NCCL_TREE, hops, 2 * task->message);
	}
	return !nccl || task->asked ? plain_cost(task, both_ways) : (struct cost){.rate = 0};
}

/* Numbers places from the root on: v receives from v without its lowest set bit, then sends to v
 * plus each lower bit. */
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

/* Finds a place's parent and children in one of the two trees over n; returns their number. Places
 * are numbered 1 to n: place + 1 in the first tree, place in the second. The lowest set bit b of
 * an inner number v is its level; its children are v - b/2 and v + b/2 (if above n: v + b/4
 * ...). */
static int tree_neighbours(int n, int place, bool second, int neighbour[3])
{
	int v = second && place > 0 ? place : second ? n : place + 1, b = v & -v, count = 0;
	int parent = ((v ^ b) | 2 * b) <= n ? (v ^ b) | 2 * b : v ^ b, right = b / 2;

	while (v + right > n)
		right /= 2;
	if (parent > 0)
		neighbour[count++] = parent;
	if (b > 1)
		neighbour[count++] = v - b / 2;
	if (right > 0)
		neighbour[count++] = v + right;
	for (int i = 0; i < count; i++)
		neighbour[i] = second ? neighbour[i] % n : neighbour[i] - 1;
	return count;
}

/* Counts half of the elements to each neighbour of place `own` in both trees over n places.
 * member: group ranks by place; NULL: the places themselves */
static void send_by_trees(const struct sender *sender, int n, int own, const int *member, int64_t elements)
{
	int neighbour[3];

	for (int half = 0; half < 2; half++)
		for (int i = tree_neighbours(n, own, half == 1, neighbour) - 1; i >= 0; i--)
			send_to(sender, member ? member[neighbour[i]] : neighbour[i],
			        piece_at(elements, 2, half + 1) - piece_at(elements, 2, half));
}

void send_by_trees_of_nodes(const struct sender *sender, int before, int64_t elements)
{
	struct ranks nodes = {0};
	int member[RANKS_MAX], own = 0, n = 0;

	for (int p = 0; p < sender->group.n; p++)
		ranks_add(&nodes, machine_node(sender->machine, sender->group.ranks[p]));
	FOR_RANKS (k, &nodes) {
		if (k == machine_node(sender->machine, sender->group.ranks[sender->place]))
			own = n;
		member[n++] = node_member(sender, k, before);
	}
	if (n > 1)
		send_by_trees(sender, n, own, member, elements);
}

/* As in NCCL: each place sends both ways along its node's chain; the first member sends to other
 * nodes. */
static void send_by_chains(const struct sender *sender)
{
	int node = machine_node(sender->machine, sender->group.ranks[sender->place]);
	int before = place_in_node(sender), next = node_member(sender, node, before + 1);
	if (next >= 0)
		send_to(sender, next, sender->message->elements);
	if (before > 0)
		send_to(sender, node_member(sender, node, before - 1), sender->message->elements);
	else
		send_by_trees_of_nodes(sender, 0, sender->message->elements);
}

/* A broadcast sends as its unrolled steps do, a reduce where the broadcast receives. */
static void send_one_way(const struct sender *sender)
{
	const struct collective_message *message = sender->message;
	struct collective_step steps[LEVELS_MAX + 1];
	bool down = message->collective == &collective_broadcast;
	int count = tree_steps(
	        message->collective, sender->group.n, sender->place, message->root, message->elements, steps);

	for (int i = 0; i < count; i++) {
		int to = down ? steps[i].to : steps[i].from;
		if (to >= 0)
			send_to(sender, to, message->elements);
	}
}

static void tree_sends(const struct sender *sender)
{
	if (sender->message->collective->rounds == 1)
		send_one_way(sender);
	else if (sender->machine->nccl == 1)
		send_by_chains(sender);
	else
		send_by_trees(sender, sender->group.n, sender->place, NULL, sender->message->elements);
}

const struct algorithm_row algorithm_tree = {
        .cost = tree_cost,
        .sends = tree_sends,
        .needs = "is not done by a tree; allreduce, broadcast and reduce are",
        .unrolls = {&collective_broadcast},
        .steps = tree_steps,
};

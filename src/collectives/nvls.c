/* nvls.c -- NVLink-SHARP: the switch adds. A GPU reads its part of the sum from the switch and
 * writes it once, for all.
 *
 *      GPU 0 --a--.              .--- sum, part 0 ---> GPU 0 -- writes it once --.
 *      GPU 1 --b-- [ switch: + ] ---- sum, part 1 ---> GPU 1 -- writes it once --- [ to all ]
 *      GPU 2 --c--'              '--- ...                                        '
 *
 * NVIDIA/nccl@5067397 (v2.30.7) src/graph/tuning.cc: a channel carries rate x efficiency x
 * (channels-1)/channels, twice that for an allreduce, whose two directions overlap; latency 25 us.
 * Between nodes (NVLSTree, allreduce only) the adapters and a tree limit bound a channel, and each
 * tree level adds latency. */
#include "base/arithmetic.h"
#include "collectives/inside.h"
#include "machine/machine.h"

static const double efficiency[] = {0, 0, 0.85, 0.74}; /* by generation */
static const double tree_most[][2] = {
        {0, 0}, {0, 0}, {57.7, 45.5}, {96, 80}};  /* GB/s per channel: 2 nodes, more */
static const double node_us = 25, tree_us = 20.9; /* hwLat: NVLINK.NVLS; NET.NVLSTree */

/* Returns one channel's bus bandwidth in GB/s. */
static double channel_rate(const struct cost_task *task)
{
	const struct machine *machine = task->machine;
	struct group_nodes places = task->places;
	int generation = (int)machine->nccl_generation;
	double channels = machine->nvls_channels;
	double rate = machine->nvls_channel_rate / 1e9 * efficiency[generation] * (channels - 1) / channels;

	if (task->collective != &collective_allreduce)
		return rate * (places.n - 1) / places.n;
	rate *= 2;
	if (places.nodes == 1)
		return rate;
	rate = least_number(rate, tree_most[generation][places.nodes > 2]);
	return least_number(rate, places.per_node * machine->nic_rate / 1e9 / channels);
}

/* Each level of the tree over nodes is crossed up and down. */
static struct cost nvls_cost(const struct cost_task *task)
{
	const struct collective *collective = task->collective;
	const struct machine *machine = task->machine;
	struct group_nodes places = task->places;
	bool reduces = collective == &collective_allreduce, gathers = collective == &collective_allgather;
	int levels = log2_down(places.nodes);

	if (machine->nccl != 1 || machine->nvls_channels < 2 || machine->nccl_generation < 2 ||
	        places.per_node < 2)
		return (struct cost){.rate = 0};
	if (!reduces && (places.nodes > 1 || !(gathers || collective == &collective_reducescatter)))
		return (struct cost){.rate = 0};
	return (struct cost){.latency_ns = 1e3 * (node_us + 2 * levels * tree_us),
	        .bytes = task->message * collective_bus_factor(collective, places.n),
	        .rate = channel_rate(task) * machine->nvls_channels * 1e9,
	        .protocol = "Simple"};
}

/* A GPU sends the switch its own data and its part of the sum. Each node has as many parts as the
 * smallest node has members; between nodes a part goes up and down the trees. */
static void nvls_sends(const struct sender *sender)
{
	const struct collective *collective = sender->message->collective;
	int64_t elements = sender->message->elements, part = 0;
	int parts = places_of(sender->machine, sender->group).per_node, before = place_in_node(sender);

	if (collective == &collective_allreduce && before < parts) {
		part = piece_at(elements, parts, before + 1) - piece_at(elements, parts, before);
		send_by_trees_of_nodes(sender, before, part);
	}
	if (collective == &collective_allgather)
		elements /= sender->group.n;
	sender->sent[LINK_OUT] += (double)(elements + part) * (double)sender->message->size;
}

const struct algorithm_row algorithm_nvls = {
        .cost = nvls_cost,
        .sends = nvls_sends,
        .needs = "by nvls needs NVLink-SHARP and two GPUs of every node; on one node also allgather and "
                 "reducescatter",
};

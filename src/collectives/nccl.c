/* nccl.c -- NCCL's own cost estimates: NVIDIA/nccl@5067397 (v2.30.7) src/graph/tuning.cc
 *
 * time = latency + bytes / bandwidth. The bandwidth is channels x channel rate, reduced by the
 * protocol; the latency is a base plus a hop per step. LL spends half of each word on a flag,
 * LL128 an eighth of each line; Simple spends nothing but waits for whole chunks. */
#include "base/arithmetic.h"
#include "collectives/inside.h"

static const double base_us[NCCL_ALGORITHMS][NCCL_PROTOCOLS] = {
        [NCCL_TREE] = {6.8, 14, 8.4}, [NCCL_RING] = {6.6, 14, 8.4}};

enum hardware { NVLINK, PCI, NET, HARDWARE };
static const double hop_us[HARDWARE][NCCL_ALGORITHMS][NCCL_PROTOCOLS] = {
        [NVLINK] = {[NCCL_TREE] = {0.6, 1.25, 4.0}, [NCCL_RING] = {0.6, 1.9, 3.4}},
        [PCI] = {[NCCL_TREE] = {1.0, 1.9, 4.0}, [NCCL_RING] = {1.0, 2.5, 5.7}},
        [NET] = {[NCCL_TREE] = {5.0, 8.5, 14}, [NCCL_RING] = {2.7, 4.0, 14}},
};

/* By generation (Volta, Ampere, Hopper, Blackwell) and nodes (1, 2, more); GB/s. LL's is for all
 * channels together. On several nodes NCCL goes by the CPU vendor instead of the generation; this
 * uses row 0, Intel's. */
enum { GENERATIONS = 4, SIZES = 3 };
static const double ll_most[GENERATIONS][SIZES] = {
        {39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}};
/* Per channel. Before Hopper tree LL128 has the ring's limits. */
static const double ring_ll128_most[GENERATIONS] = {20, 20, 36.7, 40};
static const double tree_ll128_most[GENERATIONS][SIZES] = {
        {20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}};
static const double tree_most[GENERATIONS][SIZES] = {
        {26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}};

static int size_of(struct group_nodes places)
{
	return places.nodes == 1 ? 0 : places.nodes == 2 ? 1 : 2;
}

double nccl_hops_us(const struct machine *machine, enum nccl_algorithm algorithm, enum nccl_protocol protocol,
        struct hops hops)
{
	enum hardware near = machine->link_switched == 1 ? NVLINK : PCI;
	return base_us[algorithm][protocol] +
	        (hops.all - hops.between_nodes) * hop_us[near][algorithm][protocol] +
	        hops.between_nodes * hop_us[NET][algorithm][protocol];
}

/* Between nodes the smallest node's adapters limit the rate. */
static double channels_rate(const struct machine *machine, struct group_nodes places)
{
	double rate = machine->nccl_channels * machine->nccl_channel_rate / 1e9;

	return places.nodes == 1 ? rate : least_number(rate, places.per_node * machine->nic_rate / 1e9);
}

static double ll_limit(const struct machine *machine, struct group_nodes places)
{
	return ll_most[places.nodes == 1 ? (int)machine->nccl_generation : 0][size_of(places)];
}

double nccl_ring_rate(const struct machine *machine, struct group_nodes places, enum nccl_protocol protocol)
{
	double rate = channels_rate(machine, places);

	if (protocol == NCCL_LL)
		return least_number(ll_limit(machine, places), rate * 0.5);
	if (protocol == NCCL_LL128)
		return least_number(
		        rate * 0.92, machine->nccl_channels * ring_ll128_most[(int)machine->nccl_generation]);
	return rate;
}

static double tree_rate(const struct machine *machine, struct group_nodes places, enum nccl_protocol protocol)
{
	int generation = (int)machine->nccl_generation;
	double rate = least_number(channels_rate(machine, places) * 0.92,
	        machine->nccl_channels * tree_most[generation][size_of(places)]);

	if (protocol == NCCL_LL)
		return least_number(rate / 3.8, ll_limit(machine, places));
	if (protocol == NCCL_LL128)
		return least_number(rate * (places.nodes == 1 ? 7.0 / 9 : 120.0 / 128),
		        machine->nccl_channels * tree_ll128_most[generation][size_of(places)]);
	return rate;
}

struct cost nccl_quickest(
        const struct cost_task *task, enum nccl_algorithm algorithm, struct hops hops, double bytes)
{
	static const char *const names[NCCL_PROTOCOLS] = {"LL", "LL128", "Simple"};
	const struct machine *machine = task->machine;
	struct group_nodes places = task->places;
	struct cost best = {.rate = 0};

	for (enum nccl_protocol protocol = NCCL_LL; protocol < NCCL_PROTOCOLS; protocol++) {
		/* LL128 needs 128-byte stores that arrive whole, as over NVLink */
		if (protocol == NCCL_LL128 && machine->link_switched != 1)
			continue;
		double us = nccl_hops_us(machine, algorithm, protocol, hops);
		/* From 64 bytes per channel and rank on: NCCL's "plateau effect of ring" */
		if (algorithm == NCCL_RING && protocol == NCCL_SIMPLE && places.nodes > 1 &&
		        task->collective == &collective_allreduce &&
		        task->message >= 64 * machine->nccl_channels * places.n)
			us *= 1.4;
		double rate = algorithm == NCCL_RING ? nccl_ring_rate(machine, places, protocol)
		                                     : tree_rate(machine, places, protocol);
		best = quicker(best,
		        (struct cost){.latency_ns = us * 1e3,
		                .bytes = bytes,
		                .rate = rate * 1e9,
		                .protocol = names[protocol]});
	}
	return best;
}

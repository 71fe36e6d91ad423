/* ring.c -- every rank sends to the next, n-1 times round or twice: the least bytes, the most steps
 *
 *        .-> 0 -> 1 -.      n = 4 pieces. Reduce: piece p starts at rank p, goes round and is added to at
 *        '-- 3 <- 2 <'      every stop; after 3 steps rank r holds the sum of piece r+1. Gather: the sums go
 *                           round.
 *
 * Bytes that a rank sends: allreduce 2(n-1)/n of the message, allgather and reducescatter (n-1)/n; broadcast
 * and reduce pass the message on in small parts: all of it once, n-1 hops. */
#include "collectives/inside.h"

struct hops ring_hops(enum collective_kind kind, struct places places)
{
	int rounds = kind == COLLECTIVE_ALLREDUCE || kind == COLLECTIVE_BARRIER ? 2 : 1;

	return (struct hops){rounds * (places.n - 1), rounds * (places.nodes - 1)};
}

static bool ring_can(enum collective_kind kind)
{
	return kind != COLLECTIVE_GATHER && kind != COLLECTIVE_SCATTER && kind != COLLECTIVE_ALLTOALL;
}

static void nccl_cost(const struct task *task, enum nccl_protocol protocol, struct cost *cost)
{
	const struct machine *machine = task->machine;
	struct places places = task->places;
	struct hops hops = ring_hops(task->collective->kind, places);
	double us = nccl_base_us(NCCL_RING, protocol) +
	        (hops.all - hops.between_nodes) * nccl_hop_us(machine, false, NCCL_RING, protocol) +
	        hops.between_nodes * nccl_hop_us(machine, true, NCCL_RING, protocol);

	/* Chunks of 64 bytes a channel and rank and more queue up between nodes: NCCL's "plateau effect of
	 * ring". */
	if (protocol == NCCL_SIMPLE && places.nodes > 1 && task->collective->kind == COLLECTIVE_ALLREDUCE &&
	        task->message >= 64 * machine->nccl_channels * places.n)
		us *= 1.4;
	cost->latency_ns = us * 1e3;
	cost->rate = nccl_ring_rate(machine, places, protocol) * 1e9;
	cost->protocol = nccl_protocol_name(protocol);
}

static bool ring_cost(const struct task *task, bool asked, struct cost *best)
{
	enum collective_kind kind = task->collective->kind;
	struct cost cost = {.algorithm = ALGORITHM_RING, .protocol = ""};
	bool found = false;

	(void)asked;
	if (!ring_can(kind))
		return false;
	cost.bytes = cost.sent_bytes = task->message * collective_bus_factor(kind, task->places.n);
	if (task->machine->nccl != 1) {
		cost.latency_ns = plain_hops_ns(task->machine, ring_hops(kind, task->places));
		cost.rate = plain_rate(task->machine, task->places);
		cost_take(best, &found, &cost);
		return found;
	}
	return nccl_quickest(task, nccl_cost, &cost, best);
}

static bool ring_unrolls(enum collective_kind kind)
{
	return kind == COLLECTIVE_ALLREDUCE || kind == COLLECTIVE_ALLGATHER ||
	        kind == COLLECTIVE_REDUCESCATTER;
}

/* Piece p of n begins here. */
static int64_t piece_at(int64_t elements, int n, int p)
{
	return elements / n * p + elements % n * p / n;
}

/* Once round: in step s a rank sends piece first-s and receives the piece before it. */
static int round_of(int n, int place, int first, bool reduce, int64_t elements, struct step *steps)
{
	int count = 0;

	for (int s = 0; s < n - 1; s++) {
		int out = (first - s + 2 * n) % n, in = (out - 1 + n) % n;
		struct step step = {.to = (place + 1) % n, .from = (place - 1 + n) % n, .reduce = reduce};

		step.send_offset = piece_at(elements, n, out);
		step.send_count = piece_at(elements, n, out + 1) - step.send_offset;
		step.recv_offset = piece_at(elements, n, in);
		step.recv_count = piece_at(elements, n, in + 1) - step.recv_offset;
		if (step.send_count == 0)
			step.to = -1;
		if (step.recv_count == 0)
			step.from = -1;
		if (step.to >= 0 || step.from >= 0)
			steps[count++] = step;
	}
	return count;
}

static int ring_steps(
        enum collective_kind kind, int n, int place, int root, int64_t elements, struct step *steps)
{
	int count = 0;

	(void)root;
	if (kind == COLLECTIVE_REDUCESCATTER) /* one place earlier, so that a rank ends with its own piece */
		return round_of(n, place, place - 1, true, elements, steps);
	if (kind == COLLECTIVE_ALLREDUCE)
		count = round_of(n, place, place, true, elements, steps);
	return count +
	        round_of(n, place, kind == COLLECTIVE_ALLREDUCE ? place + 1 : place, false, elements,
	                steps + count);
}

const struct algorithm_row algorithm_ring = {
        .algorithm = ALGORITHM_RING,
        .cost = ring_cost,
        .needs = "is made of direct sends and receives, not of a ring",
        .unrolls = ring_unrolls,
        .steps = ring_steps,
};

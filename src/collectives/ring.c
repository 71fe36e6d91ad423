/* ring.c -- every rank sends to the next, one round or two: the least bytes, the most steps
 *
 *    .-> 0 -> 1 -.      n = 4 pieces. Reduce: piece p starts at rank p and is added to at every
 *    '-- 3 <- 2 <'      stop; after 3 steps rank r holds the sum of piece r+1. Gather: the sums
 *                       go round.
 *
 * The reduction with n = 4: the arriving piece, and how many inputs it then contains:
 *
 *               rank 0   rank 1   rank 2   rank 3
 *      step 0   3: 2     0: 2     1: 2     2: 2
 *      step 1   2: 3     3: 3     0: 3     1: 3
 *      step 2   1: 4     2: 4     3: 4     0: 4
 *
 * Broadcast and reduce forward the message in small parts: all of it once, n-1 hops. */
#include "collectives/inside.h"

static struct hops ring_hops(const struct cost_task *task)
{
	int rounds = task->collective->rounds;
	return (struct hops){rounds * (task->places.n - 1), rounds * (task->places.nodes - 1)};
}

static struct cost ring_cost(const struct cost_task *task)
{
	const struct machine *machine = task->machine;
	double bytes = task->message * collective_bus_factor(task->collective, task->places.n);

	if (machine->nccl == 1)
		return nccl_quickest(task, NCCL_RING, ring_hops(task), bytes);
	return (struct cost){.latency_ns = plain_hops_ns(machine, ring_hops(task)),
	        .bytes = bytes,
	        .rate = plain_rate(machine, task->places),
	        .protocol = ""};
}

int64_t piece_at(int64_t elements, int n, int p)
{
	return elements / n * p + elements % n * p / n;
}

/* In step s a rank sends piece first-s and receives the preceding one. */
static int round_of(int n, int place, int first, bool reduce, int64_t elements, struct collective_step *steps)
{
	int count = 0;

	for (int s = 0; s < n - 1; s++) {
		int out = (first - s + 2 * n) % n, in = (out - 1 + n) % n;
		int64_t send = piece_at(elements, n, out), receive = piece_at(elements, n, in);
		struct collective_step step = {.send_offset = send,
		        .send_count = piece_at(elements, n, out + 1) - send,
		        .recv_offset = receive,
		        .recv_count = piece_at(elements, n, in + 1) - receive,
		        .reduce = reduce};

		step.to = step.send_count ? (place + 1) % n : -1;
		step.from = step.recv_count ? (place - 1 + n) % n : -1;
		if (step.to >= 0 || step.from >= 0)
			steps[count++] = step;
	}
	return count;
}

/* A reducescatter starts one piece earlier, so that a rank ends with its own piece. */
static int ring_steps(const struct collective *collective, int n, int place, int root, int64_t elements,
        struct collective_step *steps)
{
	(void)root;
	if (collective == &collective_reducescatter)
		return round_of(n, place, place - 1, true, elements, steps);
	if (collective == &collective_allgather)
		return round_of(n, place, place, false, elements, steps);
	int count = round_of(n, place, place, true, elements, steps);
	return count + round_of(n, place, place + 1, false, elements, steps + count);
}

static int64_t piece_elements(const struct sender *sender, int piece)
{
	int n = sender->group.n;
	int64_t elements = sender->message->elements;
	return piece_at(elements, n, piece % n + 1) - piece_at(elements, n, piece % n);
}

/* As in ring_steps: in one round a place sends all pieces except the one after its first. A
 * broadcast ends at the place before the root, a reduce at the root. */
static void ring_sends(const struct sender *sender)
{
	const struct collective_message *message = sender->message;
	int n = sender->group.n, place = sender->place;
	int64_t elements = message->elements;

	if (message->collective->has_root) {
		bool last = message->collective->root_gets ? place == message->root
		                                           : (place + 1) % n == message->root;
		elements = last ? 0 : elements;
	} else if (message->collective == &collective_reducescatter) {
		elements -= piece_elements(sender, place);
	} else {
		elements -= piece_elements(sender, place + 1);
	}
	if (message->collective->rounds == 2)
		elements += message->elements - piece_elements(sender, place + 2);
	send_to(sender, (place + 1) % n, elements);
}

const struct algorithm_row algorithm_ring = {
        .cost = ring_cost,
        .sends = ring_sends,
        .needs = "is made of direct sends and receives, not of a ring",
        .unrolls = {&collective_allreduce, &collective_allgather, &collective_reducescatter},
        .steps = ring_steps,
};

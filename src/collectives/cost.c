/* cost.c -- the fastest algorithm for a collective on a group, or the one named by the user.
 *
 * Every row in ALGORITHMS gives its cost as latency + bytes / rate (Hockney 1994) under its best
 * protocol; the fastest row is taken, as in NCCL:
 *
 *      time
 *       |                         .'  tree: 2 log n hops, more bytes
 *       |                     .'     _ -
 *       |                 .'  _ - '      ring: 2(n-1) hops, the least bytes
 *       |             _.- '
 *       |     _ - ' .'
 *       | - '   .'
 *       +------------------------------------ message
 *
 * Two models: NCCL's tuner (nccl.c) if nccl=1; else the machine's link latency and rate, the
 * textbook model (Thakur, Rabenseifner, Gropp 2005). Gather, scatter and alltoall have no row,
 * because they are direct sends and receives. */
#include "base/arithmetic.h"
#include "collectives/inside.h"
#include "base/ranks.h"
#include "machine/machine.h"

static const struct algorithm_row *const rows[] = {
#define X(symbol, name) &algorithm_##name,
        ALGORITHMS(X)
#undef X
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Row i's algorithm; `auto` has no row. */
static enum algorithm algorithm_of(int i)
{
	return (enum algorithm)(i + ALGORITHM_AUTO + 1);
}

const char *algorithm_name(int algorithm)
{
	static const char *const names[] = {
		"auto",
#define X(symbol, name) #name,
		ALGORITHMS(X)
#undef X
	};
	return names[algorithm];
}

static double cost_ns(const struct cost *cost)
{
	return cost->latency_ns + cost->bytes * 1e9 / cost->rate;
}

struct cost quicker(struct cost best, struct cost other)
{
	bool none = !(best.rate > 0);
	return other.rate > 0 && (none || cost_ns(&other) < cost_ns(&best)) ? other : best;
}

/* A ring through a group crosses between nodes over one adapter. */
double plain_rate(const struct machine *machine, struct group_nodes places)
{
	double rate = machine->link_rate;

	/* over the host, as machine_path() */
	if (places.n > places.nodes && machine->link_switched != 1)
		rate = least_number(rate, least_number(machine->d2h, machine->h2d));
	if (places.n == places.nodes)
		return places.nodes > 1 ? machine->nic_rate : rate;
	return places.nodes > 1 ? least_number(rate, machine->nic_rate) : rate;
}

double plain_hops_ns(const struct machine *machine, struct hops hops)
{
	return (hops.all - hops.between_nodes) * machine->link_latency +
	        hops.between_nodes * machine->nic_latency;
}

struct group_nodes places_of(const struct machine *machine, struct cost_group group)
{
	struct group_nodes places = {.n = group.n, .nodes = 0, .per_node = group.n};
	uint16_t members[RANKS_MAX] = {0};

	for (int i = 0; i < group.n; i++)
		places.nodes += members[machine_node(machine, group.ranks[i])]++ == 0;
	for (int i = 0; i < group.n; i++) {
		int here = members[machine_node(machine, group.ranks[i])];
		places.per_node = here < places.per_node ? here : places.per_node;
	}
	return places;
}

static void transfers_cost(const struct machine *machine, struct group_nodes places, double near_bytes,
        double far_bytes, struct cost *cost)
{
	bool far = places.nodes > 1;
	double near_ns = near_bytes * 1e9 /
	        plain_rate(machine, (struct group_nodes){places.per_node + 1, 1, places.per_node + 1});
	double far_ns = far_bytes * 1e9 / machine->nic_rate;

	cost->bytes = near_bytes + far_bytes;
	cost->rate = far_ns > near_ns ? cost->bytes * 1e9 / far_ns
	        : near_ns > 0         ? cost->bytes * 1e9 / near_ns
	                              : machine->link_rate;
	cost->latency_ns = far ? machine->nic_latency : machine->link_latency;
	if (machine->nccl == 1)
		cost->latency_ns = 1e3 * nccl_hops_us(machine, NCCL_RING, NCCL_SIMPLE, (struct hops){1, far});
	cost->protocol = machine->nccl == 1 ? "Simple" : "";
	cost->algorithm = ALGORITHM_AUTO;
}

/* Links are full duplex: the larger of sent and received bytes counts. */
struct cost split_cost(
        const struct machine *machine, struct cost_group group, int place, const struct split *split)
{
	double near[2] = {0}, far[2] = {0};
	int node = machine_node(machine, group.ranks[place]);
	struct cost cost = {.protocol = "", .rate = machine->link_rate, .latency_ns = machine->link_latency};
	for (int p = 0; p < group.n; p++) {
		double *bytes = machine_node(machine, group.ranks[p]) == node ? near : far;
		if (p == place) /* its own rows stay */
			continue;
		bytes[0] += (double)(rows_to(split, p) * split->row_bytes);
		bytes[1] += (double)(rows_from(split, p) * split->row_bytes);
	}
	if (group.n > 1)
		transfers_cost(machine, places_of(machine, group), most_number(near[0], near[1]),
		        most_number(far[0], far[1]), &cost);
	cost.alone_ns = round_up(cost_ns(&cost));
	return cost;
}

/* A named algorithm is taken even if another is faster. Requires cost->rate 0. */
static enum status choose(const struct cost_task *task, uint8_t algorithm, struct cost *cost)
{
	for (int i = 0; i < ROWS; i++) {
		if (task->asked && algorithm != algorithm_of(i))
			continue;
		struct cost one = rows[i]->cost(task);
		one.algorithm = (uint8_t)algorithm_of(i);
		*cost = quicker(*cost, one);
	}
	if (cost->rate > 0)
		return ST_OK;
	if (!task->asked)
		return fail(ST_ARGUMENT, "%s: the machine %s has no channels for it", task->collective->name,
		        task->machine->name);
	return fail(ST_ARGUMENT, "%s %s (machine %s, %d ranks on %d node%s)", task->collective->name,
	        rows[algorithm - algorithm_of(0)]->needs, task->machine->name, task->places.n,
	        task->places.nodes, task->places.nodes == 1 ? "" : "s");
}

enum status collective_cost(const struct collective *collective, const struct machine *machine,
        struct cost_group group, int64_t message_bytes, uint8_t algorithm, struct cost *cost)
{
	struct cost_task task = {collective, machine, places_of(machine, group), (double)message_bytes,
	        algorithm != ALGORITHM_AUTO};
	struct cost chosen = {.protocol = "", .algorithm = algorithm};
	enum status status = ST_OK;

	if (collective->direct && task.asked)
		return fail(ST_ARGUMENT, "%s consists of sends and receives: there is no algorithm to choose",
		        collective->name);
	if (group.n == 1) {
		chosen.latency_ns = machine->link_latency; /* a kernel with nothing to send */
		chosen.rate = machine->link_rate;
	} else if (collective->direct) { /* gather, scatter, alltoall */
		struct group_nodes places = task.places;
		double part = task.message / places.n;
		transfers_cost(machine, places, part * (places.per_node - 1),
		        part * (places.n - places.per_node), &chosen);
	} else {
		status = choose(&task, algorithm, &chosen);
	}
	if (status != ST_OK)
		return status;
	chosen.alone_ns = round_up(cost_ns(&chosen));
	*cost = chosen;
	return ST_OK;
}

static bool unrolls(const struct algorithm_row *row, const struct collective *collective)
{
	int i = 0;

	while (row->unrolls[i] && row->unrolls[i] != collective)
		i++;
	return row->unrolls[i];
}

bool collective_unrolls(const struct collective *collective)
{
	bool can = false;
	for (int i = 0; i < ROWS; i++)
		can = can || unrolls(rows[i], collective);
	return can;
}

static enum status cannot_be_unrolled(const struct collective *collective, uint8_t algorithm)
{
	struct text known = {0};
	for (int k = 0; collective_at(k); k++)
		for (int i = 0; i < ROWS; i++)
			if (unrolls(rows[i], collective_at(k)))
				text_add(&known, "%s%s by %s", known.count ? ", " : "",
				        collective_at(k)->name, algorithm_name(algorithm_of(i)));
	fail(ST_ARGUMENT, "%s%s%s cannot be unrolled; these can: %s", collective->name,
	        algorithm == ALGORITHM_AUTO ? "" : " algo=",
	        algorithm == ALGORITHM_AUTO ? "" : algorithm_name(algorithm), text_string(&known));
	text_release(&known);
	return ST_ARGUMENT;
}

enum status collective_steps(const struct collective *collective, uint8_t algorithm, int n, int place,
        int root, int64_t elements, struct collective_step *steps, int *count)
{
	for (int i = 0; i < ROWS; i++) {
		bool meant = algorithm == ALGORITHM_AUTO || algorithm == algorithm_of(i);

		if (!meant || !unrolls(rows[i], collective))
			continue;
		*count = n > 1 ? rows[i]->steps(collective, n, place, root, elements, steps) : 0;
		return ST_OK;
	}
	return cannot_be_unrolled(collective, algorithm);
}

/* ---- the bytes a place sends, by link */

void send_to(const struct sender *sender, int to, int64_t elements)
{
	const int *ranks = sender->group.ranks;
	machine_count_sent(sender->machine, ranks[sender->place], ranks[to],
	        (double)elements * (double)sender->message->size, sender->sent);
}

int node_member(const struct sender *sender, int node, int before)
{
	for (int p = 0; p < sender->group.n; p++)
		if (machine_node(sender->machine, sender->group.ranks[p]) == node && before-- == 0)
			return p;
	return -1;
}

int place_in_node(const struct sender *sender)
{
	int own = machine_node(sender->machine, sender->group.ranks[sender->place]), before = 0;
	for (int p = 0; p < sender->place; p++)
		before += machine_node(sender->machine, sender->group.ranks[p]) == own;
	return before;
}

static void send_directly(const struct sender *sender)
{
	const struct collective_message *message = sender->message;
	const struct collective *collective = message->collective;
	int n = sender->group.n, root = message->root, place = sender->place;
	int64_t part = message->elements / n;

	if (collective->root_gets) {
		send_to(sender, root, part);
		return;
	}
	for (int p = 0; p < n && (!collective->has_root || place == root); p++)
		send_to(sender, p,
		        message->split
		                ? rows_to(message->split, p) * message->split->row_bytes / message->size
		                : part);
}

void collective_sent(const struct machine *machine, struct cost_group group,
        const struct collective_message *message, int place, double *sent)
{
	const struct sender sender = {machine, group, message, place, sent};

	if (group.n == 1 || (message->elements == 0 && !message->split))
		return;
	if (message->collective->direct)
		send_directly(&sender);
	else if (message->algorithm != ALGORITHM_AUTO)
		rows[message->algorithm - algorithm_of(0)]->sends(&sender);
}

/* sent.c -- the bytes a place sends in one collective, by link; each algorithm's row supplies them
 *
 *      scatter from 0         0 -> 1, 0 -> 2, 0 -> 3       one part each; the others send nothing
 *      ring                   0 -> 1 -> 2 -> 3 -> 0        only to the next place
 *      broadcast by tree      0 -> 2, 0 -> 1, 2 -> 3       the whole message to each child
 *
 * A rank that sends less is busy as long as the others: the busiest link determines the time
 * (cost.c). */
#include "collectives/inside.h"
#include "machine/machine.h"

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

/* Gather, scatter, alltoall */
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
	const struct algorithm_row *row = algorithm_row(message->algorithm);

	if (group.n == 1 || (message->elements == 0 && !message->split))
		return;
	if (message->collective->direct)
		send_directly(&sender);
	else if (row)
		row->sends(&sender);
}

/* search.h -- depth-first search in a wait-for graph: does what is waited for end, or does it wait for
 * itself?
 *
 * A node is a number from 1 on; who searches says what each waits for. Three colours, as in any textbook
 * (Cormen et al., 22.3):
 *
 *     a -> b -> c -> d        path: a b c         OPEN: what is being followed, a to c
 *          ^    |             d                   CLOSED: all that it waits for was followed
 *          +----+             the edge c -> b     leads to an OPEN node: b and c wait for each other
 *
 * The path is kept in an array, not on the machine's stack: chains of waiting can be as long as a session. */
#ifndef RANKSH_WAITS_SEARCH_H
#define RANKSH_WAITS_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wait_colour { WAIT_UNSEEN, WAIT_OPEN, WAIT_CLOSED };
struct wait_step {
	uint32_t node;
	size_t first, next; /* its edges begin at edges[first]; those before edges[next] were followed */
};
/* Zeroed but for what the caller sets: self, edges_of, colour. */
struct wait_search {
	void *self;
	/* Calls wait_for() for each node that `node` waits for; may set `stop`. Called once for each node. */
	void (*edges_of)(struct wait_search *search, uint32_t node);
	uint8_t *colour; /* by node, enum wait_colour; the caller's, and kept from search to search */
	bool stop;       /* ends the search: what is OPEN becomes UNSEEN again */
	bool stop_at_cycle;
	uint32_t *cycle; /* the first one found: each node waits for the next, the last for the first */
	size_t cycle_count;
	struct wait_step *path;
	size_t depth;
	uint32_t *edges;
	size_t edge_count;
};
void wait_for(struct wait_search *search, uint32_t node); /* within edges_of */
/* Follows everything that `node` waits for, once. */
void wait_follow(struct wait_search *search, uint32_t node);
void wait_search_release(struct wait_search *search); /* all but `colour` */

#endif

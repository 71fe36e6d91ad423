/* search.h -- depth-first search in a wait-for graph: does a wait end, or is it part of a cycle?
 *
 * Nodes are indexes of `colour`; the caller supplies the edges. Three colours (Cormen et al.,
 * 22.3):
 *
 *  a -> b -> c -> d        path: a b c         OPEN: on the path, a to c
 *       ^    |             d                   CLOSED: all its edges were followed
 *       +----+             the edge c -> b     leads to an OPEN node: b and c wait for each other
 */
#ifndef RANKSH_WAITS_SEARCH_H
#define RANKSH_WAITS_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wait_colour { WAIT_UNSEEN, WAIT_OPEN, WAIT_CLOSED };
struct wait_step {
	uint32_t node;
	/* its edges begin at edges[first]; those before edges[next] were followed */
	size_t first, next;
};
/* Zeroed, except for self, edges_of and colour, which the caller sets */
struct wait_search {
	void *self;
	/* Must call wait_for() for each node that `node` waits for; may set `stop`. The search
	 * calls it once for each node. */
	void (*edges_of)(struct wait_search *search, uint32_t node);
	/* by node, enum wait_colour; owned by the caller, kept between searches */
	uint8_t *colour;
	bool stop; /* ends the search: OPEN nodes become UNSEEN */
	bool stop_at_cycle;
	/* the first cycle found: each node waits for the next, the last for the first; kept until
	 * the caller sets cycle_count to 0 */
	uint32_t *cycle;
	size_t cycle_count;
	struct wait_step *path;
	size_t depth;
	uint32_t *edges;
	size_t edge_count;
};
void wait_for(struct wait_search *search, uint32_t node); /* within edges_of */
/* Follows all that `node` waits for, also indirectly; each node once. */
void wait_follow(struct wait_search *search, uint32_t node);
void wait_search_release(struct wait_search *search); /* all but `colour` */

#endif

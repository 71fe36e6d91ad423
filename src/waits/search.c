/* search.c -- depth-first search in a wait-for graph, without recursion: chains are as long as
 * programs
 *
 * path    0 -> 4 -> 9          a node is OPEN on the path, CLOSED when all its edges are followed
 * edges   |4 7|9|0 3|          each step has its edges at the end of one array
 *                              9's edge to 0, which is OPEN, closes a cycle: 0 4 9
 *
 * Each node is opened once, so a search costs only what is new. */
#include "waits/search.h"
#include "base/memory.h"

void wait_for(struct wait_search *search, uint32_t node)
{
	if (search->colour[node] != WAIT_CLOSED)
		*MEM_ADD(&search->edges, &search->edge_count) = node;
}

static void open_node(struct wait_search *search, uint32_t node)
{
	size_t edges = search->edge_count;

	*MEM_ADD(&search->path, &search->depth) = (struct wait_step){node, edges, edges};
	search->colour[node] = WAIT_OPEN;
	search->edges_of(search, node);
}

static void found_cycle(struct wait_search *search, uint32_t node)
{
	size_t from = search->depth;

	search->stop |= search->stop_at_cycle;
	if (search->cycle_count)
		return;
	while (search->path[from - 1].node != node)
		from--;
	for (size_t i = from - 1; i < search->depth; i++) {
		*MEM_ADD(&search->cycle, &search->cycle_count) = search->path[i].node;
	}
}

void wait_follow(struct wait_search *search, uint32_t node)
{
	search->stop = false;
	search->depth = search->edge_count = 0;
	if (search->colour[node] == WAIT_UNSEEN)
		open_node(search, node);
	while (search->depth && !search->stop) {
		struct wait_step *end = &search->path[search->depth - 1];
		/* all its edges are followed, those of later steps removed */
		if (end->next == search->edge_count) {
			search->edge_count = end->first;
			search->colour[end->node] = WAIT_CLOSED;
			search->depth--;
			continue;
		}
		uint32_t next = search->edges[end->next++];
		if (search->colour[next] == WAIT_OPEN)
			found_cycle(search, next);
		else if (search->colour[next] == WAIT_UNSEEN)
			open_node(search, next);
	}
	while (search->depth)
		search->colour[search->path[--search->depth].node] = WAIT_UNSEEN;
}

void wait_search_release(struct wait_search *search)
{
	mem_free(search->cycle);
	mem_free(search->path);
	mem_free(search->edges);
}

/* graph.h -- a graph's nodes, for its two files: capture.c makes them, graph.c launches them */
#ifndef RANKSH_STANDIN_GRAPH_H
#define RANKSH_STANDIN_GRAPH_H

#include "inside.h"

typedef struct CUgraphNode_st *CUgraphNode;
struct CUgraphNode_st {
	int index; /* in its graph */
	struct standin_call call;
	int *after; /* indices */
	int after_count;
	bool last; /* no node comes after it */
};
struct CUgraph_st {
	int holders, count;
	struct CUgraphNode_st **nodes;
};

void graph_let_go(CUgraph graph);
/* A copy of the call, at the graph's end, after nothing; NULL: no memory */
CUgraphNode graph_add(CUgraph graph, const struct standin_call *call);
/* The node comes after the graph's node of that index. 0, or -1: no memory */
int graph_add_after(CUgraph graph, CUgraphNode node, int earlier);

#endif

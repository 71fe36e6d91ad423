/* graph.c -- graphs and their launches. A launch is one piece of work of its stream, which does the nodes in the order of their capture; on the
 * virtual clock each starts when those before it have ended. */
#include "graph.h"
#include <stdlib.h>
#include <string.h>

struct CUgraphExec_st {
	struct CUgraph_st *graph;
	struct item *last; /* launches of one executable come one after the other */
};

void graph_let_go(CUgraph graph)
{
	if (--graph->holders > 0)
		return;
	for (int i = 0; i < graph->count; i++) {
		free((void *)(uintptr_t)graph->nodes[i]->call.argument);
		free(graph->nodes[i]->after);
		free(graph->nodes[i]);
	}
	free(graph->nodes);
	free(graph);
}

CUgraphNode graph_add(CUgraph graph, const struct standin_call *call)
{
	CUgraphNode *nodes = realloc(graph->nodes, (size_t)(graph->count + 1) * sizeof *nodes),
	            node = calloc(1, sizeof *node);
	void *argument = malloc(call->argument_bytes + 1);
	graph->nodes = nodes ? nodes : graph->nodes;
	if (!nodes || !node || !argument) {
		free(node);
		free(argument);
		return NULL;
	}
	if (call->argument_bytes)
		memcpy(argument, call->argument, call->argument_bytes);
	*node = (struct CUgraphNode_st){.index = graph->count, .call = *call, .last = true};
	node->call.argument = argument;
	return nodes[graph->count++] = node;
}

int graph_add_after(CUgraph graph, CUgraphNode node, int earlier)
{
	int *after = realloc(node->after, (size_t)(node->after_count + 1) * sizeof *after);
	if (!after)
		return -1;
	node->after = after;
	after[node->after_count++] = earlier;
	graph->nodes[earlier]->last = false;
	return 0;
}

static CUgraph copy(CUgraph graph)
{
	CUgraph made = calloc(1, sizeof *made);
	if (!made)
		return NULL;
	made->holders = 1;
	for (int i = 0; i < graph->count; i++) {
		CUgraphNode node = graph_add(made, &graph->nodes[i]->call);
		for (int j = 0; node && j < graph->nodes[i]->after_count; j++)
			if (graph_add_after(made, node, graph->nodes[i]->after[j]))
				node = NULL;
		if (!node) {
			graph_let_go(made);
			return NULL;
		}
	}
	return made;
}

CUresult cuGraphDestroy(CUgraph graph)
{
	struct CUctx_st *context;
	CUresult result = enter("cuGraphDestroy", &context);
	if (result)
		return result;
	if (graph)
		graph_let_go(graph);
	return leave(graph ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph, unsigned long long flags)
{
	struct CUctx_st *context;
	CUresult result = enter("cuGraphInstantiate", &context);
	if (result)
		return result;
	CUgraphExec made = flags ? NULL : calloc(1, sizeof *made);
	if (!made || !(made->graph = copy(graph))) {
		free(made);
		return leave(flags ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY);
	}
	*executable = made;
	return leave(CUDA_SUCCESS);
}

CUresult cuGraphExecDestroy(CUgraphExec executable)
{
	struct CUctx_st *context;
	CUresult result = enter("cuGraphExecDestroy", &context);
	if (result)
		return result;
	graph_let_go(executable->graph);
	item_hold(&executable->last, NULL);
	free(executable);
	return leave(CUDA_SUCCESS);
}

/* ends_ns: one a node */
static CUresult run_nodes(CUgraph graph, struct standin_turn *turn, int64_t *ends_ns)
{
	CUresult result = CUDA_SUCCESS;
	for (int i = 0; i < graph->count && !result && !standin_stopped(turn); i++) {
		CUgraphNode node = graph->nodes[i];
		struct standin_turn own = {.start_ns = turn->start_ns, .stop = turn->stop};
		for (int j = 0; j < node->after_count; j++)
			own.start_ns = ends_ns[node->after[j]] > own.start_ns ? ends_ns[node->after[j]]
			                                                      : own.start_ns;
		own.end_ns = own.start_ns + node->call.cost_ns;
		result = work_run(node->call.work, (void *)(uintptr_t)node->call.argument, &own);
		ends_ns[i] = own.end_ns;
		turn->end_ns = own.end_ns > turn->end_ns ? own.end_ns : turn->end_ns;
	}
	return result;
}

static CUresult run(void *argument, struct standin_turn *turn)
{
	CUgraph graph;
	memcpy(&graph, argument, sizeof graph);
	int64_t *ends_ns = calloc((size_t)graph->count + 1, sizeof *ends_ns);
	CUresult result = ends_ns ? run_nodes(graph, turn, ends_ns) : CUDA_ERROR_OUT_OF_MEMORY;
	free(ends_ns);
	return result;
}

static void forget(void *argument)
{
	CUgraph graph;
	memcpy(&graph, argument, sizeof graph);
	graph_let_go(graph);
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream)
{
	struct CUctx_st *context;
	CUresult result = enter("cuGraphLaunch", &context);
	if (result)
		return result;
	CUstream own = stream_of(context, stream);
	if (!own || !executable)
		return leave(CUDA_ERROR_INVALID_HANDLE);
	if (own->capture)
		return leave(capture_spoil(own));
	CUgraph graph = executable->graph;
	bool waits = false;
	for (int i = 0; i < graph->count; i++)
		waits |= graph->nodes[i]->call.waits;
	struct item *item = item_new(&(struct standin_call){.work = run,
	                    .argument = &graph,
	                    .argument_bytes = sizeof graph,
	                    .waits = waits,
	                    .forget = forget}),
	            *held = NULL;
	if (!item)
		return leave(CUDA_ERROR_OUT_OF_MEMORY);
	item_hold(&held, item);
	graph->holders++;
	result = item_after(item, executable->last) ? CUDA_ERROR_OUT_OF_MEMORY
	                                            : stream_queue(context, own, item);
	if (!result)
		item_hold(&executable->last, item);
	item_hold(&held, NULL);
	return leave(result);
}

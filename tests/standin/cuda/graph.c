/* graph.c -- graphs, taken down from streams. A captured call becomes a node, after the nodes that its stream has come to; an event carries such
 * nodes to other streams. A launch is one piece of work of its stream, which does the nodes in the order of their capture; on the virtual clock
 * each starts when those before it have ended. */
#include "inside.h"
#include <stdlib.h>
#include <string.h>

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
struct CUgraphExec_st {
	struct CUgraph_st *graph;
	struct item *last; /* launches of one executable come one after the other */
};
struct capture {
	struct capture *next;
	int64_t number;
	CUstream origin;
	CUgraph graph;
	pthread_t thread;
	CUstreamCaptureMode mode;
	bool spoiled;
};
static struct capture *captures;

static void let_go(CUgraph graph)
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

/* A copy of the call, at the graph's end, after nothing; NULL: no memory */
static CUgraphNode add(CUgraph graph, const struct standin_call *call)
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

static int add_after(CUgraph graph, CUgraphNode node, int earlier)
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
		CUgraphNode node = add(made, &graph->nodes[i]->call);
		for (int j = 0; node && j < graph->nodes[i]->after_count; j++)
			if (add_after(made, node, graph->nodes[i]->after[j]))
				node = NULL;
		if (!node) {
			let_go(made);
			return NULL;
		}
	}
	return made;
}

/* ---- capture */

static int set_joints(CUgraphNode **joints, int *joint_count, CUgraphNode *nodes, int count)
{
	CUgraphNode *made = malloc((size_t)(count + 1) * sizeof(CUgraphNode));
	if (!made)
		return -1;
	if (count)
		memcpy(made, nodes, (size_t)count * sizeof(CUgraphNode));
	free(*joints);
	*joints = made;
	*joint_count = count;
	return 0;
}

CUresult capture_add(CUstream stream, const struct standin_call *call)
{
	struct capture *capture = stream->capture;
	if (capture->spoiled)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	CUgraphNode node = add(capture->graph, call);
	int failed = !node;
	for (int i = 0; !failed && i < stream->joint_count; i++)
		failed = add_after(capture->graph, node, stream->joints[i]->index);
	if (failed || set_joints(&stream->joints, &stream->joint_count, &node, 1))
		return CUDA_ERROR_OUT_OF_MEMORY;
	return CUDA_SUCCESS;
}

CUresult capture_spoil(CUstream stream)
{
	if (stream->capture)
		stream->capture->spoiled = true;
	return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult capture_record(CUstream stream, struct joints *joints)
{
	joints->capture = stream->capture->number;
	return set_joints(&joints->nodes, &joints->count, stream->joints, stream->joint_count)
	        ? CUDA_ERROR_OUT_OF_MEMORY
	        : CUDA_SUCCESS;
}

static struct capture *capture_of(int64_t number)
{
	for (struct capture *one = captures; one; one = one->next)
		if (number && one->number == number)
			return one;
	return NULL;
}

bool capture_live(int64_t number)
{
	return capture_of(number) != NULL;
}

CUresult capture_join(CUstream stream, const struct joints *joints)
{
	struct capture *capture = capture_of(joints->capture);
	if (!capture || (stream->capture && stream->capture != capture))
		return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
	int before = stream->joint_count, count = before + joints->count;
	CUgraphNode *all = malloc((size_t)(count + 1) * sizeof(CUgraphNode));
	if (!all)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (int i = 0; i < count; i++)
		all[i] = i < before ? stream->joints[i] : joints->nodes[i - before];
	free(stream->joints);
	stream->joints = all;
	stream->joint_count = count;
	stream->capture = capture;
	return CUDA_SUCCESS;
}

/* Its streams are as others again. */
static void release(struct CUctx_st *context, struct capture *capture)
{
	for (CUstream one = context->streams; one; one = one->next)
		if (one->capture == capture) {
			one->capture = NULL;
			one->joint_count = 0;
		}
	struct capture **at = &captures;
	while (*at != capture)
		at = &(*at)->next;
	*at = capture->next;
	free(capture);
}

void capture_end(CUstream stream)
{
	struct capture *capture = stream->capture;
	if (!capture)
		return;
	capture->spoiled = true;
	if (capture->origin == stream) {
		let_go(capture->graph);
		release(stream->context, capture);
	}
	stream->capture = NULL;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
	static int64_t number;
	struct CUctx_st *context;
	CUresult result = enter("cuStreamBeginCapture", &context);
	if (result)
		return result;
	CUstream own = stream ? stream_of(context, stream) : NULL;
	if (!own || own->capture)
		return leave(!stream   ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
		                : !own ? CUDA_ERROR_INVALID_HANDLE
		                       : CUDA_ERROR_INVALID_VALUE);
	struct capture *capture = malloc(sizeof *capture);
	CUgraph graph = calloc(1, sizeof *graph);
	if (!capture || !graph) {
		free(capture);
		free(graph);
		return leave(CUDA_ERROR_OUT_OF_MEMORY);
	}
	graph->holders = 1;
	*capture = (struct capture){captures, ++number, own, graph, pthread_self(), mode, false};
	captures = own->capture = capture;
	own->joint_count = 0;
	return leave(CUDA_SUCCESS);
}

/* Every node that is last has to be one that the first stream has come to. */
static bool joined(const struct capture *capture)
{
	for (int i = 0; i < capture->graph->count; i++) {
		bool there = !capture->graph->nodes[i]->last;
		for (int j = 0; j < capture->origin->joint_count; j++)
			there |= capture->origin->joints[j] == capture->graph->nodes[i];
		if (!there)
			return false;
	}
	return true;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
	struct CUctx_st *context;
	CUresult result = enter("cuStreamEndCapture", &context);
	if (result)
		return result;
	CUstream own = stream ? stream_of(context, stream) : NULL;
	struct capture *capture = own ? own->capture : NULL;
	if (!capture)
		return leave(own ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
	if (capture->origin != own)
		return leave(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
	if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
	        !pthread_equal(capture->thread, pthread_self()))
		return leave(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
	result = capture->spoiled ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
	        : joined(capture) ? CUDA_SUCCESS
	                          : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
	*graph = result ? NULL : capture->graph;
	if (result)
		let_go(capture->graph);
	release(context, capture);
	return leave(result);
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
	struct CUctx_st *context;
	CUresult result = enter("cuStreamIsCapturing", &context);
	if (result)
		return result;
	CUstream own = stream_of(context, stream);
	if (own)
		*status = !own->capture         ? CU_STREAM_CAPTURE_STATUS_NONE
		        : own->capture->spoiled ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
		                                : CU_STREAM_CAPTURE_STATUS_ACTIVE;
	return leave(own ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}

/* ---- graphs */

CUresult cuGraphDestroy(CUgraph graph)
{
	struct CUctx_st *context;
	CUresult result = enter("cuGraphDestroy", &context);
	if (result)
		return result;
	if (graph)
		let_go(graph);
	return leave(graph ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	struct CUctx_st *context;
	CUresult result = enter("cuGraphGetNodes", &context);
	if (result)
		return result;
	for (size_t i = 0; nodes && i < *count; i++)
		nodes[i] = i < (size_t)graph->count ? graph->nodes[i] : NULL;
	*count = !nodes || *count > (size_t)graph->count ? (size_t)graph->count : *count;
	return leave(CUDA_SUCCESS);
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

static bool alike(CUgraph a, CUgraph b)
{
	bool same = a->count == b->count;
	for (int i = 0; same && i < a->count; i++) {
		CUgraphNode x = a->nodes[i], y = b->nodes[i];
		same = x->call.work == y->call.work && x->after_count == y->after_count &&
		        (!x->after_count ||
		                !memcmp(x->after, y->after, (size_t)x->after_count * sizeof *x->after));
	}
	return same;
}

/* Launches that are queued stay as they were. */
CUresult cuGraphExecUpdate_v2(CUgraphExec executable, CUgraph graph, CUgraphExecUpdateResultInfo *said)
{
	struct CUctx_st *context;
	CUresult result = enter("cuGraphExecUpdate", &context);
	if (result)
		return result;
	*said = (CUgraphExecUpdateResultInfo){.result = CU_GRAPH_EXEC_UPDATE_SUCCESS};
	if (!alike(executable->graph, graph)) {
		said->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
		return leave(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
	}
	CUgraph made = copy(graph);
	if (!made) {
		said->result = CU_GRAPH_EXEC_UPDATE_ERROR;
		return leave(CUDA_ERROR_OUT_OF_MEMORY);
	}
	let_go(executable->graph);
	executable->graph = made;
	return leave(CUDA_SUCCESS);
}

CUresult cuGraphExecDestroy(CUgraphExec executable)
{
	struct CUctx_st *context;
	CUresult result = enter("cuGraphExecDestroy", &context);
	if (result)
		return result;
	let_go(executable->graph);
	item_hold(&executable->last, NULL);
	free(executable);
	return leave(CUDA_SUCCESS);
}

CUresult cuGraphUpload(CUgraphExec executable, CUstream stream)
{
	struct CUctx_st *context;
	CUresult result = enter("cuGraphUpload", &context);
	if (result)
		return result;
	CUstream own = stream_of(context, stream);
	return leave(!own || !executable
	                ? CUDA_ERROR_INVALID_HANDLE
	                : stream_push(context, own, &(struct standin_call){.cost_ns = COST_COPY}));
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
	let_go(graph);
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

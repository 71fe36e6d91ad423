/* capture.c -- graphs taken down from streams. A captured call becomes a node, after the nodes that its stream has come to; an event carries such
 * nodes to other streams. */
#include "graph.h"
#include <stdlib.h>
#include <string.h>

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
	CUgraphNode node = graph_add(capture->graph, call);
	int failed = !node;
	for (int i = 0; !failed && i < stream->joint_count; i++)
		failed = graph_add_after(capture->graph, node, stream->joints[i]->index);
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
		graph_let_go(capture->graph);
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
		graph_let_go(capture->graph);
	release(context, capture);
	return leave(result);
}

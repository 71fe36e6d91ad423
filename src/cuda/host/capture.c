/* capture.c -- captures the orders of a launch as an executable CUDA graph
 *
 *      stream   captured as                                     events inside
 *      2        matmul        * relu          | wait         *  0: matmul  1: relu  3: the wait
 *      3              wait *    copy       *                    2: copy ...
 *
 * `|` marks the operation that a wait waits for. */
#include "cuda/host/graph.h"
#include "base/memory.h"

struct capture_lane {
	struct host_lane lane;
	int event; /* after the last captured operation; -1: none */
};

struct capturing {
	struct host_thread *host;
	const struct host_order *orders;
	int count;
	struct captured *captured;
	struct capture_lane *lanes; /* the launch's own first */
	size_t lane_count;
	CUevent *joint; /* by operation: the event that waits use */
};

static enum status capture_lane_of(
        struct capturing *capture, const struct host_order *order, struct capture_lane **lane)
{
	const struct cuda_library *cuda = capture->host->cuda;
	CUstream stream;
	for (size_t i = 0; i < capture->lane_count; i++)
		if (capture->lanes[i].lane.number == order->stream) {
			*lane = &capture->lanes[i];
			return ST_OK;
		}
	enum status status = CUDA_CALL(cuda, cuStreamCreateWithPriority, &stream, CU_STREAM_NON_BLOCKING,
	        host_lane_priority(capture->host, order));
	if (status != ST_OK)
		return status;
	*lane = MEM_ADD(&capture->lanes, &capture->lane_count);
	**lane = (struct capture_lane){.lane = {.stream = stream, .number = order->stream}, .event = -1};
	return ST_OK;
}

static enum status mark_end(struct capturing *capture, struct capture_lane *lane)
{
	const struct cuda_library *cuda = capture->host->cuda;
	struct captured *captured = capture->captured;
	enum status status =
	        CUDA_CALL(cuda, cuEventCreate, &captured->event[captured->events], CU_EVENT_DEFAULT);
	if (status != ST_OK)
		return status;
	lane->event = captured->events++;
	return CUDA_CALL(cuda, cuEventRecordWithFlags, captured->event[lane->event], lane->lane.stream,
	        CU_EVENT_RECORD_EXTERNAL);
}

static enum status capture_one(struct capturing *capture, int place)
{
	const struct cuda_library *cuda = capture->host->cuda;
	const struct host_order *order = &capture->orders[place];
	int target = graph_place(capture->orders, capture->count, order->target);
	struct captured_span *span = &capture->captured->span[place];
	struct capture_lane *lane;
	enum status status = capture_lane_of(capture, order, &lane);
	if (status != ST_OK)
		return status;
	span->from = lane->event;
	if (order->record.kind == OP_WAIT && target >= 0)
		status = CUDA_CALL(cuda, cuStreamWaitEvent, lane->lane.stream, capture->joint[target],
		        CU_EVENT_WAIT_DEFAULT);
	else if (order->record.kind == OP_KERNEL)
		status = compute_kernel(capture->host, order, &lane->lane);
	else if (order->record.kind == OP_COPY)
		status = copy_queue(capture->host, order, &lane->lane);
	bool moment = order->record.kind == OP_RECORD || (order->record.kind == OP_WAIT && target < 0);
	if (status == ST_OK && !moment)
		status = mark_end(capture, lane);
	span->to = lane->event;
	bool awaited = false;
	for (int i = 0; i < capture->count && !awaited; i++)
		awaited = capture->orders[i].record.kind == OP_WAIT && capture->orders[i].target == order->id;
	if (status != ST_OK || !awaited)
		return status;
	status = CUDA_CALL(cuda, cuEventCreate, &capture->joint[place], CU_EVENT_DISABLE_TIMING);
	return status == ST_OK ? CUDA_CALL(cuda, cuEventRecord, capture->joint[place], lane->lane.stream)
	                       : status;
}

static enum status capture_all(struct capturing *capture)
{
	const struct cuda_library *cuda = capture->host->cuda;
	struct capture_lane *own;
	CUgraph graph = NULL;
	enum status status = capture_lane_of(capture, &capture->orders[0], &own);
	if (status != ST_OK)
		return status;
	CUstream stream = own->lane.stream;
	status = CUDA_CALL(cuda, cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	if (status != ST_OK)
		return status;
	for (int i = 0; i < capture->count && status == ST_OK; i++)
		status = capture_one(capture, i);
	status = first_failure(status, CUDA_CALL(cuda, cuStreamEndCapture, stream, &graph));
	if (status == ST_OK)
		status = CUDA_CALL(cuda, cuGraphInstantiate, &capture->captured->executable, graph, 0);
	if (graph)
		cuda->cuGraphDestroy(graph);
	return status;
}

enum status capture_make(
        struct host_thread *host, const struct host_order *orders, int count, struct captured *captured)
{
	*captured = (struct captured){.event = mem_alloc((size_t)count * sizeof *captured->event),
	        .span = mem_alloc((size_t)count * sizeof *captured->span)};
	struct capturing capture = {.host = host,
	        .orders = orders,
	        .count = count,
	        .captured = captured,
	        .joint = mem_alloc((size_t)count * sizeof *capture.joint)};
	enum status status = capture_all(&capture);
	for (int i = 0; i < count; i++)
		if (capture.joint[i])
			host->cuda->cuEventDestroy(capture.joint[i]);
	for (size_t i = 0; i < capture.lane_count; i++)
		host->cuda->cuStreamDestroy(capture.lanes[i].lane.stream);
	mem_free(capture.joint);
	mem_free(capture.lanes);
	if (status != ST_OK)
		capture_release(host, captured);
	return status;
}

void capture_release(struct host_thread *host, struct captured *captured)
{
	if (captured->executable)
		host->cuda->cuGraphExecDestroy(captured->executable);
	for (int i = 0; i < captured->events; i++)
		host->cuda->cuEventDestroy(captured->event[i]);
	mem_free(captured->event);
	mem_free(captured->span);
	*captured = (struct captured){0};
}

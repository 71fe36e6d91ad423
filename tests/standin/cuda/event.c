/* event.c -- events. A record is a piece of work of its stream, and the event holds it. */
#include "inside.h"
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct CUevent_st {
	struct CUevent_st *next; /* in its context's list */
	unsigned flags;
	struct item *record;
	struct joints joints; /* where it was recorded while a graph was captured */
};

/* Adds it to the context's; the event, or NULL: no memory */
static CUevent create(struct CUctx_st *context, unsigned flags)
{
	CUevent event = calloc(1, sizeof *event);
	if (!event)
		return NULL;
	*event = (struct CUevent_st){.next = context->events, .flags = flags};
	return context->events = event;
}

static void destroy(struct CUctx_st *context, CUevent event)
{
	CUevent *at = &context->events;
	while (*at && *at != event)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = event->next;
	item_hold(&event->record, NULL);
	free(event->joints.nodes);
	free(event);
}

void events_end(struct CUctx_st *context)
{
	while (context->events)
		destroy(context, context->events);
}

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
	struct CUctx_st *context;
	CUresult result = enter("cuEventCreate", &context);
	if (result)
		return result;
	if (!event || flags > CU_EVENT_DISABLE_TIMING)
		return leave(CUDA_ERROR_INVALID_VALUE);
	*event = create(context, flags);
	return leave(*event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuEventDestroy_v2(CUevent event)
{
	struct CUctx_st *context;
	CUresult result = enter("cuEventDestroy", &context);
	if (result)
		return result;
	destroy(context, event);
	return leave(CUDA_SUCCESS);
}

/* With the lock, of a stream that is not captured */
static CUresult record(struct CUctx_st *context, CUevent event, CUstream stream)
{
	struct item *item = item_new(&(struct standin_call){0}), *held = NULL;
	if (!item)
		return CUDA_ERROR_OUT_OF_MEMORY;
	item_hold(&held, item);
	CUresult result = stream_queue(context, stream, item);
	if (!result)
		item_hold(&event->record, item);
	event->joints.capture = 0;
	item_hold(&held, NULL);
	return result;
}

/* An event whose time is asked for after a graph's launch: the launch does the record. */
struct external {
	CUevent event;
	bool wait;
};
static CUresult external_event(void *argument, struct standin_turn *turn)
{
	struct external call;
	memcpy(&call, argument, sizeof call);
	struct item *item = item_new(&(struct standin_call){0});
	if (!item)
		return CUDA_ERROR_OUT_OF_MEMORY;
	pthread_mutex_lock(&standin_lock);
	if (call.wait) {
		struct item *record = NULL;
		item_hold(&record, call.event->record);
		while (record && !record->done && !standin_stopped(turn))
			pthread_cond_wait(&standin_changed, &standin_lock);
		if (record && record->done && record->end_ns > turn->end_ns)
			turn->end_ns = record->end_ns;
		item_hold(&record, NULL);
		free(item);
	} else {
		item_hold(&call.event->record, item);
		item_finish(item, standin_options()->wall ? standin_now() : turn->end_ns);
	}
	return leave(CUDA_SUCCESS);
}

static CUresult record_event(const char *name, CUevent event, CUstream stream, unsigned flags)
{
	struct CUctx_st *context;
	CUresult result = enter(name, &context);
	if (result)
		return result;
	CUstream own = stream_of(context, stream);
	if (!own || !event)
		return leave(CUDA_ERROR_INVALID_HANDLE);
	if (!own->capture)
		return leave(record(context, event, own));
	if (flags & CU_EVENT_RECORD_EXTERNAL) {
		struct external call = {event, false};
		return leave(capture_add(own,
		        &(struct standin_call){
		                .work = external_event, .argument = &call, .argument_bytes = sizeof call}));
	}
	return leave(capture_record(own, &event->joints));
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
	return record_event("cuEventRecord", event, stream, CU_EVENT_RECORD_DEFAULT);
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
	return record_event("cuEventRecordWithFlags", event, stream, flags);
}

/* With the lock: the stream goes on after what the event was recorded behind. */
static CUresult wait(struct CUctx_st *context, CUstream stream, CUevent event)
{
	if (!event->record)
		return CUDA_SUCCESS;
	struct item *item = item_new(&(struct standin_call){0}), *held = NULL;
	if (!item)
		return CUDA_ERROR_OUT_OF_MEMORY;
	item_hold(&held, item);
	CUresult result = item_after(item, event->record) ? CUDA_ERROR_OUT_OF_MEMORY
	                                                  : stream_queue(context, stream, item);
	item_hold(&held, NULL);
	return result;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
	struct CUctx_st *context;
	CUresult result = enter("cuStreamWaitEvent", &context);
	if (result)
		return result;
	CUstream own = stream_of(context, stream);
	if (!own || !event)
		return leave(CUDA_ERROR_INVALID_HANDLE);
	if (own->capture && (flags & CU_EVENT_WAIT_EXTERNAL)) {
		struct external call = {event, true};
		return leave(capture_add(own,
		        &(struct standin_call){.work = external_event,
		                .argument = &call,
		                .argument_bytes = sizeof call,
		                .waits = true}));
	}
	if (event->joints.capture && capture_live(event->joints.capture))
		return leave(capture_join(own, &event->joints));
	return leave(own->capture ? capture_spoil(own) : wait(context, own, event));
}

/* Asking takes no virtual time: an event may be over that lies ahead of who asks. Who goes on from it waits for it then. */
CUresult cuEventQuery(CUevent event)
{
	struct CUctx_st *context;
	CUresult result = enter("cuEventQuery", &context);
	if (result)
		return result;
	return leave(event->record && !event->record->done ? CUDA_ERROR_NOT_READY : context->error);
}

CUresult cuEventSynchronize(CUevent event)
{
	struct CUctx_st *context;
	CUresult result = enter("cuEventSynchronize", &context);
	if (result)
		return result;
	return leave(item_wait(context, event->record));
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to)
{
	struct CUctx_st *context;
	CUresult result = enter("cuEventElapsedTime", &context);
	if (result)
		return result;
	if (!from || !to || (from->flags | to->flags) & CU_EVENT_DISABLE_TIMING || !from->record ||
	        !to->record)
		return leave(CUDA_ERROR_INVALID_HANDLE);
	if (!from->record->done || !to->record->done)
		return leave(CUDA_ERROR_NOT_READY);
	*milliseconds = (float)((double)(to->record->end_ns - from->record->end_ns) * 1e-6);
	return leave(CUDA_SUCCESS);
}

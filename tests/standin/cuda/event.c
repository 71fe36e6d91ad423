/* event.c -- events. A record is a piece of work of its stream, and the event holds it; that of an event between processes also tells a page
 * that they share, where each record has a number. */
#include "inside.h"
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RING = 256, PAGE = 4096 };
/* Record n is asked for when `asked` comes to n, and done when `done` has; its end is kept until RING more have been. */
struct page {
	uint32_t asked, done;
	int64_t end_ns[RING];
};

struct CUevent_st {
	struct CUevent_st *next; /* in its context's list */
	unsigned flags;
	struct item *record;
	struct joints joints; /* where it was recorded while a graph was captured */
	struct page *
	        page; /* of an event between processes, else NULL; stays mapped, as work may still look at it */
	int fd;
};

struct record {
	struct page *page;
	uint32_t number;
};

static CUresult tell_page(void *argument, struct standin_turn *turn)
{
	struct record record;
	memcpy(&record, argument, sizeof record);
	struct page *page = record.page;
	int64_t end_ns = standin_options()->wall ? standin_now() : turn->end_ns;
	__atomic_store_n(&page->end_ns[record.number % RING], end_ns, __ATOMIC_RELEASE);
	__atomic_store_n(&page->done, record.number, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &page->done, FUTEX_WAKE, 1 << 30, NULL, NULL, 0);
	return CUDA_SUCCESS;
}

static CUresult wait_page(void *argument, struct standin_turn *turn)
{
	struct record record;
	memcpy(&record, argument, sizeof record);
	struct page *page = record.page;
	for (uint32_t done;
	        (int32_t)((done = __atomic_load_n(&page->done, __ATOMIC_SEQ_CST)) - record.number) < 0;) {
		if (standin_stopped(turn))
			return CUDA_ERROR_DEINITIALIZED;
		syscall(SYS_futex, &page->done, FUTEX_WAIT, done, &(struct timespec){.tv_nsec = 5000000},
		        NULL, 0);
	}
	int64_t end_ns = __atomic_load_n(&page->end_ns[record.number % RING], __ATOMIC_ACQUIRE);
	turn->end_ns = end_ns > turn->end_ns ? end_ns : turn->end_ns;
	return CUDA_SUCCESS;
}

/* Adds it to the context's; the event, or NULL: no memory */
static CUevent create(struct CUctx_st *context, unsigned flags, struct page *page, int fd)
{
	CUevent event = calloc(1, sizeof *event);
	if (!event)
		return NULL;
	*event = (struct CUevent_st){.next = context->events, .flags = flags, .page = page, .fd = fd};
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
	if (event->fd >= 0)
		close(event->fd);
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
	if (!event || flags > 7 || ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING)))
		return leave(CUDA_ERROR_INVALID_VALUE);
	void *page = NULL;
	int fd = -1;
	if ((flags & CU_EVENT_INTERPROCESS) && standin_share(PAGE, &page, &fd))
		return leave(CUDA_ERROR_OPERATING_SYSTEM);
	*event = create(context, flags, page, fd);
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
	struct standin_call call = {.cost_ns = 0};
	struct record told = {event->page, 0};
	if (event->page) {
		told.number = __atomic_add_fetch(&event->page->asked, 1, __ATOMIC_SEQ_CST);
		call = (struct standin_call){
		        .work = tell_page, .argument = &told, .argument_bytes = sizeof told};
	}
	struct item *item = item_new(&call), *held = NULL;
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
	struct standin_call call = {.cost_ns = 0};
	struct record told = {event->page, 0};
	if (event->page) {
		told.number = __atomic_load_n(&event->page->asked, __ATOMIC_SEQ_CST);
		call = (struct standin_call){
		        .work = wait_page, .argument = &told, .argument_bytes = sizeof told, .waits = true};
	} else if (!event->record)
		return CUDA_SUCCESS;
	struct item *item = item_new(&call), *held = NULL;
	if (!item)
		return CUDA_ERROR_OUT_OF_MEMORY;
	item_hold(&held, item);
	CUresult result = event->page || !item_after(item, event->record)
	        ? stream_queue(context, stream, item)
	        : CUDA_ERROR_OUT_OF_MEMORY;
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

/* Of an event that another process has made: 1: the record that was asked for last is done */
static int page_done(const struct page *page)
{
	uint32_t asked = __atomic_load_n(&page->asked, __ATOMIC_SEQ_CST);
	return (int32_t)(__atomic_load_n(&page->done, __ATOMIC_SEQ_CST) - asked) >= 0;
}

/* Asking takes no virtual time: an event may be over that lies ahead of who asks. Who goes on from it waits for it then. */
CUresult cuEventQuery(CUevent event)
{
	struct CUctx_st *context;
	CUresult result = enter("cuEventQuery", &context);
	if (result)
		return result;
	if (event->page)
		return leave(page_done(event->page) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY);
	return leave(event->record && !event->record->done ? CUDA_ERROR_NOT_READY : context->error);
}

CUresult cuEventSynchronize(CUevent event)
{
	struct CUctx_st *context;
	CUresult result = enter("cuEventSynchronize", &context);
	if (result)
		return result;
	if (!event->page)
		return leave(item_wait(context, event->record));
	struct record told = {event->page, __atomic_load_n(&event->page->asked, __ATOMIC_SEQ_CST)};
	struct standin_turn turn = {.stop = &context->stop, .end_ns = standin_now()};
	leave(CUDA_SUCCESS);
	result = told.number ? wait_page(&told, &turn) : CUDA_SUCCESS;
	if (!standin_options()->wall)
		standin_sleep_until(turn.end_ns);
	return result;
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

struct event_handle {
	int pid, fd;
};

CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
	struct CUctx_st *context;
	CUresult result = enter("cuIpcGetEventHandle", &context);
	if (result)
		return result;
	if (!event || !event->page || event->fd < 0)
		return leave(CUDA_ERROR_INVALID_HANDLE);
	struct event_handle told = {getpid(), event->fd};
	memset(handle, 0, sizeof *handle);
	memcpy(handle->reserved, &told, sizeof told);
	return leave(CUDA_SUCCESS);
}

CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle)
{
	struct CUctx_st *context;
	struct event_handle told;
	void *page;
	CUresult result = enter("cuIpcOpenEventHandle", &context);
	if (result)
		return result;
	memcpy(&told, handle.reserved, sizeof told);
	if (told.pid == getpid())
		return leave(CUDA_ERROR_INVALID_CONTEXT);
	if (standin_attach(told.pid, told.fd, PAGE, &page))
		return leave(CUDA_ERROR_INVALID_HANDLE);
	*event = create(context, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING, page, -1);
	if (!*event)
		munmap(page, PAGE);
	return leave(*event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

/* stream.c -- streams: a thread each, that does what is queued one after the other. An item starts, on the virtual clock, at the latest of its
 * stream's time, the call's time and latency, and the ends of what it comes after. */
#include "inside.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* With the lock: when the item may start, once all that it comes after has ended */
static int64_t start_of(CUstream stream, struct item *item)
{
	int64_t start_ns = later(stream->now_ns, item->issued_ns + standin_cost(COST_START, 0));
	for (int i = 0; i < item->after_count; i++) {
		while (!item->after[i]->done && !stream->context->stop)
			pthread_cond_wait(&standin_changed, &standin_lock);
		start_ns = later(start_ns, item->after[i]->end_ns);
	}
	return standin_options()->wall ? standin_now() : start_ns;
}

static void serve_one(CUstream stream)
{
	struct item *item = stream->first;
	struct CUctx_st *context = stream->context;
	int64_t start_ns = start_of(stream, item);
	struct standin_turn turn = {
	        .start_ns = start_ns, .end_ns = start_ns + item->cost_ns, .stop = &context->stop};
	if (!context->stop) {
		pthread_mutex_unlock(&standin_lock);
		CUresult result = work_run(item->work, item->argument, &turn);
		pthread_mutex_lock(&standin_lock);
		if (result && !context->stop)
			spoil(context, result);
	}
	stream->now_ns = turn.end_ns;
	stream->ends_ns[stream->finished++ % QUEUE_LENGTH] = turn.end_ns;
	stream->first = item->next;
	if (!stream->first)
		stream->last = NULL;
	item_finish(item, turn.end_ns);
	item_hold(&item, NULL);
}

static void remove_stream(CUstream stream)
{
	CUstream *at = &stream->context->streams;
	while (*at != stream)
		at = &(*at)->next;
	*at = stream->next;
	if (stream->context->legacy == stream)
		stream->context->legacy = NULL;
	stream->context->threads--;
	item_hold(&stream->tail, NULL);
	pthread_cond_destroy(&stream->more);
	pthread_cond_broadcast(&standin_changed);
	free(stream->joints);
	free(stream);
}

static void *serve(void *argument)
{
	CUstream stream = argument;
	pthread_mutex_lock(&standin_lock);
	while (stream->first || !stream->leaving)
		if (stream->first)
			serve_one(stream);
		else
			pthread_cond_wait(&stream->more, &standin_lock);
	remove_stream(stream);
	pthread_mutex_unlock(&standin_lock);
	return NULL;
}

/* A thread that no signal comes to but its own faults */
static int start_thread(CUstream stream)
{
	sigset_t all, before;
	pthread_t thread;
	pthread_attr_t attributes;
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int failed = pthread_create(&thread, &attributes, serve, stream);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return failed;
}

/* With the lock; NULL: no memory, no thread */
static CUstream create(struct CUctx_st *context, unsigned flags, int priority)
{
	CUstream stream = calloc(1, sizeof *stream);
	if (!stream)
		return NULL;
	stream->context = context;
	stream->blocking = !(flags & CU_STREAM_NON_BLOCKING);
	stream->priority = priority;
	pthread_cond_init(&stream->more, NULL);
	if (start_thread(stream)) {
		pthread_cond_destroy(&stream->more);
		free(stream);
		return NULL;
	}
	stream->next = context->streams;
	context->streams = stream;
	context->threads++;
	return stream;
}

CUstream stream_of(struct CUctx_st *context, CUstream stream)
{
	if (!stream) {
		if (!context->legacy)
			context->legacy = create(context, CU_STREAM_DEFAULT, 0);
		return context->legacy;
	}
	for (CUstream one = context->streams; one; one = one->next)
		if (one == stream && !one->leaving)
			return one;
	return NULL;
}

/* The legacy default stream comes after all that is queued on blocking streams, and they after it. */
static int order(struct CUctx_st *context, CUstream stream, struct item *item)
{
	if (stream != context->legacy)
		return stream->blocking && context->legacy ? item_after(item, context->legacy->tail) : 0;
	for (CUstream one = context->streams; one; one = one->next)
		if (one != stream && one->blocking && item_after(item, one->tail))
			return -1;
	return 0;
}

CUresult stream_queue(struct CUctx_st *context, CUstream stream, struct item *item)
{
	struct item *held = NULL;
	item_hold(&held, item);
	while (stream->queued - stream->finished >= QUEUE_LENGTH && !context->stop)
		pthread_cond_wait(&standin_changed, &standin_lock);
	CUresult result = context->stop        ? context->error
	        : order(context, stream, item) ? CUDA_ERROR_OUT_OF_MEMORY
	                                       : CUDA_SUCCESS;
	if (result) {
		item_hold(&held, NULL);
		return result;
	}
	if (stream->queued >= QUEUE_LENGTH && !standin_options()->wall)
		standin_sleep_until(stream->ends_ns[stream->queued % QUEUE_LENGTH]);
	stream->queued++;
	item->waits |= stream->waits;
	stream->waits = item->waits;
	item->issued_ns = standin_now();
	standin_set_now(item->issued_ns + standin_cost(COST_CALL, 0));
	if (stream->last)
		stream->last->next = item;
	else
		stream->first = item;
	stream->last = item;
	item_hold(&stream->tail, item);
	pthread_cond_signal(&stream->more);
	return CUDA_SUCCESS;
}

CUresult stream_push(struct CUctx_st *context, CUstream stream, const struct standin_call *call)
{
	if (stream->capture)
		return capture_add(stream, call);
	struct item *item = item_new(call);
	return item ? stream_queue(context, stream, item) : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult standin_enqueue(CUstream stream, const struct standin_call *call)
{
	CUcontext context = NULL;
	CUresult result = enter("", &context);
	if (result)
		return result;
	CUstream own = stream_of(context, stream);
	return leave(own ? stream_push(context, own, call) : CUDA_ERROR_INVALID_HANDLE);
}

bool standin_capturing(CUstream stream)
{
	CUcontext context = NULL;
	if (enter("", &context))
		return false;
	CUstream own = stream_of(context, stream);
	bool capturing = own && own->capture;
	leave(CUDA_SUCCESS);
	return capturing;
}

CUresult streams_wait(struct CUctx_st *context)
{
	struct item *all = item_new(&(struct standin_call){0}), *held = NULL;
	if (!all)
		return CUDA_ERROR_OUT_OF_MEMORY;
	item_hold(&held, all);
	CUresult result = CUDA_SUCCESS;
	for (CUstream one = context->streams; one && !result; one = one->next) {
		result = one->capture                ? capture_spoil(one)
		        : item_after(all, one->tail) ? CUDA_ERROR_OUT_OF_MEMORY
		                                     : CUDA_SUCCESS;
		one->waits = false;
	}
	for (int i = 0; i < all->after_count && !result; i++)
		result = item_wait(context, all->after[i]);
	item_hold(&held, NULL);
	return result;
}

void streams_end(struct CUctx_st *context)
{
	spoil(context, CUDA_ERROR_DEINITIALIZED);
	for (CUstream one = context->streams; one; one = one->next) {
		one->leaving = true;
		capture_end(one);
		pthread_cond_signal(&one->more);
	}
	while (context->threads)
		pthread_cond_wait(&standin_changed, &standin_lock);
	for (int i = 0; i < 2; i++)
		item_hold(&context->engines[i], NULL);
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
	struct CUctx_st *context;
	CUresult result = enter("cuStreamCreateWithPriority", &context);
	if (result)
		return result;
	if (!stream || flags > CU_STREAM_NON_BLOCKING)
		return leave(CUDA_ERROR_INVALID_VALUE);
	*stream = create(context, flags, priority);
	return leave(*stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
	struct CUctx_st *context;
	CUresult result = enter("cuStreamDestroy", &context);
	if (result)
		return result;
	CUstream own = stream ? stream_of(context, stream) : NULL;
	if (!own)
		return leave(CUDA_ERROR_INVALID_HANDLE);
	capture_end(own);
	own->leaving = true;
	pthread_cond_signal(&own->more);
	return leave(CUDA_SUCCESS);
}

/* Enters a call about a stream that is not captured: *own is what it means. Not CUDA_SUCCESS: the call has left. */
static CUresult enter_stream(const char *call, CUstream stream, struct CUctx_st **context, CUstream *own)
{
	CUresult result = enter(call, context);
	if (result)
		return result;
	*own = stream_of(*context, stream);
	if (!*own)
		return leave(CUDA_ERROR_INVALID_HANDLE);
	return (*own)->capture ? leave(capture_spoil(*own)) : CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream stream)
{
	struct CUctx_st *context;
	CUstream own;
	CUresult result = enter_stream("cuStreamQuery", stream, &context, &own);
	if (result)
		return result;
	return leave(own->tail && !own->tail->done ? CUDA_ERROR_NOT_READY : item_wait(context, own->tail));
}

CUresult cuStreamSynchronize(CUstream stream)
{
	struct CUctx_st *context;
	CUstream own;
	CUresult result = enter_stream("cuStreamSynchronize", stream, &context, &own);
	if (result)
		return result;
	own->waits = false;
	return leave(item_wait(context, own->tail));
}

static CUresult call_host(void *argument, struct standin_turn *turn)
{
	struct {
		CUhostFn function;
		void *argument;
	} call;
	memcpy(&call, argument, sizeof call);
	standin_set_now(turn->start_ns);
	call.function(call.argument);
	turn->end_ns = later(turn->end_ns, standin_now());
	return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *argument)
{
	struct {
		CUhostFn function;
		void *argument;
	} call = {function, argument};
	struct CUctx_st *context;
	CUresult result = enter("cuLaunchHostFunc", &context);
	if (result)
		return result;
	CUstream own = stream_of(context, stream);
	return leave(!own           ? CUDA_ERROR_INVALID_HANDLE
	                : !function ? CUDA_ERROR_INVALID_VALUE
	                            : stream_push(context, own,
	                                      &(struct standin_call){.work = call_host,
	                                              .argument = &call,
	                                              .argument_bytes = sizeof call,
	                                              .waits = true}));
}

/* context.c -- the stand-in's GPUs and their contexts: one primary context a GPU and process */
#include "inside.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

pthread_mutex_t standin_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t standin_changed = PTHREAD_COND_INITIALIZER;
struct CUctx_st standin_contexts[STANDIN_GPUS];

static bool initialised;
static _Thread_local struct CUctx_st *current;

/* What a call answers that the options make fail */
static CUresult failure(const char *call)
{
	if (!strcmp(call, "cuMemAlloc") || !strcmp(call, "cuMemHostAlloc"))
		return CUDA_ERROR_OUT_OF_MEMORY;
	return CUDA_ERROR_UNKNOWN;
}

CUresult enter_free(const char *call)
{
	if (standin_fails(call))
		return failure(call);
	pthread_mutex_lock(&standin_lock);
	bool ready = initialised;
	pthread_mutex_unlock(&standin_lock);
	return ready ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult enter(const char *call, struct CUctx_st **context)
{
	CUresult result = enter_free(call);
	if (result)
		return result;
	if (!current)
		return CUDA_ERROR_INVALID_CONTEXT;
	pthread_mutex_lock(&standin_lock);
	*context = current;
	if (!current->retained)
		return leave(CUDA_ERROR_INVALID_CONTEXT);
	return current->error ? leave(current->error) : CUDA_SUCCESS;
}

CUresult leave(CUresult result)
{
	pthread_mutex_unlock(&standin_lock);
	return result;
}

void spoil(struct CUctx_st *context, CUresult error)
{
	if (!context->error)
		context->error = error;
	__atomic_store_n(&context->stop, 1, __ATOMIC_SEQ_CST);
	pthread_cond_broadcast(&standin_changed);
}

void standin_spoil(CUresult error)
{
	if (!current)
		return;
	pthread_mutex_lock(&standin_lock);
	spoil(current, error);
	pthread_mutex_unlock(&standin_lock);
}

int standin_device(void)
{
	return current ? current->device : -1;
}

CUresult standin_error(void)
{
	if (!current)
		return CUDA_ERROR_INVALID_CONTEXT;
	pthread_mutex_lock(&standin_lock);
	return leave(current->retained ? current->error : CUDA_ERROR_INVALID_CONTEXT);
}

bool valid_device(CUdevice device)
{
	return device >= 0 && device < standin_options()->gpus;
}

CUresult cuInit(unsigned int flags)
{
	if (standin_fails("cuInit"))
		return CUDA_ERROR_UNKNOWN;
	if (!standin_options() || flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (!standin_options()->gpus)
		return CUDA_ERROR_NO_DEVICE;
	pthread_mutex_lock(&standin_lock);
	initialised = true;
	return leave(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
	CUresult result = enter_free("cuDevicePrimaryCtxRetain");
	if (result)
		return result;
	if (!context || !valid_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	pthread_mutex_lock(&standin_lock);
	*context = &standin_contexts[device];
	if ((*context)->error)
		return leave((*context)->error);
	if (!(*context)->retained++) {
		**context = (struct CUctx_st){.device = device, .retained = 1, .fd = -1};
	}
	return leave(CUDA_SUCCESS);
}

/* With the lock held: streams, work and memory go, whatever they wait for. */
static void end(struct CUctx_st *context)
{
	context->retained = 0;
	streams_end(context);
	events_end(context);
	modules_end(context);
	memory_end(context);
	*context = (struct CUctx_st){.device = context->device, .fd = -1};
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	CUresult result = enter_free("cuDevicePrimaryCtxRelease");
	if (result)
		return result;
	if (!valid_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	pthread_mutex_lock(&standin_lock);
	struct CUctx_st *context = &standin_contexts[device];
	if (!context->retained)
		return leave(CUDA_ERROR_INVALID_CONTEXT);
	if (context->retained == 1)
		end(context);
	else
		context->retained--;
	return leave(CUDA_SUCCESS);
}

CUresult cuCtxSetCurrent(CUcontext context)
{
	CUresult result = enter_free("cuCtxSetCurrent");
	if (!result)
		current = context;
	return result;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
	CUresult result = enter_free("cuCtxGetCurrent");
	if (!result && context)
		*context = current;
	return !result && !context ? CUDA_ERROR_INVALID_VALUE : result;
}

CUresult cuCtxSynchronize(void)
{
	struct CUctx_st *context;
	CUresult result = enter("cuCtxSynchronize", &context);
	return result ? result : leave(streams_wait(context));
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	struct CUctx_st *context;
	CUresult result = enter("cuCtxGetStreamPriorityRange", &context);
	if (result)
		return result;
	*least = 0;
	*greatest = -5;
	return leave(CUDA_SUCCESS);
}

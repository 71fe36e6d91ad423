/* copy.c -- copies and fills. Copies between pinned memory of the host and a GPU share one engine a direction, in the order of the calls; those
 * of other host memory keep the caller until they are done. A stream that waits for something outside of CUDA does not take an engine, as all
 * behind it would wait too. */
#include "inside.h"
#include <string.h>

enum { TO_DEVICE, FROM_DEVICE };

/* *_known: that side has to be memory that CUDA knows */
struct copy {
	char *to;
	const char *from;
	size_t bytes;
	bool to_known, from_known;
};

static bool known(const void *at, size_t bytes)
{
	pthread_mutex_lock(&standin_lock);
	bool found = !bytes || memory_anywhere(at, bytes);
	pthread_mutex_unlock(&standin_lock);
	return found;
}

static CUresult do_copy(void *argument, struct standin_turn *turn)
{
	struct copy copy;
	(void)turn;
	memcpy(&copy, argument, sizeof copy);
	if ((copy.to_known && !known(copy.to, copy.bytes)) ||
	        (copy.from_known && !known(copy.from, copy.bytes)))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	memmove(copy.to, copy.from, copy.bytes);
	return CUDA_SUCCESS;
}

/* Of what memory is; NULL: pageable */
static enum standin_cost way_of(
        const struct memory *to, const struct memory *from, bool to_known, bool from_known)
{
	bool to_device = to ? memory_is_device(to) : to_known,
	     from_device = from ? memory_is_device(from) : from_known;
	if (to_device && from_device)
		return to && from && (to->kind == MEMORY_OPENED) != (from->kind == MEMORY_OPENED)
		        ? COST_PEER
		        : COST_ON_DEVICE;
	if (!to_device && !from_device)
		return COST_ON_HOST;
	if (!(to_device ? from : to))
		return COST_PAGEABLE;
	return to_device ? COST_DOWN : COST_UP;
}

/* With the lock */
static CUresult queue(struct CUctx_st *context, CUstream stream, const struct copy *copy)
{
	const struct memory *to = memory_anywhere(copy->to, 1), *from = memory_anywhere(copy->from, 1);
	enum standin_cost way = way_of(to, from, copy->to_known, copy->from_known);
	struct standin_call call = {.work = do_copy,
	        .argument = copy,
	        .argument_bytes = sizeof *copy,
	        .cost_ns = standin_cost(way, (double)copy->bytes)};
	if (stream->capture)
		return capture_add(stream, &call);
	struct item *item = item_new(&call), *held = NULL;
	if (!item)
		return CUDA_ERROR_OUT_OF_MEMORY;
	item_hold(&held, item);
	struct item **engine = &context->engines[to && memory_is_device(to) ? TO_DEVICE : FROM_DEVICE];
	bool takes = (way == COST_DOWN || way == COST_UP) && !stream->waits &&
	        (!context->legacy || !context->legacy->waits || !stream->blocking);
	CUresult result = takes && item_after(item, *engine) ? CUDA_ERROR_OUT_OF_MEMORY
	                                                     : stream_queue(context, stream, item);
	if (!result && takes)
		item_hold(engine, item);
	if (!result && (way == COST_PAGEABLE || way == COST_ON_HOST))
		result = item_wait(context, item);
	item_hold(&held, NULL);
	return result;
}

static CUresult copy_call(const char *name, const struct copy *copy, CUstream stream)
{
	struct CUctx_st *context;
	CUresult result = enter(name, &context);
	if (result)
		return result;
	CUstream own = stream_of(context, stream);
	if (!own)
		return leave(CUDA_ERROR_INVALID_HANDLE);
	return leave(copy->bytes ? queue(context, own, copy) : CUDA_SUCCESS);
}

static struct copy line(uintptr_t to, uintptr_t from, size_t bytes, bool to_known, bool from_known)
{
	return (struct copy){(char *)to, (const char *)from, bytes, to_known, from_known};
}

/* Any address, told apart by where it lies: what CUDA does not know is the host's. */
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	struct copy copy =
	        line(to, from, bytes, known((void *)(uintptr_t)to, 1), known((void *)(uintptr_t)from, 1));
	return copy_call("cuMemcpyAsync", &copy, stream);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
	struct copy copy = line(to, (uintptr_t)from, bytes, true, false);
	return copy_call("cuMemcpyHtoDAsync", &copy, stream);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	struct copy copy = line((uintptr_t)to, from, bytes, false, true);
	return copy_call("cuMemcpyDtoHAsync", &copy, stream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	struct copy copy = line(to, from, bytes, true, true);
	return copy_call("cuMemcpyDtoDAsync", &copy, stream);
}

struct fill {
	char *at;
	size_t count, width;
	uint32_t value;
};

static CUresult do_fill(void *argument, struct standin_turn *turn)
{
	struct fill fill;
	(void)turn;
	memcpy(&fill, argument, sizeof fill);
	if (!known(fill.at, fill.count * fill.width))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	for (size_t i = 0; i < fill.count; i++)
		memcpy(fill.at + i * fill.width, &fill.value, fill.width);
	return CUDA_SUCCESS;
}

static CUresult fill_call(const char *name, const struct fill *fill, CUstream stream)
{
	int64_t cost_ns = standin_cost(COST_ON_DEVICE, (double)fill->count * (double)fill->width);
	struct CUctx_st *context;
	CUresult result = enter(name, &context);
	if (result)
		return result;
	CUstream own = stream_of(context, stream);
	if (!own)
		return leave(CUDA_ERROR_INVALID_HANDLE);
	return leave(stream_push(context, own,
	        &(struct standin_call){.work = do_fill,
	                .argument = fill,
	                .argument_bytes = sizeof *fill,
	                .cost_ns = cost_ns}));
}

CUresult cuMemsetD8Async(CUdeviceptr at, unsigned char value, size_t count, CUstream stream)
{
	return fill_call("cuMemsetD8Async", &(struct fill){(char *)(uintptr_t)at, count, 1, value}, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr at, unsigned int value, size_t count, CUstream stream)
{
	if (at % 4)
		return CUDA_ERROR_INVALID_VALUE;
	return fill_call("cuMemsetD32Async", &(struct fill){(char *)(uintptr_t)at, count, 4, value}, stream);
}

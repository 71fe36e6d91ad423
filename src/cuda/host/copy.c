/* copy.c -- copies between device, pinned and pageable memory, and the disk, which is host memory
 * here
 *
 * A copy engine moves contiguous bytes. A strided tensor is packed or unpacked on its own side,
 * in stream order: on the GPU by a kernel, in host memory by a host function.
 *
 *      x[:, 0:8] on the GPU  --kernel-->  packed  --engine-->  pinned  --function-->  h[:, 0:8] */
#include "cuda/host/host_thread.h"
#include "base/memory.h"
#include "cuda/host/order.h"
#include "world/world.h"

#include <string.h>

static CUdeviceptr device_address(const struct kernel_tensor *tensor)
{
	return (CUdeviceptr)(uintptr_t)tensor->data;
}

/* Returns the tensor itself if it is contiguous, else contiguous workspace of the lane for it. */
static enum status contiguous_of(struct host_thread *host, const struct kernel_tensor *tensor,
        enum scratch slot, const struct host_lane *lane, struct kernel_tensor *line)
{
	const struct layout *layout = &tensor->layout;
	CUdeviceptr at;
	*line = *tensor;
	if (layout_contiguous(layout))
		return ST_OK;
	layout_make(&line->layout, (enum dtype)layout->dtype, layout->dims, layout->dim);
	enum status status = memory_scratch(host, lane, slot, layout_bytes(layout), &at);
	line->data = status == ST_OK ? (void *)(uintptr_t)at : NULL;
	return status;
}

struct host_copy {
	struct kernel_tensor from, to;
};

static void copy_in_stream(void *argument)
{
	struct host_copy *copy = argument;
	struct kernel_tensor *from = &copy->from, *to = &copy->to;
	size_t bytes = (size_t)layout_bytes(&from->layout);
	if (layout_contiguous(&from->layout) && layout_contiguous(&to->layout)) {
		memmove(to->data, from->data, bytes);
	} else {
		void *packed = mem_alloc(bytes);
		layout_pack(&from->layout, from->data, packed);
		layout_unpack(&to->layout, packed, to->data);
		mem_free(packed);
	}
	mem_free(copy);
}

static enum status copy_on_host(struct host_thread *host, const struct kernel_tensor *from,
        const struct kernel_tensor *to, const struct host_lane *lane)
{
	if (from->data == to->data)
		return ST_OK;
	struct host_copy *copy = mem_alloc(sizeof *copy);
	*copy = (struct host_copy){*from, *to};
	enum status status = CUDA_CALL(host->cuda, cuLaunchHostFunc, lane->stream, copy_in_stream, copy);
	if (status != ST_OK)
		mem_free(copy);
	return status;
}

static enum status copy_on_device(struct host_thread *host, const struct kernel_tensor *from,
        const struct kernel_tensor *to, struct host_lane *lane)
{
	const char *x = from->data, *y = to->data;
	bool lines = layout_contiguous(&from->layout) && layout_contiguous(&to->layout),
	     overlap = x < y + layout_span(&to->layout) && y < x + layout_span(&from->layout);
	if (!lines || overlap)
		return compute_convert(host, from, to, lane);
	return CUDA_CALL(host->cuda, cuMemcpyDtoDAsync, device_address(to), device_address(from),
	        (size_t)layout_bytes(&from->layout), lane->stream);
}

static enum status copy_to_device(struct host_thread *host, const struct kernel_tensor *from,
        const struct kernel_tensor *to, struct host_lane *lane)
{
	struct kernel_tensor here, there;
	enum status status = contiguous_of(host, from, SCRATCH_PINNED, lane, &here);
	if (status == ST_OK)
		status = contiguous_of(host, to, SCRATCH_PACKED, lane, &there);
	if (status == ST_OK)
		status = copy_on_host(host, from, &here, lane);
	if (status == ST_OK)
		status = CUDA_CALL(host->cuda, cuMemcpyHtoDAsync, device_address(&there), here.data,
		        (size_t)layout_bytes(&from->layout), lane->stream);
	if (status == ST_OK && there.data != to->data)
		status = compute_convert(host, &there, to, lane);
	return status;
}

static enum status copy_to_host(struct host_thread *host, const struct kernel_tensor *from,
        const struct kernel_tensor *to, struct host_lane *lane)
{
	struct kernel_tensor here, there;
	enum status status = contiguous_of(host, from, SCRATCH_PACKED, lane, &there);
	if (status == ST_OK)
		status = contiguous_of(host, to, SCRATCH_PINNED, lane, &here);
	if (status == ST_OK && there.data != from->data)
		status = compute_convert(host, from, &there, lane);
	if (status == ST_OK)
		status = CUDA_CALL(host->cuda, cuMemcpyDtoHAsync, here.data, device_address(&there),
		        (size_t)layout_bytes(&from->layout), lane->stream);
	return status == ST_OK ? copy_on_host(host, &here, to, lane) : status;
}

enum status copy_between(struct host_thread *host, const struct kernel_tensor *from, enum space from_space,
        const struct kernel_tensor *to, enum space to_space, struct host_lane *lane)
{
	bool from_device = from_space == SPACE_DEVICE, to_device = to_space == SPACE_DEVICE;
	if (layout_count(&from->layout) == 0)
		return ST_OK;
	if (from_device)
		return to_device ? copy_on_device(host, from, to, lane) : copy_to_host(host, from, to, lane);
	return to_device ? copy_to_device(host, from, to, lane) : copy_on_host(host, from, to, lane);
}

/* Copies the operand's value at this point of the lane to the host, packed, and keeps it. */
static enum status copy_keep(struct host_thread *host, op_id id, const struct operand *operand,
        bool until_read, struct host_lane *lane)
{
	const struct layout *layout = &operand->layout;
	struct kernel_tensor from = {.name = "", .layout = *layout}, to = from;
	enum status status = memory_of(host, operand, &from.data);
	layout_make(&to.layout, (enum dtype)layout->dtype, layout->dims, layout->dim);
	if (status == ST_OK)
		status = values_keep(host, id, operand, until_read, &to.data);
	if (status == ST_OK)
		status = copy_between(host, &from, (enum space)operand->space, &to, SPACE_PINNED, lane);
	return status;
}

enum status copy_queue(struct host_thread *host, const struct host_order *order, struct host_lane *lane)
{
	const struct operand *from = record_source(&order->record), *to = record_target(&order->record);
	struct kernel_tensor source = {.name = ""}, target = {.name = ""};
	if (!to)
		return copy_keep(host, order->id, from, order->record.noted, lane);
	source.layout = from->layout;
	target.layout = to->layout;
	enum status status = memory_of(host, from, &source.data);
	if (status == ST_OK)
		status = memory_of(host, to, &target.data);
	if (status != ST_OK)
		return status;
	return copy_between(host, &source, (enum space)from->space, &target, (enum space)to->space, lane);
}

enum status copy_note(struct host_thread *host, const struct host_order *order, struct host_lane *lane)
{
	const struct record *record = &order->record;
	enum status status = ST_OK;
	for (int i = 0; i < record->operands && status == ST_OK; i++)
		if (record->operand[i].access & ACCESS_WRITE && layout_count(&record->operand[i].layout) == 1)
			status = copy_keep(host, order->id, &record->operand[i], true, lane);
	return status;
}

/* ---- host_read and host_write: memory as it is now, on memory_aside, in no timeline */

static enum status order_tensors(const struct host_thread *host, const struct host_order *order,
        struct kernel_tensor *tensor, struct kernel_tensor *packed)
{
	const struct layout *layout = &order->layout;
	*tensor = (struct kernel_tensor){.name = "", .layout = *layout};
	*packed = (struct kernel_tensor){.name = "", .data = order->packed};
	layout_make(&packed->layout, (enum dtype)layout->dtype, layout->dims, layout->dim);
	tensor->data = memory_at(host, (enum space)order->space, order->address);
	if (tensor->data || layout_bytes(layout) == 0)
		return ST_OK;
	return fail(ST_ARGUMENT, "rank %d: there is no %s memory at %lld", host->rank,
	        space_name((enum space)order->space), (long long)order->address);
}

static enum status wait_aside(const struct host_thread *host)
{
	return CUDA_CALL(host->cuda, cuStreamSynchronize, memory_aside(host)->stream);
}

/* Memory that this thread has not allocated yet reads as zeroes. */
enum status read_now(struct host_thread *host, const struct host_order *order)
{
	struct kernel_tensor tensor, packed;
	if (order->by)
		return values_read(host, order);
	if (!memory_at(host, (enum space)order->space, order->address)) {
		memset(order->packed, 0, (size_t)layout_bytes(&order->layout));
		return ST_OK;
	}
	enum status status = order_tensors(host, order, &tensor, &packed);
	if (status == ST_OK)
		status = copy_between(
		        host, &tensor, (enum space)order->space, &packed, SPACE_HOST, memory_aside(host));
	return first_failure(status, wait_aside(host));
}

enum status read_keep(struct host_thread *host, const struct host_order *order)
{
	enum status status = ST_OK;
	for (int i = 0; i < order->record.operands && status == ST_OK; i++) {
		const struct operand *operand = &order->record.operand[i];
		struct host_order now = {
		        .space = operand->space, .address = operand->address, .layout = operand->layout};
		status = values_keep(host, order->id, operand, true, &now.packed);
		if (status == ST_OK)
			status = read_now(host, &now);
	}
	return status;
}

enum status write_now(struct host_thread *host, const struct host_order *order)
{
	struct kernel_tensor tensor, packed;
	enum status status = order_tensors(host, order, &tensor, &packed);
	if (status == ST_OK)
		status = copy_between(
		        host, &packed, SPACE_HOST, &tensor, (enum space)order->space, memory_aside(host));
	return first_failure(status, wait_aside(host));
}

/* read.c -- memory as it is now, read and written on memory_aside, in no timeline */
#include "cuda/host/host_thread.h"
#include "cuda/host/order.h"

#include <string.h>

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

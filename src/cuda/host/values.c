/* values.c -- values brought to the host by copies, `print` and losses, until they are read
 *
 * The values of `print` and losses are kept until they are read. Other copies are read at once or
 * never, so the oldest are dropped.
 *
 * Values are in pinned memory, in cells of a power of two bytes. Cells are reused but not freed,
 * because freeing pinned memory waits for the whole GPU. */
#include "cuda/host/host_thread.h"
#include "base/memory.h"

#include <string.h>

enum {
	CELL_LEAST = 64,
	CELL_CLASSES = 40,
	PAGE_BYTES = 1 << 18, /* small cells share a page */
	KEPT_LEAST = 256,     /* copies kept at least; at most KEPT_MOST, or KEPT_BYTES */
	KEPT_MOST = 4096,
	KEPT_BYTES = 1 << 28
};

struct kept_value {
	op_id id;
	uint8_t space, cell_class;
	bool until_read;
	int64_t address, bytes;
	void *at;
};

struct values {
	struct kept_value *one; /* oldest first, from `first` on */
	size_t first, count;
	size_t copies; /* values that are not until_read */
	int64_t copy_bytes;
	struct cells {
		void **free;
		size_t count;
	} cells[CELL_CLASSES];
	void **pages;
	size_t page_count;
};

static enum status cells_add_page(struct host_thread *host, int class)
{
	struct values *values = host->values;
	struct cells *cells = &values->cells[class];
	int64_t cell = (int64_t)CELL_LEAST << class, bytes = cell < PAGE_BYTES ? PAGE_BYTES : cell;
	void *page;
	enum status status =
	        CUDA_CALL(host->cuda, cuMemHostAlloc, &page, (size_t)bytes, CU_MEMHOSTALLOC_PORTABLE);
	if (status != ST_OK)
		return fail_in(status, "what a copy brings to the host");
	*MEM_ADD(&values->pages, &values->page_count) = page;
	for (int64_t at = 0; at < bytes; at += cell)
		*MEM_ADD(&cells->free, &cells->count) = (char *)page + at;
	return ST_OK;
}

static void value_drop(struct host_thread *host, size_t i)
{
	struct values *values = host->values;
	struct kept_value *one = &values->one[i];
	struct cells *cells = &values->cells[one->cell_class];
	*MEM_ADD(&cells->free, &cells->count) = one->at;
	values->copies -= !one->until_read;
	values->copy_bytes -= one->until_read ? 0 : one->bytes;
	host->unread_bytes -= one->until_read ? one->bytes : 0;
	memmove(&values->one[values->first + 1], &values->one[values->first],
	        (i - values->first) * sizeof *one);
	values->first++;
}

static struct kept_value *value_add(struct values *values)
{
	if (values->first > values->count / 2) {
		values->count -= values->first;
		memmove(values->one, values->one + values->first, values->count * sizeof *values->one);
		values->first = 0;
	}
	return MEM_ADD(&values->one, &values->count);
}

enum status values_keep(
        struct host_thread *host, op_id id, const struct operand *operand, bool until_read, void **at)
{
	if (!host->values)
		host->values = mem_alloc(sizeof *host->values);
	struct values *values = host->values;
	int64_t bytes = layout_bytes(&operand->layout);
	int class = 0;
	while ((int64_t)CELL_LEAST << class < bytes)
		class ++;
	struct cells *cells = &values->cells[class];
	for (size_t i = values->first; i < values->count && values->copies >= KEPT_LEAST &&
	        (values->copies >= KEPT_MOST || values->copy_bytes > KEPT_BYTES);
	        i++)
		if (!values->one[i].until_read)
			value_drop(host, i);
	enum status status = cells->count ? ST_OK : cells_add_page(host, class);
	if (status != ST_OK)
		return status;
	*at = cells->free[--cells->count];
	*value_add(values) = (struct kept_value){.id = id,
	        .space = operand->space,
	        .cell_class = (uint8_t) class,
	        .until_read = until_read,
	        .address = operand->address,
	        .bytes = bytes,
	        .at = *at};
	values->copies += !until_read;
	values->copy_bytes += until_read ? 0 : bytes;
	host->unread_bytes += until_read ? bytes : 0;
	return ST_OK;
}

enum status values_read(struct host_thread *host, const struct host_order *order)
{
	struct values *values = host->values;
	int64_t bytes = layout_bytes(&order->layout);
	for (size_t i = values ? values->first : 0; values && i < values->count; i++) {
		const struct kept_value *one = &values->one[i];
		if (one->id != order->by || one->space != order->space || one->address != order->address ||
		        one->bytes != bytes)
			continue;
		memcpy(order->packed, one->at, (size_t)bytes);
		if (one->until_read)
			value_drop(host, i);
		return ST_OK;
	}
	return fail(ST_ARGUMENT, "rank %d: its GPU did not bring this to the host", host->rank);
}

void values_close(struct host_thread *host)
{
	struct values *values = host->values;
	if (!values)
		return;
	for (size_t i = 0; i < values->page_count; i++)
		host->cuda->cuMemFreeHost(values->pages[i]);
	for (int class = 0; class < CELL_CLASSES; class ++)
		mem_free(values->cells[class].free);
	mem_free(values->pages);
	mem_free(values->one);
	mem_free(values);
	host->values = NULL;
}

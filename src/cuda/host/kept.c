/* kept.c -- values brought to the host by copies, `print` and losses, until they are read
 *
 * The values of `print` and losses are read once, oldest first, and kept until then: if
 * host_is_full, control reads them during a wait. Other copies are read at once or never, so the
 * oldest are dropped.
 *
 * Values are in pinned memory, in cells of a power of two. Free cells are reused and never
 * returned, because freeing pinned memory waits for the whole GPU. */
#include "cuda/host/inside.h"
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

struct kept_one {
	op_id id;
	uint8_t space, cell_class;
	bool until_read;
	int64_t address, bytes;
	void *at;
};

struct kept {
	struct kept_one *one; /* oldest first, from `first` on */
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

/* ---- cells */

static int cell_class_of(int64_t bytes)
{
	int class = 0;
	while ((int64_t)CELL_LEAST << class < bytes)
		class ++;
	return class;
}

static enum status cells_add_page(struct host_thread *host, int class)
{
	struct kept *kept = host->kept;
	struct cells *cells = &kept->cells[class];
	int64_t cell = (int64_t)CELL_LEAST << class, bytes = cell < PAGE_BYTES ? PAGE_BYTES : cell;
	void *page;
	enum status status =
	        CUDA_CALL(host->cuda, cuMemHostAlloc, &page, (size_t)bytes, CU_MEMHOSTALLOC_PORTABLE);
	if (status != ST_OK)
		return fail_in(status, "what a copy brings to the host");
	*MEM_ADD(&kept->pages, &kept->page_count) = page;
	for (int64_t at = 0; at < bytes; at += cell)
		*MEM_ADD(&cells->free, &cells->count) = (char *)page + at;
	return ST_OK;
}

static void kept_drop(struct host_thread *host, size_t i)
{
	struct kept *kept = host->kept;
	struct kept_one *one = &kept->one[i];
	struct cells *cells = &kept->cells[one->cell_class];
	*MEM_ADD(&cells->free, &cells->count) = one->at;
	kept->copies -= !one->until_read;
	kept->copy_bytes -= one->until_read ? 0 : one->bytes;
	host->unread_bytes -= one->until_read ? one->bytes : 0;
	memmove(&kept->one[kept->first + 1], &kept->one[kept->first], (i - kept->first) * sizeof *one);
	kept->first++;
}

static struct kept_one *kept_add(struct kept *kept)
{
	if (kept->first > kept->count / 2) {
		kept->count -= kept->first;
		memmove(kept->one, kept->one + kept->first, kept->count * sizeof *kept->one);
		kept->first = 0;
	}
	return MEM_ADD(&kept->one, &kept->count);
}

/* Drops the oldest copies if there are too many. */
static void kept_trim(struct host_thread *host)
{
	struct kept *kept = host->kept;
	for (size_t i = kept->first; i < kept->count && kept->copies >= KEPT_LEAST &&
	        (kept->copies >= KEPT_MOST || kept->copy_bytes > KEPT_BYTES);
	        i++)
		if (!kept->one[i].until_read)
			kept_drop(host, i);
}

/* ---- values */

enum status kept_make(
        struct host_thread *host, op_id id, const struct operand *operand, bool until_read, void **at)
{
	if (!host->kept)
		host->kept = mem_alloc(sizeof *host->kept);
	struct kept *kept = host->kept;
	int64_t bytes = layout_bytes(&operand->layout);
	int class = cell_class_of(bytes);
	struct cells *cells = &kept->cells[class];
	kept_trim(host);
	enum status status = cells->count ? ST_OK : cells_add_page(host, class);
	if (status != ST_OK)
		return status;
	*at = cells->free[--cells->count];
	*kept_add(kept) = (struct kept_one){.id = id,
	        .space = operand->space,
	        .cell_class = (uint8_t) class,
	        .until_read = until_read,
	        .address = operand->address,
	        .bytes = bytes,
	        .at = *at};
	kept->copies += !until_read;
	kept->copy_bytes += until_read ? 0 : bytes;
	host->unread_bytes += until_read ? bytes : 0;
	return ST_OK;
}

enum status kept_read(struct host_thread *host, const struct host_order *order)
{
	struct kept *kept = host->kept;
	int64_t bytes = layout_bytes(&order->layout);
	for (size_t i = kept ? kept->first : 0; kept && i < kept->count; i++) {
		const struct kept_one *one = &kept->one[i];
		if (one->id != order->by || one->space != order->space || one->address != order->address ||
		        one->bytes != bytes)
			continue;
		memcpy(order->packed, one->at, (size_t)bytes);
		if (one->until_read)
			kept_drop(host, i);
		return ST_OK;
	}
	return fail(ST_ARGUMENT, "rank %d: its GPU did not bring this to the host", host->rank);
}

void kept_close(struct host_thread *host)
{
	struct kept *kept = host->kept;
	if (!kept)
		return;
	for (size_t i = 0; i < kept->page_count; i++)
		host->cuda->cuMemFreeHost(kept->pages[i]);
	for (int class = 0; class < CELL_CLASSES; class ++)
		mem_free(kept->cells[class].free);
	mem_free(kept->pages);
	mem_free(kept->one);
	mem_free(kept);
	host->kept = NULL;
}

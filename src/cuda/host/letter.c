/* letter.c -- control's reads and writes: one letter at a time, which the host thread serves
 * between orders and while it waits */
#include "cuda/host/shared.h"
#include "cuda/host/order.h"
#include "base/memory.h"

#include <string.h>

enum { HANGS_MS = 5000, UNREAD_BYTES = 1 << 24 };

void letter_answer(struct host *host)
{
	struct host_thread *thread = &host->thread;
	struct letter *letter = &host->letter;
	thread->cuda->host_sleep_until(letter->ns);
	host_enters(thread, letter->writes ? "cuMemcpyHtoDAsync" : "cuMemcpyDtoHAsync");
	enum status status = thread->lost != ST_OK ? fail(thread->lost, "%s", thread->why)
	        : letter->writes                   ? write_now(thread, &letter->order)
	                                           : read_now(thread, &letter->order);
	host_enters(thread, NULL);
	if (status == ST_GPU)
		lanes_check(thread);
	pthread_mutex_lock(&host->lock);
	letter->status = status;
	letter->words = status == ST_OK ? NULL : fail_copy();
	letter->ns = thread->cuda->host_now();
	atomic_fetch_sub(&host->wanted, 1);
	if (letter->state == LETTER_ASKS)
		letter->state = LETTER_DONE;
	pthread_cond_broadcast(&host->for_control);
	pthread_mutex_unlock(&host->lock);
}

/* Requires the lock. Waits for the answer, or until the thread has been in one call for
 * HANGS_MS. */
static enum status letter_wait(struct host *host)
{
	struct letter *letter = &host->letter;
	unsigned calls = atomic_load(&host->calls);
	for (int waited = 0; letter->state == LETTER_ASKS; waited += AWAIT_MS) {
		struct timespec until = host_after(INT64_C(1000000) * AWAIT_MS);
		pthread_cond_timedwait(&host->for_control, &host->lock, &until);
		const char *call = atomic_load(&host->call);
		if (!call || atomic_load(&host->calls) != calls) {
			calls = atomic_load(&host->calls);
			waited = 0;
		}
		if (letter->state == LETTER_ASKS && waited >= HANGS_MS) {
			letter->state = LETTER_SHUT;
			return fail(ST_GPU, "rank %d's host hangs in %s", host->setup.rank, call);
		}
	}
	return letter->status == ST_OK ? ST_OK : fail(letter->status, "%s", letter->words);
}

/* Sends a letter with a copy of the caller's `packed`, from which a hanging call reads or to
 * which it writes, and waits. */
static enum status letter_send(struct host *host, struct host_order *order, bool writes, void *packed)
{
	struct letter *letter = &host->letter;
	size_t bytes = (size_t)layout_bytes(&order->layout);
	order->packed = mem_alloc(bytes);
	if (writes)
		memcpy(order->packed, packed, bytes);
	pthread_mutex_lock(&host->lock);
	if (letter->state == LETTER_SHUT) {
		pthread_mutex_unlock(&host->lock);
		mem_free(order->packed);
		return fail(ST_GPU, "rank %d's host hangs in a call of CUDA", host->setup.rank);
	}
	*letter = (struct letter){
	        .state = LETTER_ASKS, .writes = writes, .order = *order, .ns = host->setup.cuda->host_now()};
	atomic_store(&host->waits_for_orders, order->by == 0);
	atomic_fetch_add(&host->wanted, 1);
	pthread_cond_signal(&host->for_thread);
	enum status status = letter_wait(host);
	if (letter->state == LETTER_DONE) {
		host->setup.cuda->host_sleep_until(letter->ns);
		if (status == ST_OK && !writes)
			memcpy(packed, order->packed, bytes);
		mem_free(order->packed);
		mem_free(letter->words);
		letter->words = NULL;
		letter->order.packed = NULL;
		letter->state = LETTER_NONE;
	}
	pthread_mutex_unlock(&host->lock);
	return status;
}

enum status host_read(struct host *host, op_id by, enum space space, int64_t address,
        const struct layout *layout, void *packed)
{
	struct host_order order = {.by = by, .space = space, .address = address, .layout = *layout};
	return letter_send(host, &order, false, packed);
}

enum status host_write(
        struct host *host, enum space space, int64_t address, const struct layout *layout, const void *packed)
{
	struct host_order order = {.space = space, .address = address, .layout = *layout};
	return letter_send(host, &order, true, (void *)(uintptr_t)packed);
}

bool host_is_full(const struct host *host)
{
	return atomic_load(&host->thread.unread_bytes) >= UNREAD_BYTES;
}

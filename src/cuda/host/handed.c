/* handed.c -- orders, cancellations, reports, reads and writes between control and the host
 * thread */
#include "cuda/host/shared.h"
#include "base/memory.h"
#include "cuda/host/order.h"

#include <string.h>

enum { NEWS_MOST = 256 };

/* ---- the queues */

void queue_put(struct queue *queue, const void *element)
{
	size_t bytes = queue->element_bytes;
	if (queue->first > queue->count) {
		memmove(queue->bytes, queue->bytes + queue->first * bytes, queue->count * bytes);
		queue->first = 0;
	}
	MEM_ROOM(&queue->bytes, (queue->first + queue->count + 1) * bytes, &queue->room);
	memcpy(queue->bytes + (queue->first + queue->count++) * bytes, element, bytes);
}

bool queue_take(struct queue *queue, void *element)
{
	if (queue->count == 0)
		return false;
	memcpy(element, queue->bytes + queue->first++ * queue->element_bytes, queue->element_bytes);
	queue->count--;
	return true;
}

/* ---- orders, cancellations, reports */

bool host_cancelled(struct host_thread *thread, op_id id, int64_t *ns)
{
	struct host *host = host_whole(thread);
	bool found = false;
	if (atomic_load(&host->wanted) == 0)
		return false;
	pthread_mutex_lock(&host->lock);
	for (size_t i = 0; i < host->cancelled_count && !found; i++)
		if (host->cancelled[i].id == id) {
			*ns = host->cancelled[i].ns;
			found = true;
		}
	pthread_mutex_unlock(&host->lock);
	return found;
}

/* Requires the lock. */
static void forget_cancelled(struct host *host, op_id id)
{
	for (size_t i = 0; i < host->cancelled_count; i++)
		if (host->cancelled[i].id == id) {
			host->cancelled[i] = host->cancelled[--host->cancelled_count];
			atomic_fetch_sub(&host->wanted, 1);
			return;
		}
}

void host_tell(struct host_thread *thread, const struct host_report *report, int64_t end)
{
	struct host *host = host_whole(thread);
	struct told_report told = {.end = end, .report = *report};
	pthread_mutex_lock(&host->lock);
	forget_cancelled(host, report->measured.id);
	queue_put(&host->reports, &told);
	if (host->reports.count % NEWS_MOST == 0)
		pthread_cond_broadcast(&host->for_control);
	pthread_mutex_unlock(&host->lock);
}

void host_give(struct host *host, const struct host_order *orders, size_t count)
{
	int64_t now = host->setup.cuda->host_now();
	pthread_mutex_lock(&host->lock);
	for (size_t i = 0; i < count; i++) {
		struct given_order given = {.ns = now, .order = orders[i]};
		queue_put(&host->orders, &given);
	}
	host->busy |= count > 0;
	pthread_cond_signal(&host->for_thread);
	pthread_mutex_unlock(&host->lock);
}

size_t host_take(struct host *host, struct host_report *reports, size_t most)
{
	struct told_report told;
	size_t count = 0;
	pthread_mutex_lock(&host->lock);
	while (count < most && queue_take(&host->reports, &told))
		reports[count++] = told.report;
	pthread_mutex_unlock(&host->lock);
	return count;
}

void host_await(struct host *host)
{
	struct timespec until = host_after(INT64_C(1000000) * AWAIT_MS);
	int late = 0;
	pthread_mutex_lock(&host->lock);
	while (host->reports.count == 0 && host->busy && !late)
		late = pthread_cond_timedwait(&host->for_control, &host->lock, &until);
	pthread_mutex_unlock(&host->lock);
}

void host_release(struct host *host, int part, uint32_t seq)
{
	if (host->thread.exchange)
		host->thread.exchange->release(host->thread.exchange, part, seq);
}

void host_cancel(struct host *host, op_id id)
{
	struct cancelled new = {id, host->setup.cuda->host_now()};
	pthread_mutex_lock(&host->lock);
	*MEM_ADD(&host->cancelled, &host->cancelled_count) = new;
	atomic_fetch_add(&host->wanted, 1);
	pthread_cond_signal(&host->for_thread);
	pthread_mutex_unlock(&host->lock);
}

double host_uncertainty(struct host *host)
{
	return (double)atomic_load(&host->uncertainty);
}

/* ---- control's reads and writes: one letter at a time, which the host thread serves between
 * orders and in waits */

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

/* Sends a letter and waits. The letter has a copy of the caller's `packed`, because a call that
 * hangs may still access it. */
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

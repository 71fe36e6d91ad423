/* handed.c -- orders from control to the host thread, cancellations, and reports back */
#include "cuda/host/shared.h"
#include "base/memory.h"

enum { NEWS_MOST = 256 };

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

/* host.c -- the host thread: start and stop, back-off sleep, main loop */
#include "cuda/host/shared.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "system/system.h"

enum { NAP_LEAST = 20000, NAP_MOST = 500000, LOOKS_QUICK = 100000 }; /* ns */
enum { STOP_MS = 8000, LOOK_EVERY = 32 };
static const int64_t REST_SLICE = 10000000; /* ns */

/* ---- called by the host thread */

struct timespec host_after(int64_t ns)
{
	ns += cuda_real_now();
	return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

void host_enters(struct host_thread *thread, const char *call)
{
	struct host *host = host_whole(thread);
	if (call)
		atomic_fetch_add_explicit(&host->calls, 1, memory_order_relaxed);
	atomic_store_explicit(&host->call, call, memory_order_release);
}

bool host_serve(struct host_thread *thread)
{
	struct host *host = host_whole(thread);
	if (atomic_load(&host->wanted) == 0)
		return true;
	pthread_mutex_lock(&host->lock);
	bool asks = host->letter.state == LETTER_ASKS, stops = host->stops;
	pthread_mutex_unlock(&host->lock);
	if (asks)
		letter_answer(host);
	return !stops;
}

/* Requires the lock. Called when the thread has nothing else to do, because a wake-up costs more
 * than an order. */
static void wake_control(struct host *host)
{
	if (host->reports.count > 0)
		pthread_cond_broadcast(&host->for_control);
}

void host_nap(struct host_thread *thread, int64_t *ns)
{
	struct host *host = host_whole(thread);
	if (*ns == 0 && host->setup.naps)
		*ns = NAP_LEAST;
	/* below 0: minus the time since which the thread has polled */
	if (*ns <= 0) {
		int64_t clock = cuda_real_now();
		if (*ns == 0)
			*ns = -clock;
		if (clock + *ns < LOOKS_QUICK)
			return;
		*ns = NAP_LEAST;
	}
	lanes_ask_exchange(thread);
	struct timespec until = host_after(*ns);
	*ns = least_of(*ns + *ns / 2, NAP_MOST);
	pthread_mutex_lock(&host->lock);
	wake_control(host);
	if (!host->stops && host->letter.state != LETTER_ASKS)
		pthread_cond_timedwait(&host->for_thread, &host->lock, &until);
	else if (host->stops) {
		pthread_mutex_unlock(&host->lock);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		return;
	}
	pthread_mutex_unlock(&host->lock);
}

void host_rest_until(struct host_thread *thread, int64_t ns)
{
	struct host *host = host_whole(thread);
	if (ns - thread->cuda->host_now() > REST_SLICE) {
		pthread_mutex_lock(&host->lock);
		wake_control(host);
		pthread_mutex_unlock(&host->lock);
	}
	for (int64_t now; (now = thread->cuda->host_now()) < ns && host_serve(thread);)
		thread->cuda->host_sleep_until(least_of(ns, now + REST_SLICE));
}

void host_tell_part(struct host_thread *thread, int part, enum status status)
{
	struct host_report report = {.part = part, .status = status, .words = fail_copy()};
	host_tell(thread, &report, thread->cuda->host_now());
}

/* ---- the thread */

static void publish_uncertainty(struct host *host)
{
	double ns = anchors_uncertainty(&host->thread.anchors);
	atomic_store(&host->uncertainty, (int64_t)(ns + 0.5));
}

/* Takes the next order, if any; blocks if nothing is in flight. Returns false if the thread has
 * to stop. */
static bool host_next_order(
        struct host *host, struct given_order *given, bool *any, bool in_flight, int64_t *nap)
{
	pthread_mutex_lock(&host->lock);
	while (!in_flight && !host->stops && host->orders.count == 0 && host->letter.state != LETTER_ASKS) {
		wake_control(host);
		if (host->busy) {
			host->busy = false;
			pthread_cond_broadcast(&host->for_control);
		}
		pthread_cond_wait(&host->for_thread, &host->lock);
	}
	*any = queue_take(&host->orders, given);
	bool stops = host->stops;
	bool idle = !*any && !stops && host->letter.state != LETTER_ASKS;
	if (idle)
		wake_control(host);
	pthread_mutex_unlock(&host->lock);
	if (idle)
		host_nap(&host->thread, nap);
	else
		*nap = 0;
	return !stops;
}

static void host_loop(struct host *host)
{
	struct host_thread *thread = &host->thread;
	struct given_order given;
	bool any = false, in_flight = false;
	int64_t nap = 0;
	for (unsigned i = 0; host_next_order(host, &given, &any, in_flight, &nap); i++) {
		if (any) {
			if (given.ns > thread->cuda->host_now())
				thread->cuda->host_sleep_until(given.ns);
			run_order(thread, host->run, &given.order, given.ns);
			publish_uncertainty(host);
		}
		if (!any || !atomic_load(&host->waits_for_orders))
			host_serve(thread);
		if (!any || i % LOOK_EVERY == 0)
			in_flight = lanes_look(thread);
		else
			in_flight = true;
	}
	if (any)
		host_order_release(&given.order);
}

static void *host_main(void *self)
{
	struct host *host = self;
	system_sleep_slack(1);
	host->thread.cuda->host_sleep_until(host->letter.ns);
	enum status status = run_open(&host->setup, &host->thread, &host->run);
	if (status == ST_OK)
		publish_uncertainty(host);
	char *words = status == ST_OK ? NULL : fail_copy();
	pthread_mutex_lock(&host->lock);
	host->opened = true;
	host->status = status;
	host->words = words;
	host->letter.ns = host->thread.cuda->host_now();
	pthread_cond_broadcast(&host->for_control);
	pthread_mutex_unlock(&host->lock);
	if (status == ST_OK)
		host_loop(host);
	bool closed = run_close(&host->thread, host->run);
	pthread_mutex_lock(&host->lock);
	host->ended = true;
	host->left = !closed;
	pthread_cond_broadcast(&host->for_control);
	pthread_mutex_unlock(&host->lock);
	return NULL;
}

/* ---- control: start and stop */

static void host_free(struct host *host)
{
	struct given_order given;
	struct told_report told;
	while (queue_take(&host->orders, &given))
		host_order_release(&given.order);
	while (queue_take(&host->reports, &told))
		mem_free(told.report.words);
	mem_free(host->orders.bytes);
	mem_free(host->reports.bytes);
	mem_free(host->cancelled);
	mem_free(host->letter.order.packed);
	mem_free(host->letter.words);
	mem_free(host->words);
	pthread_cond_destroy(&host->for_thread);
	pthread_cond_destroy(&host->for_control);
	pthread_mutex_destroy(&host->lock);
	mem_free(host);
}

static struct host *host_make(const struct host_setup *setup)
{
	struct host *host = mem_alloc(sizeof *host);
	pthread_condattr_t monotonic;
	host->setup = *setup;
	host->thread.cuda = setup->cuda;
	host->thread.rank = setup->rank;
	host->thread.shares = setup->shares;
	host->orders.element_bytes = sizeof(struct given_order);
	host->reports.element_bytes = sizeof(struct told_report);
	host->letter.ns = setup->cuda->host_now();
	pthread_mutex_init(&host->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&host->for_thread, &monotonic);
	pthread_cond_init(&host->for_control, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return host;
}

enum status host_start(const struct host_setup *setup, struct host **started)
{
	struct host *host = host_make(setup);
	*started = NULL;
	if (pthread_create(&host->id, NULL, host_main, host) != 0) {
		host_free(host);
		return fail(ST_GPU, "this computer gives no further thread");
	}
	pthread_mutex_lock(&host->lock);
	while (!host->opened)
		pthread_cond_wait(&host->for_control, &host->lock);
	enum status status = host->status;
	if (status != ST_OK)
		fail(status, "%s", host->words);
	pthread_mutex_unlock(&host->lock);
	setup->cuda->host_sleep_until(host->letter.ns);
	if (status == ST_OK)
		*started = host;
	else
		host_stop(host);
	return status == ST_OK ? ST_OK : ST_GPU;
}

/* Hosts with work that never completes: CUDA may still access their memory. */
static struct host *left_to_cuda;

bool host_stop(struct host *host)
{
	struct timespec until = host_after(INT64_C(1000000) * STOP_MS);
	int late = 0;
	pthread_mutex_lock(&host->lock);
	host->stops = true;
	atomic_fetch_add(&host->wanted, 1);
	pthread_cond_broadcast(&host->for_thread);
	while (!host->ended && !late)
		late = pthread_cond_timedwait(&host->for_control, &host->lock, &until);
	bool ended = host->ended, left = host->left;
	pthread_mutex_unlock(&host->lock);
	if (!ended) {
		pthread_detach(host->id);
		return false;
	}
	pthread_join(host->id, NULL);
	if (!left)
		host_free(host);
	else {
		host->left_before = left_to_cuda;
		left_to_cuda = host;
	}
	return !left;
}

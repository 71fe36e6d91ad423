/* host.c -- the host thread, and its two queues with control: orders in, reports out
 *
 * Beside them control may ask in between, also while the program waits: to cancel, to read or write memory, to end. One lock
 * guards what both sides touch. */
#include "cuda/host/host.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "cuda/host/lanes.h"
#include "cuda/host/thread.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { AWAIT_NS = 20000000, NAP_LEAST_NS = 20000, NAP_MOST_NS = 500000, STOP_NS = 3000000 };

struct asked {
	struct host_order order;
	enum status status;
	char words[1024];
	bool asked, answered;
};

struct host {
	struct host_thread at; /* first: the thread's own */
	struct host_setup setup;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t news;    /* for the thread */
	pthread_cond_t answers; /* for control */
	struct host_order *orders;
	size_t first, count, room; /* [first .. count - 1] */
	struct host_report *reports;
	size_t report_first, report_count, report_room;
	size_t given, told; /* operations */
	op_id *cancelled;
	size_t cancelled_count;
	struct asked ask;
	bool warm, stops, ended;
	enum status started;
	char why[1024];
	const char *call;
	int64_t since, clock; /* of the thread, when it last told something */
	double uncertainty;
	int64_t nap;
};

static struct host *host_of(struct host_thread *at)
{
	return (struct host *)at;
}

char *words_copy(const char *words)
{
	size_t bytes = strlen(words) + 1;
	return memcpy(mem_alloc(bytes), words, bytes);
}

static void wait_ns(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t ns)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ns % 1000000000;
	until.tv_sec += ns / 1000000000 + until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(cond, lock, &until);
}

/* ---- the thread's side */

void thread_report(struct host_thread *at, const struct host_report *report)
{
	struct host *host = host_of(at);
	pthread_mutex_lock(&host->lock);
	MEM_ROOM(&host->reports, host->report_count + 1, &host->report_room);
	host->reports[host->report_count++] = *report;
	host->told++;
	host->clock = at->cuda->host_now();
	pthread_cond_signal(&host->answers);
	pthread_mutex_unlock(&host->lock);
}

void thread_lost(struct host_thread *at, enum status status)
{
	if (at->lost)
		return;
	at->lost = status;
	snprintf(at->why, sizeof at->why, "%s", fail_text());
	lanes_lose(at);
}

void thread_calls(struct host_thread *at, const char *call)
{
	struct host *host = host_of(at);
	__atomic_store_n(&host->since, at->cuda->host_now(), __ATOMIC_RELAXED);
	__atomic_store_n(&host->call, call, __ATOMIC_RELEASE);
}

static void answer(struct host *host)
{
	struct asked *ask = &host->ask;
	struct host_order order = ask->order;
	pthread_mutex_unlock(&host->lock);
	enum status status = host->at.lost ? fail(host->at.lost, "%s", host->at.why)
	        : order.kind == ORDER_READ ? read_now(&host->at, &order)
	                                   : write_now(&host->at, &order);
	pthread_mutex_lock(&host->lock);
	ask->status = status;
	snprintf(ask->words, sizeof ask->words, "%s", status == ST_OK ? "" : fail_text());
	ask->answered = true;
	ask->asked = false;
	host->clock = host->at.cuda->host_now();
	pthread_cond_broadcast(&host->answers);
}

bool thread_serve(struct host_thread *at)
{
	struct host *host = host_of(at);
	pthread_mutex_lock(&host->lock);
	for (size_t i = 0; i < host->cancelled_count; i++)
		lanes_cancel(at, host->cancelled[i]);
	host->cancelled_count = 0;
	if (host->ask.asked)
		answer(host);
	bool goes_on = !host->stops;
	pthread_mutex_unlock(&host->lock);
	return goes_on;
}

void thread_nap(struct host_thread *at, bool found)
{
	struct host *host = host_of(at);
	host->nap = found ? NAP_LEAST_NS : least_of(host->nap * 2, NAP_MOST_NS);
	pthread_mutex_lock(&host->lock);
	if (!host->ask.asked && !host->cancelled_count && !host->stops)
		wait_ns(&host->news, &host->lock, host->nap);
	pthread_mutex_unlock(&host->lock);
}

/* The next order; false: there is none now */
static bool next_order(struct host *host, struct host_order *order)
{
	pthread_mutex_lock(&host->lock);
	bool there = host->first < host->count;
	if (there)
		*order = host->orders[host->first++];
	if (host->first == host->count)
		host->first = host->count = 0;
	pthread_mutex_unlock(&host->lock);
	return there;
}

static void idle(struct host *host)
{
	bool found = lanes_harvest(&host->at, true);
	pthread_mutex_lock(&host->lock);
	host->uncertainty = anchors_uncertainty(&host->at.anchors);
	bool nothing = lanes_empty(&host->at) && host->first == host->count && !host->ask.asked &&
	        !host->cancelled_count && !host->stops;
	if (nothing)
		pthread_cond_wait(&host->news, &host->lock);
	pthread_mutex_unlock(&host->lock);
	if (!nothing)
		thread_nap(&host->at, found);
}

static void work(struct host *host)
{
	struct host_order order;
	size_t since = 0;
	while (thread_serve(&host->at)) {
		if (!next_order(host, &order)) {
			idle(host);
			continue;
		}
		if (!run_order(&host->at, &order))
			return;
		host->nap = NAP_LEAST_NS;
		if (++since % 64 == 0)
			lanes_harvest(&host->at, false);
	}
}

static enum status warm_up(struct host *host)
{
	struct host_thread *at = &host->at;
	struct cuda_library *cuda = at->cuda;
	enum status status =
	        cuda_call(cuda, "cuDeviceGet", cuda->cuDeviceGet(&at->device, host->setup.ordinal));
	if (status == ST_OK)
		status = cuda_call(cuda, "cuDevicePrimaryCtxRetain",
		        cuda->cuDevicePrimaryCtxRetain(&at->context, at->device));
	if (status == ST_OK)
		status = cuda_call(cuda, "cuCtxSetCurrent", cuda->cuCtxSetCurrent(at->context));
	enum status mine = status;
	/* all ranks open theirs, whatever became of one */
	status = first_failure(mine, host->setup.exchange(host->setup.self, &at->exchange));
	if (status == ST_OK)
		status = anchors_open(&at->anchors, cuda);
	if (status == ST_OK)
		status = lanes_open(at);
	if (status == ST_OK)
		status = memory_open(at);
	if (status == ST_OK)
		status = compute_open(at);
	return status == ST_OK ? timer_open(at) : status;
}

static void cool_down(struct host_thread *at)
{
	if (at->exchange)
		at->exchange->release(at->exchange, -1, 0);
	timer_release_all(at);
	timer_close(at);
	compute_close(at);
	lanes_close(at);
	kept_close(at);
	memory_close(at);
	anchors_close(&at->anchors);
	if (at->exchange)
		at->exchange->close(at->exchange);
	if (at->context)
		at->cuda->cuDevicePrimaryCtxRelease(at->device);
}

static void *run(void *self)
{
	struct host *host = self;
	enum status status = warm_up(host);
	pthread_mutex_lock(&host->lock);
	host->started = status;
	snprintf(host->why, sizeof host->why, "%s", status == ST_OK ? "" : fail_text());
	host->warm = true;
	pthread_cond_broadcast(&host->answers);
	pthread_mutex_unlock(&host->lock);
	if (status == ST_OK)
		work(host);
	cool_down(&host->at);
	pthread_mutex_lock(&host->lock);
	host->ended = true;
	pthread_cond_broadcast(&host->answers);
	pthread_mutex_unlock(&host->lock);
	return NULL;
}

/* ---- control's side */

static void host_free(struct host *host)
{
	for (size_t i = host->first; i < host->count; i++)
		mem_free(host->orders[i].meeting);
	for (size_t i = host->report_first; i < host->report_count; i++)
		mem_free(host->reports[i].words);
	mem_free(host->orders);
	mem_free(host->reports);
	mem_free(host->cancelled);
	mem_free(host->at.together);
	mem_free(host);
}

enum status host_start(const struct host_setup *setup, struct host **made)
{
	struct host *host = mem_alloc(sizeof *host);
	pthread_condattr_t attributes;
	host->setup = *setup;
	host->at.cuda = setup->cuda;
	host->at.rank = setup->rank;
	host->nap = NAP_LEAST_NS;
	pthread_mutex_init(&host->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&host->news, &attributes);
	pthread_cond_init(&host->answers, &attributes);
	if (pthread_create(&host->thread, NULL, run, host) != 0) {
		mem_free(host);
		return fail(ST_GPU, "a thread could not be made");
	}
	pthread_mutex_lock(&host->lock);
	while (!host->warm)
		pthread_cond_wait(&host->answers, &host->lock);
	pthread_mutex_unlock(&host->lock);
	if (host->started == ST_OK) {
		*made = host;
		return ST_OK;
	}
	pthread_join(host->thread, NULL);
	enum status status = fail(host->started, "%s", host->why);
	host_free(host);
	return status;
}

bool host_stop(struct host *host)
{
	pthread_mutex_lock(&host->lock);
	host->stops = true;
	pthread_cond_signal(&host->news);
	timer_release_all(&host->at);
	for (int i = 0; i < 1000 && !host->ended; i++)
		wait_ns(&host->answers, &host->lock, STOP_NS);
	bool ended = host->ended;
	pthread_mutex_unlock(&host->lock);
	if (!ended) {
		pthread_detach(host->thread);
		return false;
	}
	pthread_join(host->thread, NULL);
	host_free(host);
	return true;
}

void host_give(struct host *host, const struct host_order *orders, size_t count)
{
	pthread_mutex_lock(&host->lock);
	MEM_ROOM(&host->orders, host->count + count, &host->room);
	if (count)
		memcpy(host->orders + host->count, orders, count * sizeof *orders);
	host->count += count;
	for (size_t i = 0; i < count; i++)
		host->given += orders[i].kind == ORDER_OPERATION;
	pthread_cond_signal(&host->news);
	pthread_mutex_unlock(&host->lock);
}

size_t host_take(struct host *host, struct host_report *reports, size_t most)
{
	pthread_mutex_lock(&host->lock);
	size_t count = host->report_count - host->report_first;
	count = count < most ? count : most;
	if (count)
		memcpy(reports, host->reports + host->report_first, count * sizeof *reports);
	host->report_first += count;
	if (host->report_first == host->report_count)
		host->report_first = host->report_count = 0;
	int64_t clock = host->clock;
	pthread_mutex_unlock(&host->lock);
	host->at.cuda->host_sleep_until(clock);
	return count;
}

void host_await(struct host *host)
{
	struct timespec from, now;
	clock_gettime(CLOCK_MONOTONIC, &from);
	pthread_mutex_lock(&host->lock);
	for (int64_t left = AWAIT_NS; left > 0 && host->told < host->given;) {
		wait_ns(&host->answers, &host->lock, left);
		clock_gettime(CLOCK_MONOTONIC, &now);
		left = AWAIT_NS - (now.tv_sec - from.tv_sec) * 1000000000LL - (now.tv_nsec - from.tv_nsec);
	}
	pthread_mutex_unlock(&host->lock);
}

void host_release(struct host *host, int part, uint32_t turn)
{
	if (host->at.exchange)
		host->at.exchange->release(host->at.exchange, part, turn);
}

void host_cancel(struct host *host, op_id id)
{
	pthread_mutex_lock(&host->lock);
	*MEM_ADD(&host->cancelled, &host->cancelled_count) = id;
	for (size_t i = host->first; i < host->count; i++)
		host->orders[i].undone |= host->orders[i].id == id;
	pthread_cond_signal(&host->news);
	pthread_mutex_unlock(&host->lock);
}

static enum status ask(struct host *host, const struct host_order *order)
{
	pthread_mutex_lock(&host->lock);
	host->ask = (struct asked){.order = *order, .asked = true};
	pthread_cond_signal(&host->news);
	while (!host->ask.answered && !host->ended)
		wait_ns(&host->answers, &host->lock, AWAIT_NS);
	enum status status =
	        host->ask.status == ST_OK ? ST_OK : fail(host->ask.status, "%s", host->ask.words);
	int64_t clock = host->clock;
	pthread_mutex_unlock(&host->lock);
	host->at.cuda->host_sleep_until(clock);
	return status;
}

enum status host_read(struct host *host, op_id by, enum space space, int64_t address,
        const struct layout *layout, void *packed)
{
	struct host_order order = {.kind = ORDER_READ, .by = by, .space = space, .address = address};
	order.layout = *layout;
	order.packed = packed;
	return ask(host, &order);
}

enum status host_write(
        struct host *host, enum space space, int64_t address, const struct layout *layout, const void *packed)
{
	struct host_order order = {.kind = ORDER_WRITE, .space = space, .address = address};
	order.layout = *layout;
	order.packed = (void *)(uintptr_t)packed;
	return ask(host, &order);
}

const char *host_call(struct host *host, int64_t *since)
{
	*since = __atomic_load_n(&host->since, __ATOMIC_RELAXED);
	return __atomic_load_n(&host->call, __ATOMIC_ACQUIRE);
}

double host_uncertainty(struct host *host)
{
	pthread_mutex_lock(&host->lock);
	double uncertainty = host->uncertainty;
	pthread_mutex_unlock(&host->lock);
	return uncertainty;
}

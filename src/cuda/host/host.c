/* host.c -- the host thread, and what goes between it and control: orders, reports, a letter box for reads and writes
 *
 *      control   give --> orders --------> run.c
 *                take <-- reports <------- lanes.c, run.c
 *                read <-> the one letter <> between orders, and while the thread waits
 *
 * One lock guards all of it; nobody holds it through a call of CUDA. Clocks go along with what is handed over, as on the
 * tests' stand-in each thread has its own: who takes something goes on when it was given, at the earliest. */
#include "cuda/host/inside.h"
#include "cuda/host/queue.h"
#include "base/arithmetic.h"
#include "base/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { NAP_LEAST = 20000, NAP_MOST = 500000, LOOKS_QUICK = 100000 }; /* ns */
enum { AWAIT_MS = 20, STOP_MS = 8000, HANGS_MS = 5000, LOOK_EVERY = 32, NEWS_MOST = 256 };
static const int64_t REST_SLICE = 10000000; /* ns */

struct given_order {
	int64_t ns; /* when, on the giver's clock */
	struct host_order order;
};
struct told_report {
	int64_t end; /* on the host's clock */
	struct host_report report;
};
struct cancelled {
	op_id id;
	int64_t ns;
};

/* A read or a write that control waits for. When it gives up, the box stays shut. */
struct letter {
	enum { LETTER_NONE, LETTER_ASKS, LETTER_DONE, LETTER_SHUT } state;
	bool writes;
	struct host_order order; /* packed: mem_free'd by who finds it last */
	enum status status;
	char *words;
	int64_t ns;
};

struct host {
	struct host_thread thread; /* first: the host thread's view is the host */
	struct host_setup setup;
	struct run *run;
	pthread_t id;
	pthread_mutex_t lock;
	pthread_cond_t for_thread, for_control;
	struct queue orders, reports;
	struct cancelled *cancelled;
	size_t cancelled_count;
	struct letter letter;
	bool opened, stops, ended, left; /* left: it ended, and what it held never did */
	bool busy;                       /* some of what was given is not over */
	enum status status;              /* of opening, with its words */
	char *words;
	_Atomic size_t wanted; /* cancelled operations, 1 for a letter, 1 to stop: so many reasons to look */
	_Atomic(const char *) call;  /* that the thread is in; NULL: none */
	_Atomic unsigned calls;      /* so many until now */
	_Atomic int64_t uncertainty; /* ns */
};

static struct host *whole(struct host_thread *thread)
{
	return (struct host *)thread;
}

static struct timespec after(int64_t ns)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	ns += until.tv_nsec;
	until.tv_sec += ns / 1000000000;
	until.tv_nsec = ns % 1000000000;
	return until;
}

static char *words_now(void)
{
	return mem_copy_text(fail_text(), strlen(fail_text()));
}

/* ---- what the host thread asks for */

void host_enters(struct host_thread *thread, const char *call)
{
	struct host *host = whole(thread);
	if (call)
		atomic_fetch_add_explicit(&host->calls, 1, memory_order_relaxed);
	atomic_store_explicit(&host->call, call, memory_order_release);
}

static void answer(struct host *host)
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
	letter->words = status == ST_OK ? NULL : words_now();
	letter->ns = thread->cuda->host_now();
	atomic_fetch_sub(&host->wanted, 1);
	if (letter->state == LETTER_ASKS)
		letter->state = LETTER_DONE;
	pthread_cond_broadcast(&host->for_control);
	pthread_mutex_unlock(&host->lock);
}

bool host_serve(struct host_thread *thread)
{
	struct host *host = whole(thread);
	if (atomic_load(&host->wanted) == 0)
		return true;
	pthread_mutex_lock(&host->lock);
	bool asks = host->letter.state == LETTER_ASKS, stops = host->stops;
	pthread_mutex_unlock(&host->lock);
	if (asks)
		answer(host);
	return !stops;
}

/* With the lock: control is woken where the thread has nothing more to do at once, as that costs more than an order. */
static void wake_control(struct host *host)
{
	if (host->reports.count > 0)
		pthread_cond_broadcast(&host->for_control);
}

void host_nap(struct host_thread *thread, int64_t *ns)
{
	struct host *host = whole(thread);
	if (*ns == 0 && host->setup.naps)
		*ns = NAP_LEAST;
	/* below 0: so long has it looked, without a nap */
	if (*ns <= 0) {
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		int64_t clock = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
		if (*ns == 0)
			*ns = -clock;
		if (clock + *ns < LOOKS_QUICK)
			return;
		*ns = NAP_LEAST;
	}
	lanes_ask_exchange(thread);
	struct timespec until = after(*ns);
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
	struct host *host = whole(thread);
	if (ns - thread->cuda->host_now() > REST_SLICE) {
		pthread_mutex_lock(&host->lock);
		wake_control(host);
		pthread_mutex_unlock(&host->lock);
	}
	for (int64_t now; (now = thread->cuda->host_now()) < ns && host_serve(thread);)
		thread->cuda->host_sleep_until(least_of(ns, now + REST_SLICE));
}

bool host_cancelled(struct host_thread *thread, op_id id, int64_t *ns)
{
	struct host *host = whole(thread);
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

/* With the lock */
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
	struct host *host = whole(thread);
	struct told_report told = {.end = end, .report = *report};
	pthread_mutex_lock(&host->lock);
	forget_cancelled(host, report->measured.id);
	queue_put(&host->reports, &told, 1);
	if (host->reports.count % NEWS_MOST == 0)
		pthread_cond_broadcast(&host->for_control);
	pthread_mutex_unlock(&host->lock);
}

void host_tell_part(struct host_thread *thread, int part, enum status status)
{
	struct host_report report = {.part = part, .status = status, .words = words_now()};
	host_tell(thread, &report, thread->cuda->host_now());
}

/* ---- the thread */

static void publish_uncertainty(struct host *host)
{
	double ns = anchors_uncertainty(&host->thread.anchors);
	atomic_store(&host->uncertainty, (int64_t)(ns + 0.5));
}

/* The next order, or none; nothing to wait for: sleeps until there is something. False: it is to stop. */
static bool next_order(struct host *host, struct given_order *given, bool *any, bool in_flight, int64_t *nap)
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
	*any = queue_take(&host->orders, given, 1) == 1;
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

static void serve(struct host *host)
{
	struct host_thread *thread = &host->thread;
	struct given_order given;
	bool any = false, in_flight = false;
	int64_t nap = 0;
	for (unsigned i = 0; next_order(host, &given, &any, in_flight, &nap); i++) {
		if (any) {
			if (given.ns > thread->cuda->host_now())
				thread->cuda->host_sleep_until(given.ns);
			run_order(thread, host->run, &given.order, given.ns);
			publish_uncertainty(host);
		}
		host_serve(thread);
		if (!any || i % LOOK_EVERY == 0)
			in_flight = lanes_look(thread);
		else
			in_flight = true;
	}
	if (any) {
		mem_free(given.order.meeting);
		mem_free(given.order.arrays);
	}
}

static void *run(void *self)
{
	struct host *host = self;
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	host->thread.cuda->host_sleep_until(host->letter.ns);
	enum status status = run_open(&host->setup, &host->thread, &host->run);
	if (status == ST_OK)
		publish_uncertainty(host);
	char *words = status == ST_OK ? NULL : words_now();
	pthread_mutex_lock(&host->lock);
	host->opened = true;
	host->status = status;
	host->words = words;
	host->letter.ns = host->thread.cuda->host_now();
	pthread_cond_broadcast(&host->for_control);
	pthread_mutex_unlock(&host->lock);
	if (status == ST_OK)
		serve(host);
	bool closed = run_close(&host->thread, host->run);
	pthread_mutex_lock(&host->lock);
	host->ended = true;
	host->left = !closed;
	pthread_cond_broadcast(&host->for_control);
	pthread_mutex_unlock(&host->lock);
	return NULL;
}

/* ---- control: begin and end */

static void release(struct host *host)
{
	struct given_order given;
	struct told_report told;
	while (queue_take(&host->orders, &given, 1)) {
		mem_free(given.order.meeting);
		mem_free(given.order.arrays);
	}
	while (queue_take(&host->reports, &told, 1))
		mem_free(told.report.words);
	mem_free(host->cancelled);
	mem_free(host->letter.order.packed);
	mem_free(host->letter.words);
	mem_free(host->words);
	pthread_cond_destroy(&host->for_thread);
	pthread_cond_destroy(&host->for_control);
	pthread_mutex_destroy(&host->lock);
	mem_free(host);
}

static struct host *make(const struct host_setup *setup)
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
	struct host *host = make(setup);
	*started = NULL;
	if (pthread_create(&host->id, NULL, run, host) != 0) {
		release(host);
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

bool host_stop(struct host *host)
{
	struct timespec until = after(INT64_C(1000000) * STOP_MS);
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
		release(host);
	return !left;
}

/* ---- control: orders and reports */

void host_give(struct host *host, const struct host_order *orders, size_t count)
{
	int64_t now = host->setup.cuda->host_now();
	pthread_mutex_lock(&host->lock);
	for (size_t i = 0; i < count; i++) {
		struct given_order given = {.ns = now, .order = orders[i]};
		queue_put(&host->orders, &given, 1);
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
	while (count < most && queue_take(&host->reports, &told, 1))
		reports[count++] = told.report;
	pthread_mutex_unlock(&host->lock);
	return count;
}

void host_await(struct host *host)
{
	struct timespec until = after(INT64_C(1000000) * AWAIT_MS);
	int late = 0;
	pthread_mutex_lock(&host->lock);
	while (host->reports.count == 0 && host->busy && !late)
		late = pthread_cond_timedwait(&host->for_control, &host->lock, &until);
	pthread_mutex_unlock(&host->lock);
}

void host_release(struct host *host, int part, uint32_t turn)
{
	if (host->thread.exchange)
		host->thread.exchange->release(host->thread.exchange, part, turn);
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

/* ---- control: reads and writes */

/* With the lock: until it is answered, or the thread has been in one call for half a minute */
static enum status wait_for_answer(struct host *host)
{
	struct letter *letter = &host->letter;
	unsigned calls = atomic_load(&host->calls);
	for (int waited = 0; letter->state == LETTER_ASKS; waited += AWAIT_MS) {
		struct timespec until = after(INT64_C(1000000) * AWAIT_MS);
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

/* Sends a letter whose `packed` is ours, and waits; *back: it came back. */
static enum status send(struct host *host, const struct host_order *order, bool writes, bool *back)
{
	struct letter *letter = &host->letter;
	*back = false;
	pthread_mutex_lock(&host->lock);
	if (letter->state == LETTER_SHUT) {
		pthread_mutex_unlock(&host->lock);
		mem_free(order->packed);
		return fail(ST_GPU, "rank %d's host hangs in a call of CUDA", host->setup.rank);
	}
	*letter = (struct letter){
	        .state = LETTER_ASKS, .writes = writes, .order = *order, .ns = host->setup.cuda->host_now()};
	atomic_fetch_add(&host->wanted, 1);
	pthread_cond_signal(&host->for_thread);
	enum status status = wait_for_answer(host);
	if (letter->state == LETTER_DONE) {
		host->setup.cuda->host_sleep_until(letter->ns);
		mem_free(letter->words);
		letter->words = NULL;
		letter->order.packed = NULL;
		letter->state = LETTER_NONE;
		*back = true;
	}
	pthread_mutex_unlock(&host->lock);
	return status;
}

enum status host_read(struct host *host, op_id by, enum space space, int64_t address,
        const struct layout *layout, void *packed)
{
	size_t bytes = (size_t)layout_bytes(layout);
	struct host_order order = {
	        .by = by, .space = space, .address = address, .layout = *layout, .packed = mem_alloc(bytes)};
	bool back;
	enum status status = send(host, &order, false, &back);
	if (status == ST_OK)
		memcpy(packed, order.packed, bytes);
	if (back)
		mem_free(order.packed);
	return status;
}

enum status host_write(
        struct host *host, enum space space, int64_t address, const struct layout *layout, const void *packed)
{
	size_t bytes = (size_t)layout_bytes(layout);
	struct host_order order = {
	        .space = space, .address = address, .layout = *layout, .packed = mem_alloc(bytes)};
	bool back;
	memcpy(order.packed, packed, bytes);
	enum status status = send(host, &order, true, &back);
	if (back)
		mem_free(order.packed);
	return status;
}

/* ---- control: a look */

double host_uncertainty(struct host *host)
{
	return (double)atomic_load(&host->uncertainty);
}

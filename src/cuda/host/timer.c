/* timer.c -- least durations of operations
 *
 *      stream:  | arrived: host function |  work  | wait: word >= value |
 *      thread:    the time begins ........................ it has passed: word = value
 *
 * A slot is a word in pinned memory. Words are counters that grow, so a slot is reused as soon as
 * its word is written, whether or not the stream has read it. */
#include "cuda/host/host_thread.h"
#include "base/memory.h"
#include "system/system.h"

#include <pthread.h>

enum { CHUNK = 1024, CHUNKS = 64 };
/* ns; a shorter time that begins during a sleep is late by at most this */
static const int64_t SLICE = 50000;

enum { CAME = 1, ENDS = 2 };
struct timer_slot {
	struct timer *timer;
	uint32_t *word;
	CUdeviceptr at; /* the word's, for streams */
	uint32_t value;
	struct timer_slot *next_free;
	unsigned state; /* which of the two times are known */
	bool used;
	int64_t came, ns;
};

struct timer {
	struct cuda_library *cuda;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more;
	bool stops, all_over;
	/* slots never move: host functions point at them */
	struct timer_slot *chunk[CHUNKS];
	uint32_t *words[CHUNKS];
	uint32_t chunks;
	struct timer_slot *free, *free_last; /* reused in the order in which they became free */
	struct timer_slot **runs;            /* with a running time */
	size_t running;
};

static void slot_set_free(struct timer *timer, struct timer_slot *slot)
{
	slot->next_free = NULL;
	*(timer->free ? &timer->free_last->next_free : &timer->free) = slot;
	timer->free_last = slot;
}

/* Requires the lock. Writes the word and frees the slot. */
static void slot_finish(struct timer *timer, struct timer_slot *slot, int64_t ns)
{
	timer->cuda->host_store(slot->word, slot->value, ns);
	slot->used = false;
	slot->state = 0;
	slot_set_free(timer, slot);
}

/* Requires the lock. Notes that one of the slot's two times is known. */
static void slot_set_known(struct timer *timer, struct timer_slot *slot, unsigned which)
{
	slot->state |= which;
	if (slot->state != (CAME | ENDS))
		return;
	if (timer->all_over) {
		slot_finish(timer, slot, slot->came);
		return;
	}
	*MEM_ADD(&timer->runs, &timer->running) = slot;
	pthread_cond_signal(&timer->more);
}

static void slot_arrived(void *self)
{
	struct timer_slot *slot = self;
	struct timer *timer = slot->timer;
	int64_t now = timer->cuda->host_now();
	pthread_mutex_lock(&timer->lock);
	if (slot->used) {
		slot->came = now;
		slot_set_known(timer, slot, CAME);
	}
	pthread_mutex_unlock(&timer->lock);
}

static size_t slot_earliest(const struct timer *timer)
{
	size_t best = 0;
	for (size_t i = 1; i < timer->running; i++) {
		const struct timer_slot *a = timer->runs[i], *b = timer->runs[best];
		if (a->came + a->ns < b->came + b->ns)
			best = i;
	}
	return best;
}

/* Sleeps in slices without the lock, because a shorter time may begin meanwhile. */
static void timer_serve(struct timer *timer)
{
	size_t place = slot_earliest(timer);
	struct timer_slot *slot = timer->runs[place];
	int64_t due = slot->came + slot->ns, now = timer->cuda->host_now();
	if (due > now) {
		pthread_mutex_unlock(&timer->lock);
		timer->cuda->host_sleep_until(due < now + SLICE ? due : now + SLICE);
		pthread_mutex_lock(&timer->lock);
		return;
	}
	timer->runs[place] = timer->runs[--timer->running];
	slot_finish(timer, slot, due);
}

static void *timer_main(void *self)
{
	struct timer *timer = self;
	system_sleep_slack(1);
	pthread_mutex_lock(&timer->lock);
	while (!timer->stops)
		if (timer->running)
			timer_serve(timer);
		else
			pthread_cond_wait(&timer->more, &timer->lock);
	pthread_mutex_unlock(&timer->lock);
	return NULL;
}

static enum status timer_grow(struct timer *timer)
{
	void *words = NULL;
	CUdeviceptr at = 0;
	if (timer->chunks == CHUNKS)
		return fail(ST_LIMIT, "more than %d operations are to last a time", CHUNK * CHUNKS);
	enum status status = cuda_mapped_alloc(timer->cuda, CHUNK * sizeof(uint32_t), &words, &at);
	if (status != ST_OK)
		return status;
	struct timer_slot *slots = mem_alloc(CHUNK * sizeof *slots);
	pthread_mutex_lock(&timer->lock);
	timer->words[timer->chunks] = words;
	timer->chunk[timer->chunks++] = slots;
	for (uint32_t i = 0; i < CHUNK; i++) {
		slots[i] = (struct timer_slot){
		        .timer = timer, .word = (uint32_t *)words + i, .at = at + i * sizeof(uint32_t)};
		slot_set_free(timer, &slots[i]);
	}
	pthread_mutex_unlock(&timer->lock);
	return ST_OK;
}

static enum status slot_take(struct timer *timer, struct timer_slot **slot)
{
	pthread_mutex_lock(&timer->lock);
	bool none = !timer->free;
	pthread_mutex_unlock(&timer->lock);
	enum status status = none ? timer_grow(timer) : ST_OK;
	if (status != ST_OK)
		return status;
	pthread_mutex_lock(&timer->lock);
	*slot = timer->free;
	timer->free = (*slot)->next_free;
	(*slot)->used = true;
	(*slot)->value++;
	pthread_mutex_unlock(&timer->lock);
	return ST_OK;
}

static enum status slot_wait(struct host_thread *host, CUstream stream, const struct timer_slot *slot)
{
	return CUDA_CALL(
	        host->cuda, cuStreamWaitValue32, stream, slot->at, slot->value, CU_STREAM_WAIT_VALUE_GEQ);
}

enum status timer_begin(struct host_thread *host, CUstream stream, struct timer_slot **slot)
{
	enum status status = slot_take(host->timer, slot);
	if (status != ST_OK)
		return status;
	status = CUDA_CALL(host->cuda, cuLaunchHostFunc, stream, slot_arrived, *slot);
	if (status != ST_OK)
		timer_let_go(host, *slot, 0);
	return status;
}

enum status timer_end(struct host_thread *host, CUstream stream, struct timer_slot *slot, int64_t ns)
{
	struct timer *timer = host->timer;
	enum status status = slot_wait(host, stream, slot);
	pthread_mutex_lock(&timer->lock);
	slot->ns = ns;
	if (slot->used)
		slot_set_known(timer, slot, ENDS);
	pthread_mutex_unlock(&timer->lock);
	return status;
}

enum status timer_hold(struct host_thread *host, CUstream stream, struct timer_slot **slot)
{
	enum status status = slot_take(host->timer, slot);
	if (status != ST_OK)
		return status;
	status = slot_wait(host, stream, *slot);
	if (status != ST_OK) {
		timer_let_go(host, *slot, 0);
		*slot = NULL;
	}
	return status;
}

void timer_let_go(struct host_thread *host, struct timer_slot *slot, int64_t ns)
{
	struct timer *timer = host->timer;
	pthread_mutex_lock(&timer->lock);
	if (slot->used)
		slot_finish(timer, slot, ns);
	pthread_mutex_unlock(&timer->lock);
}

static void timer_free(struct timer *timer)
{
	for (uint32_t i = 0; i < timer->chunks; i++) {
		timer->cuda->cuMemFreeHost(timer->words[i]);
		mem_free(timer->chunk[i]);
	}
	mem_free(timer->runs);
	pthread_cond_destroy(&timer->more);
	pthread_mutex_destroy(&timer->lock);
	mem_free(timer);
}

enum status timer_open(struct host_thread *host)
{
	struct timer *timer = mem_alloc(sizeof *timer);
	timer->cuda = host->cuda;
	pthread_mutex_init(&timer->lock, NULL);
	pthread_cond_init(&timer->more, NULL);
	enum status status = timer_grow(timer);
	if (status == ST_OK && pthread_create(&timer->thread, NULL, timer_main, timer) != 0)
		status = fail(ST_MEMORY, "this computer gives no further thread");
	if (status == ST_OK)
		host->timer = timer;
	else
		timer_free(timer);
	return status;
}

void timer_finish(struct host_thread *host)
{
	struct timer *timer = host->timer;
	if (!timer)
		return;
	int64_t now = timer->cuda->host_now();
	pthread_mutex_lock(&timer->lock);
	timer->all_over = true;
	timer->running = 0;
	for (uint32_t i = 0; i < timer->chunks * CHUNK; i++) {
		struct timer_slot *slot = &timer->chunk[i / CHUNK][i % CHUNK];
		if (slot->used)
			slot_finish(timer, slot, now);
	}
	pthread_mutex_unlock(&timer->lock);
}

void timer_close(struct host_thread *host)
{
	struct timer *timer = host->timer;
	if (!timer)
		return;
	timer_finish(host);
	pthread_mutex_lock(&timer->lock);
	timer->stops = true;
	pthread_cond_signal(&timer->more);
	pthread_mutex_unlock(&timer->lock);
	pthread_join(timer->thread, NULL);
	timer_free(timer);
	host->timer = NULL;
}

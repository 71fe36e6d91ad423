/* timer.c -- an operation lasts so long at least: a word in pinned memory that its stream waits for
 *
 *      stream    came ...... work ........ | waits for the word |  goes on
 *      timer     `- notes the time        due = then + ns  -----'  writes it
 *
 * The time is noted by a function of the host in the stream's order; the words are written by a thread that waits for the
 * earliest. No kernel of ours spins, and CUDA's own thread for such functions is held by none. */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "cuda/host/inside.h"
#include <pthread.h>

enum { WORDS = 4096 };
static const int64_t LOOK_NS = 100000; /* how long it may sleep without looking for an earlier one */

struct alarm {
	struct timer *timer;
	uint32_t ticket;
	int64_t came, ns; /* -1: not known yet */
	bool waits;       /* in `waiting` */
};

struct timer {
	struct cuda_library *cuda;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t news;
	bool stops;
	uint32_t tickets; /* given out */
	uint32_t *words;
	CUdeviceptr device;
	struct alarm alarm[WORDS]; /* by ticket */
	struct alarm **waiting;
	size_t waiting_count;
};

static void write_word(struct timer *timer, const struct alarm *alarm, int64_t at)
{
	timer->cuda->host_store(&timer->words[alarm->ticket % WORDS], alarm->ticket / WORDS + 1, at);
}

/* The earliest; NULL: there is none */
static struct alarm *earliest(struct timer *timer, size_t *place)
{
	struct alarm *first = NULL;
	for (size_t i = 0; i < timer->waiting_count; i++) {
		struct alarm *alarm = timer->waiting[i];
		if (first && first->came + first->ns <= alarm->came + alarm->ns)
			continue;
		first = alarm;
		*place = i;
	}
	return first;
}

static void *run(void *self)
{
	struct timer *timer = self;
	size_t place = 0;
	pthread_mutex_lock(&timer->lock);
	while (!timer->stops) {
		struct alarm *alarm = earliest(timer, &place);
		if (!alarm) {
			pthread_cond_wait(&timer->news, &timer->lock);
			continue;
		}
		int64_t due = alarm->came + alarm->ns, now = timer->cuda->host_now();
		if (due > now) {
			pthread_mutex_unlock(&timer->lock);
			timer->cuda->host_sleep_until(least_of(due, now + LOOK_NS));
			pthread_mutex_lock(&timer->lock);
			continue;
		}
		timer->waiting[place] = timer->waiting[--timer->waiting_count];
		alarm->waits = false;
		write_word(timer, alarm, due);
	}
	pthread_mutex_unlock(&timer->lock);
	return NULL;
}

/* With the lock: both halves are there. */
static void set_alarm(struct timer *timer, struct alarm *alarm)
{
	if (alarm->came < 0 || alarm->ns < 0)
		return;
	*MEM_ADD(&timer->waiting, &timer->waiting_count) = alarm;
	alarm->waits = true;
	pthread_cond_signal(&timer->news);
}

static void came(void *self)
{
	struct alarm *alarm = self;
	struct timer *timer = alarm->timer;
	pthread_mutex_lock(&timer->lock);
	alarm->came = timer->cuda->host_now();
	set_alarm(timer, alarm);
	pthread_mutex_unlock(&timer->lock);
}

enum status timer_open(struct host_thread *host)
{
	struct timer *timer = host->timer = mem_alloc(sizeof *timer);
	void *words;
	timer->cuda = host->cuda;
	pthread_mutex_init(&timer->lock, NULL);
	pthread_cond_init(&timer->news, NULL);
	timer->stops = true; /* there is no thread yet */
	enum status status = cuda_call(host->cuda, "cuMemHostAlloc",
	        host->cuda->cuMemHostAlloc(&words, WORDS * sizeof *timer->words, CU_MEMHOSTALLOC_DEVICEMAP));
	if (status != ST_OK)
		return status;
	timer->words = words;
	for (int i = 0; i < WORDS; i++)
		timer->words[i] = 0;
	status = cuda_call(host->cuda, "cuMemHostGetDevicePointer",
	        host->cuda->cuMemHostGetDevicePointer(&timer->device, words, 0));
	if (status != ST_OK)
		return status;
	timer->stops = false;
	if (pthread_create(&timer->thread, NULL, run, timer) == 0)
		return ST_OK;
	timer->stops = true;
	return fail(ST_GPU, "a thread could not be made");
}

/* Streams wait in the order of their words' tickets; all that was given out is over then. */
static void end_all(struct timer *timer)
{
	int64_t now = timer->cuda->host_now();
	uint32_t first = timer->tickets > WORDS ? timer->tickets - WORDS : 0;
	for (uint32_t ticket = first; ticket < timer->tickets; ticket++)
		timer->cuda->host_store(&timer->words[ticket % WORDS], ticket / WORDS + 1, now);
}

void timer_release_all(struct host_thread *host)
{
	if (host->timer && host->timer->words)
		end_all(host->timer);
}

void timer_close(struct host_thread *host)
{
	struct timer *timer = host->timer;
	if (!timer)
		return;
	pthread_mutex_lock(&timer->lock);
	bool runs = !timer->stops;
	timer->stops = true;
	pthread_cond_signal(&timer->news);
	pthread_mutex_unlock(&timer->lock);
	if (runs)
		pthread_join(timer->thread, NULL);
	if (timer->words)
		host->cuda->cuMemFreeHost(timer->words);
	mem_free(timer->waiting);
	mem_free(timer);
	host->timer = NULL;
}

/* A place of the ring that is still in use is given up early: 4,096 operations would have to be under way. */
static struct alarm *ticket_take(struct timer *timer, uint32_t *ticket)
{
	struct alarm *alarm = &timer->alarm[timer->tickets % WORDS];
	for (size_t i = 0; i < timer->waiting_count && alarm->waits; i++)
		if (timer->waiting[i] == alarm) {
			timer->waiting[i] = timer->waiting[--timer->waiting_count];
			break;
		}
	*ticket = timer->tickets++;
	*alarm = (struct alarm){.timer = timer, .ticket = *ticket, .came = -1, .ns = -1};
	return alarm;
}

enum status timer_begin(struct host_thread *host, CUstream stream, uint32_t *ticket)
{
	struct timer *timer = host->timer;
	pthread_mutex_lock(&timer->lock);
	struct alarm *alarm = ticket_take(timer, ticket);
	pthread_mutex_unlock(&timer->lock);
	return cuda_call(host->cuda, "cuLaunchHostFunc", host->cuda->cuLaunchHostFunc(stream, came, alarm));
}

static enum status wait_word(struct host_thread *host, CUstream stream, uint32_t ticket)
{
	CUdeviceptr at = host->timer->device + ticket % WORDS * sizeof(uint32_t);
	return cuda_call(host->cuda, "cuStreamWaitValue32",
	        host->cuda->cuStreamWaitValue32(stream, at, ticket / WORDS + 1, CU_STREAM_WAIT_VALUE_GEQ));
}

enum status timer_end(struct host_thread *host, CUstream stream, uint32_t ticket, int64_t ns)
{
	struct timer *timer = host->timer;
	struct alarm *alarm = &timer->alarm[ticket % WORDS];
	pthread_mutex_lock(&timer->lock);
	if (alarm->ticket == ticket) {
		alarm->ns = ns;
		set_alarm(timer, alarm);
	}
	pthread_mutex_unlock(&timer->lock);
	return wait_word(host, stream, ticket);
}

enum status timer_hold(struct host_thread *host, CUstream stream, uint32_t *ticket)
{
	pthread_mutex_lock(&host->timer->lock);
	ticket_take(host->timer, ticket);
	pthread_mutex_unlock(&host->timer->lock);
	return wait_word(host, stream, *ticket);
}

void timer_let_go(struct host_thread *host, uint32_t ticket)
{
	host->cuda->host_store(
	        &host->timer->words[ticket % WORDS], ticket / WORDS + 1, host->cuda->host_now());
}

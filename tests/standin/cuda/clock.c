/* clock.c -- the virtual clock: every thread of the host has its own, and in a stream's work the thread has the stream's. Threads of the host
 * that hand each other something take the time along: `standin_sleep_until(what the other's clock was)`. */
#include "inside.h"
#include <errno.h>
#include <time.h>

static _Thread_local int64_t mine_ns = 1000000000;

int64_t standin_now(void)
{
	if (!standin_options() || !standin_options()->wall)
		return mine_ns;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void standin_set_now(int64_t ns)
{
	mine_ns = ns;
}

void standin_sleep_until(int64_t ns)
{
	if (!standin_options() || !standin_options()->wall) {
		mine_ns = ns > mine_ns ? ns : mine_ns;
		return;
	}
	struct timespec until = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	while (ns > 0 && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		continue;
}

int64_t ranksh_host_now(void)
{
	return standin_now();
}

void ranksh_host_sleep_until(int64_t ns)
{
	standin_sleep_until(ns);
}

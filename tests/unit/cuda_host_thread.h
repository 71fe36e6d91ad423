/* cuda_host_thread.h -- a host thread on the stand-in, with operations made by hand, and its
 * reports */
#ifndef RANKSH_TEST_CUDA_HOST_THREAD_H
#define RANKSH_TEST_CUDA_HOST_THREAD_H

#include "standin_open.h"
#include "base/memory.h"
#include "cuda/host/host.h"
#include "kernels/kernel.h"
#include "world/world.h"

#include <cmocka.h>
#include <time.h>

/* Of the stand-in (tests/standin/README.md) */
enum { US = 1000, CALL = 1000, LATENCY = 3000 };

static struct host *host;
static struct cuda_library table;
static const struct kernel *spin;

static inline enum status try_start(const char *options)
{
	point_to_standin(options);
	is(ST_OK, cuda_library_open(&table, CUDA_PART_DRIVER));
	is(ST_OK, cuda_library_open(&table, CUDA_PART_CUBLAS));
	ok(table.cuInit(0));
	spin = kernel_find("spin");
	struct host_setup setup = {.cuda = &table, .naps = true};
	return host_start(&setup, &host);
}

static inline void start(const char *options)
{
	is(ST_OK, try_start(options));
}

static inline void stop(void)
{
	is(true, host_stop(host));
}

/* ---- orders and reports */

static inline struct host_order operation(enum op_kind kind, int stream, op_id id)
{
	return (struct host_order){.kind = ORDER_OPERATION,
	        .stream = (uint8_t)stream,
	        .id = id,
	        .record = {.kind = (uint8_t)kind, .group = -1, .duration_ns = -1}};
}

static inline struct host_order spins(int stream, op_id id, int64_t ns)
{
	struct host_order order = operation(OP_KERNEL, stream, id);
	order.record.kernel = spin;
	order.record.duration_ns = ns;
	order.least_ns = ns;
	return order;
}

static inline struct host_order after(enum op_kind kind, int stream, op_id id, op_id target)
{
	struct host_order order = operation(kind, stream, id);
	order.target = target;
	return order;
}

static inline void give(struct host_order order)
{
	host_give(host, &order, 1);
}

/* Session's time 0 is a millisecond ahead: what was done until now is far behind. */
static inline void begin_session(void)
{
	struct host_order clock = {.kind = ORDER_CLOCK, .shift = table.host_now() + 1000 * US};
	give(clock);
}

enum { REPORTS = 4096 };
static struct host_report reports[REPORTS];
static size_t count;

/* Until so many have been told */
static inline void await(size_t wanted)
{
	time_t begun = time(NULL);
	while (count < wanted) {
		host_await(host);
		count += host_take(host, reports + count, REPORTS - count);
		is(true, time(NULL) - begun < 240);
	}
	is(wanted, count);
}

static inline const struct host_report *report_of(op_id id)
{
	for (size_t i = 0; i < count; i++)
		if (reports[i].measured.id == id)
			return &reports[i];
	fprintf(stderr, "operation %u was not told\n", id);
	_exit(1);
}

static inline struct measured times_of(op_id id)
{
	const struct measured *found = &report_of(id)->measured;
	is(true, found->issue <= found->ready && found->ready <= found->start && found->start <= found->end);
	return *found;
}

/* Clocks of host and GPU are known to that; events between two anchors to the digits of a float */
enum { NEAR = 2200 };
static inline void near(const char *what, int64_t wanted, int64_t found)
{
	if (found >= wanted - NEAR && found <= wanted + NEAR)
		return;
	fprintf(stderr, "%s is %lld, not %lld\n", what, (long long)found, (long long)wanted);
	_exit(1);
}
static inline void lasts(op_id id, int64_t ns)
{
	struct measured found = times_of(id);
	near("a duration", ns, found.end - found.start);
}

#endif

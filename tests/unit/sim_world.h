/* sim_world.h -- a small world on the simulated machine, for tests: lines are functions, times
 * are virtual microseconds */
#ifndef RANKSH_SIM_WORLD_H
#define RANKSH_SIM_WORLD_H

#include "base/memory.h"
#include "collectives/collective.h"
#include "sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { US = 1000, LAUNCH = 10 * US };

struct bench {
	struct machine machine;
	struct world *world;
	struct backend *backend;
	int done;
	op_id last_done;
};

/* 10 us a launch, 100 us + 1 ns a byte a copy, 50 us + 1 ns a byte a transfer; a collective holds half of the
 * multiprocessors */
static inline struct machine test_machine(void)
{
	return (struct machine){.launch = LAUNCH,
	        .segment = 0,
	        .peak_f32 = 1e9,
	        .peak_half = 2e9,
	        .efficiency = 1,
	        .efficiency_half = 1,
	        .memory_rate = 2e9,
	        .memory = 1 << 30,
	        .copy_latency = 100 * US,
	        .h2d = 1e9,
	        .d2h = 1e9,
	        .pageable = 5e8,
	        .host_rate = 1e9,
	        .gpus = 4,
	        .nodes = 1024,
	        .link_rate = 1e9,
	        .link_latency = 50 * US,
	        .link_switched = 1,
	        .nic_rate = 5e8,
	        .nic_latency = 80 * US,
	        .collective_sms = 0.5};
}

static inline void hook_done(void *self, op_id id)
{
	struct bench *b = self;
	b->done++;
	b->last_done = id;
}

static inline void bench_open(struct bench *b, int n)
{
	*b = (struct bench){.machine = test_machine()};
	b->world = world_create(n, -1, &b->machine);
	assert_non_null(b->world);
	b->backend = sim_start(b->world, NULL, (struct backend_hooks){b, hook_done});
}

static inline void bench_close(struct bench *b)
{
	b->backend->stop(b->backend);
	world_free(b->world);
}

static inline name_id name_of(struct bench *b, const char *text)
{
	return names_make(b->world->names, text, strlen(text));
}

static inline op_id queue(
        struct bench *b, int rank, int stream, struct record *record, op_id target, int flags)
{
	size_t before = b->world->op_count;
	op_id id = 0;
	record->microbatch = -1;
	assert_int_equal(world_queue(b->world, rank, stream, record, 0, target, flags, &id), ST_OK);
	for (size_t i = before + 1; i <= b->world->op_count; i++)
		assert_int_equal(b->backend->queued(b->backend, (op_id)i), ST_OK);
	return id;
}

static inline struct record plain_record(struct bench *b, enum op_kind kind, const char *title)
{
	return (struct record){.kind = (uint8_t)kind,
	        .title = name_of(b, title),
	        .group = -1,
	        .root = -1,
	        .duration_ns = -1};
}

/* a kernel of so many us of work */
static inline op_id kernel(struct bench *b, int rank, int stream, int64_t us)
{
	struct record record = plain_record(b, OP_KERNEL, "matmul");
	record.flops = (double)us * US;
	return queue(b, rank, stream, &record, 0, 0);
}
static inline op_id spin(struct bench *b, int rank, int stream, int64_t us)
{
	struct record record = plain_record(b, OP_KERNEL, "spin");
	record.duration_ns = us * US;
	return queue(b, rank, stream, &record, 0, 0);
}
static inline op_id host_work(struct bench *b, int rank, int64_t us)
{
	struct record record = plain_record(b, OP_HOST, "host");
	record.duration_ns = us * US;
	return queue(b, rank, STREAM_HOST, &record, 0, 0);
}
static inline op_id sync_on(struct bench *b, int rank, op_id target)
{
	struct record record = plain_record(b, OP_SYNC, "sync");
	record.reason = name_of(b, "sync");
	return queue(b, rank, STREAM_HOST, &record, target, 0);
}
static inline op_id record_on(struct bench *b, int rank, int stream)
{
	struct record record = plain_record(b, OP_RECORD, "record");
	return queue(b, rank, stream, &record, 0, 0);
}
static inline op_id wait_on(struct bench *b, int rank, int stream, op_id target)
{
	struct record record = plain_record(b, OP_WAIT, "wait");
	return queue(b, rank, stream, &record, target, 0);
}
static inline op_id crash(struct bench *b, int rank)
{
	struct record record = plain_record(b, OP_CRASH, "crash");
	return queue(b, rank, STREAM_HOST, &record, 0, 0);
}
static inline struct operand bytes_operand(enum space space, int64_t address, int64_t bytes, int access)
{
	struct operand operand = {
	        .address = address, .space = (uint8_t)space, .access = (uint8_t)access, .tensor = -1};
	assert_int_equal(layout_make(&operand.layout, DT_F32, 1, (int64_t[]){bytes / 4}), ST_OK);
	return operand;
}
/* a copy of so many us of bytes (latency on top) */
static inline op_id copy(struct bench *b, int rank, int stream, enum space from, enum space to, int64_t us)
{
	struct record record = plain_record(b, OP_COPY, "copy");
	struct operand operand[] = {bytes_operand(from, 0, us * US, ACCESS_READ),
	        bytes_operand(to, 1 << 20, us * US, ACCESS_WRITE)};
	record.operand = operand;
	record.operands = 2;
	record.bytes = us * US;
	return queue(b, rank, stream, &record, 0, 0);
}
/* backup: so many members need not be waited for */
static inline op_id allreduce_backup(
        struct bench *b, int rank, int stream, int group, int64_t bytes, int backup)
{
	struct record record = plain_record(b, OP_COLLECTIVE, "allreduce");
	struct operand operand = bytes_operand(SPACE_DEVICE, 0, bytes, ACCESS_READ | ACCESS_WRITE);
	record.collective = &collective_allreduce;
	record.group = group;
	record.bytes = bytes;
	record.backup = (uint16_t)backup;
	record.operand = &operand;
	record.operands = 1;
	return queue(b, rank, stream, &record, 0, 0);
}
static inline op_id allreduce_in(struct bench *b, int rank, int stream, int group, int64_t bytes)
{
	return allreduce_backup(b, rank, stream, group, bytes, 0);
}
static inline op_id allreduce(struct bench *b, int rank, int stream, int64_t bytes)
{
	return allreduce_in(b, rank, stream, 0, bytes);
}

struct part_of {
	enum p2p_direction direction;
	int peer;
};
static inline op_id parts(
        struct bench *b, int rank, int stream, int count, const struct part_of *of, int64_t us)
{
	struct record record = plain_record(b, OP_P2P,
	        count > 1                             ? "sendrecv"
	                : of[0].direction == P2P_SEND ? "send"
	                                              : "recv");
	struct operand operand[4];
	struct part part[4];
	for (int i = 0; i < count; i++) {
		operand[i] = bytes_operand(SPACE_DEVICE, i << 20, us * US,
		        of[i].direction == P2P_SEND ? ACCESS_READ : ACCESS_WRITE);
		part[i] = (struct part){
		        .direction = (uint8_t)of[i].direction, .peer = of[i].peer, .operand = i};
	}
	record.group = 0;
	record.operand = operand;
	record.part = part;
	record.operands = record.parts = (uint8_t)count;
	record.bytes = us * US;
	return queue(b, rank, stream, &record, 0, 0);
}
static inline op_id transfer(
        struct bench *b, int rank, int stream, enum p2p_direction direction, int peer, int64_t us)
{
	return parts(b, rank, stream, 1, &(struct part_of){direction, peer}, us);
}
static inline int stream_of(struct bench *b, int rank, const char *name, bool blocking)
{
	int index;
	assert_int_equal(world_stream_make(b->world, rank, name_of(b, name), 0, blocking, &index), ST_OK);
	return b->world->streams[index].number;
}
static inline void advance(struct bench *b)
{
	assert_int_equal(b->backend->advance(b->backend, NULL), ST_OK);
}
static inline enum status reach(struct bench *b, op_id id)
{
	enum status status = b->backend->reach(b->backend, &id, 1, NULL);
	if (status == ST_BUG || status == ST_MEMORY)
		print_error("%s\n", fail_text());
	return status;
}
static inline struct times times_of(struct bench *b, op_id id)
{
	struct times times;
	b->backend->times(b->backend, id, &times);
	return times;
}
static inline struct host_now host_of(struct bench *b, int rank)
{
	struct host_now now;
	b->backend->host(b->backend, rank, &now);
	return now;
}

#define assert_span(b, id, from, to)                               \
	do {                                                       \
		struct times span_ = times_of(b, id);              \
		assert_int_equal(span_.start, (int64_t)(from)*US); \
		assert_int_equal(span_.end, (int64_t)(to)*US);     \
	} while (0)

#endif

/* world_help.h -- short functions that fill the books, for the tests of src/world */
#ifndef RANKSH_WORLD_HELP_H
#define RANKSH_WORLD_HELP_H

#include "base/memory.h"
#include "races/races.h"
#include "world/world.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h> /* behind ours: it makes a macro of `fail` */

struct books {
	struct world *world;
	struct machine *machine;
	long live;
};

static inline struct books books_open(int n, int me)
{
	struct books b = {.live = mem_live()};

	b.machine = mem_alloc(sizeof *b.machine);
	assert_non_null(b.machine);
	b.machine->memory = 256e6;
	b.machine->segment = 1000;
	b.world = world_create(n, me, b.machine);
	assert_non_null(b.world);
	return b;
}

static inline void books_close(struct books *b)
{
	races_free(b->world);
	world_free(b->world);
	mem_free(b->machine);
	assert_int_equal(mem_live(), b->live);
}

static inline name_id name(struct books *b, const char *text)
{
	return names_make(b->world->names, text, strlen(text));
}

static inline int make_in(
        struct books *b, int rank, const char *text, int64_t elements, enum space space, int pool, bool clean)
{
	struct layout layout;
	int index;

	assert_int_equal(layout_make(&layout, DT_F32, 1, &elements), ST_OK);
	assert_int_equal(
	        world_tensor_make(b->world, rank, name(b, text), &layout, space, pool, clean, 0, &index),
	        ST_OK);
	return index;
}

/* f32, on the device, from the default stream's pool */
static inline int make(struct books *b, int rank, const char *text, int64_t elements)
{
	return make_in(b, rank, text, elements, SPACE_DEVICE, STREAM_DEFAULT, false);
}

static inline int stream(struct books *b, int rank, const char *text)
{
	int index;

	assert_int_equal(world_stream_make(b->world, rank, name(b, text), 0, false, &index), ST_OK);
	return b->world->streams[index].number;
}

static inline struct record record_of(struct books *b, enum op_kind kind, const char *title)
{
	return (struct record){.kind = (uint8_t)kind,
	        .microbatch = -1,
	        .title = name(b, title),
	        .group = -1,
	        .root = -1,
	        .duration_ns = -1};
}

static inline struct operand whole(struct books *b, int tensor, int access)
{
	const struct tensor *t = &b->world->tensors[tensor];
	return (struct operand){.address = t->address,
	        .space = t->space,
	        .access = (uint8_t)access,
	        .tensor = tensor,
	        .name = t->name,
	        .layout = t->layout};
}

static inline op_id queue(struct books *b, int rank, int lane, const struct record *record, op_id target)
{
	op_id id;

	assert_int_equal(world_queue(b->world, rank, lane, record, 0, target, 0, &id), ST_OK);
	return id;
}

static inline op_id kernel(struct books *b, int rank, int lane, const char *title)
{
	struct record record = record_of(b, OP_KERNEL, title);
	return queue(b, rank, lane, &record, 0);
}

static inline op_id touch(struct books *b, int rank, int lane, const char *title, int tensor, int access)
{
	struct operand operand = whole(b, tensor, access);
	struct record record = record_of(b, lane == STREAM_HOST ? OP_FILL : OP_KERNEL, title);

	record.operands = 1;
	record.operand = &operand;
	record.object = operand.name;
	return queue(b, rank, lane, &record, 0);
}

static inline op_id order(struct books *b, int rank, int lane, enum op_kind kind, op_id target)
{
	struct record record = record_of(b, kind, op_kind_name(kind));
	return queue(b, rank, lane, &record, target);
}

static inline op_id collective(
        struct books *b, int rank, int lane, const char *title, int group, int64_t bytes)
{
	struct record record = record_of(b, OP_COLLECTIVE, title);

	record.group = group;
	record.bytes = bytes;
	return queue(b, rank, lane, &record, 0);
}

/* Of `elements` f32 somewhere: no memory is touched. */
static inline op_id transfer(
        struct books *b, int rank, int lane, enum p2p_direction direction, int peer, int64_t elements)
{
	struct operand operand = {.space = SPACE_HOST,
	        .address = 1,
	        .access = direction == P2P_SEND ? ACCESS_READ : ACCESS_WRITE};
	struct part part = {.direction = (uint8_t)direction, .peer = peer};
	struct record record = record_of(b, OP_P2P, direction == P2P_SEND ? "send" : "recv");

	assert_int_equal(layout_make(&operand.layout, DT_F32, 1, &elements), ST_OK);
	record.group = 0;
	record.operands = record.parts = 1;
	record.operand = &operand;
	record.part = &part;
	return queue(b, rank, lane, &record, 0);
}

static inline uint32_t match_of(struct books *b, op_id transfer_op)
{
	return b->world->part_matches[b->world->ops[transfer_op].match];
}

#endif

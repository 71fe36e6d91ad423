/* rank_data.c -- running operations of this process's rank, and memory that changes meanwhile
 *
 * Before memory changes, each running operation that reads it is evaluated: a kernel into a buffer
 * of its own, others by packing their input. So a race has the same result in every run. */
#include "numerics/rank_data.h"
#include "base/memory.h"
#include "numerics/evaluate.h"

#include <stdio.h>
#include <sys/mman.h>

enum { OPERANDS = 16 };
enum { WHOLE = -1, OTHERS_GET = -2 };
/* A running operation, one send of it, or another rank's get that reads here */
struct in_flight {
	op_id id;
	int part;               /* the send among a P2P's parts; else WHOLE or OTHERS_GET */
	bool staged;            /* `packed` is filled */
	void *packed[OPERANDS]; /* kernels: results by operand; others: [0], the input */
};

/* The result of a collective with backup=, until this rank's operation ends */
struct kept_result {
	uint32_t match;
	void *bytes;
};

struct rank_data {
	struct world *world;
	struct transport *transport;
	struct in_flight *running;
	size_t count;
	struct transport_group **groups; /* this rank's instance by group; NULL: not a member */
	size_t group_count;
	struct kept_result *kept;
	size_t kept_count;
	enum status status; /* the first failure not reported yet */
	/* the operation that read an index out of range, if that is `status`; else 0 */
	op_id looked_up;
	char why[512];
	bool spoiled;
};

/* ---- failures */

bool data_spoiled(const struct rank_data *data)
{
	return data->spoiled;
}

enum status data_failure(struct rank_data *data)
{
	enum status status = data->status;
	data->status = ST_OK;
	data->looked_up = 0;
	return status == ST_OK ? ST_OK : fail(status, "%s", data->why);
}

/* Keeps the first failure for data_failure(); later ones only set `spoiled`. */
static void failure_keep(struct rank_data *data, enum status status)
{
	data->spoiled |= status != ST_OK;
	if (status == ST_OK || data->status != ST_OK)
		return;
	data->status = status;
	snprintf(data->why, sizeof data->why, "%s", fail_text());
}

/* For an index out of range in a kernel: keeps the first in program order. */
static void failure_of_kernel(struct rank_data *data, enum status status, op_id id)
{
	if (status != ST_OK && (data->status == ST_OK || data->looked_up > id)) {
		data->status = ST_OK;
		data->looked_up = id;
	}
	failure_keep(data, status);
}

/* Keeps the failure and marks the outputs of `id` invalid. */
static void failure_note(struct rank_data *data, enum status status, op_id id)
{
	if (status == ST_OK)
		return;
	failure_keep(data, status);
	world_mark_outputs(data->world, id, id);
}

static enum status failure_no_group(const struct rank_data *data, int group)
{
	return fail(ST_MPI, "the group '%s' could not be made",
	        names_text(data->world->names, data->world->groups[group].name));
}

/* ---- running operations */

static void flight_forget(struct rank_data *data, struct in_flight *running)
{
	for (int i = 0; i < OPERANDS; i++)
		mem_free(running->packed[i]);
	*running = data->running[--data->count];
}

/* Returns true if the running operation reads this memory; a P2P reads what its `part` sends. */
static bool flight_reads(
        const struct rank_data *data, const struct in_flight *running, const struct operand *memory)
{
	const struct record *record = op_record(data->world, running->id);
	struct operand window;
	if (running->part == OTHERS_GET)
		return world_remote(data->world, running->id, &window) && spans_overlap(&window, memory);
	for (int i = 0; i < record->operands; i++) {
		const struct operand *operand = &record->operand[i];
		bool counts = running->part < 0 ? operand->access & (ACCESS_READ | ACCESS_ADD)
		                                : i == record->part[running->part].operand;
		if (counts && spans_overlap(operand, memory))
			return true;
	}
	return false;
}

static void flight_stage(struct rank_data *data, struct in_flight *running)
{
	const struct record *record = op_record(data->world, running->id);
	const struct operand *input =
	        running->part < 0 ? record_source(record) : part_operand(record, running->part);
	struct operand window;
	running->staged = true;
	if (running->part == OTHERS_GET && world_remote(data->world, running->id, &window))
		input = &window;
	if (record->kind == OP_KERNEL)
		failure_of_kernel(data, evaluate_kernel(data->world, record, running->packed), running->id);
	else if (input)
		running->packed[0] = operand_packed(data->world, input);
}

/* Evaluates running operations that read this memory: it is about to change, by operation `by`, or
 * (0) by the host or another rank. */
static void flight_disturb(struct rank_data *data, op_id by, const struct operand *memory)
{
	for (size_t i = 0; i < data->count; i++) {
		struct in_flight *running = &data->running[i];
		if (running->id != by && !running->staged && flight_reads(data, running, memory))
			flight_stage(data, running);
	}
}

static struct in_flight *flight_find(struct rank_data *data, op_id id, int part)
{
	for (size_t i = 0; i < data->count; i++)
		if (data->running[i].id == id && data->running[i].part == part)
			return &data->running[i];
	return NULL;
}

static void flight_note(struct rank_data *data, op_id id, int part)
{
	*MEM_ADD(&data->running, &data->count) = (struct in_flight){.id = id, .part = part};
}

/* Returns the packed input of an operation other than a kernel; NULL: read the memory. */
static const void *flight_input(const struct in_flight *running)
{
	return running && running->staged ? running->packed[0] : NULL;
}

/* ---- the rank's data */

static void *segment_get(void *self, enum space space, int64_t bytes)
{
	(void)self;
	(void)space;
	void *pages = mem_map(bytes);
	/* fewer page faults and TLB misses; without them small pages are used */
	madvise(pages, bytes, MADV_HUGEPAGE);
	return pages;
}

static void segment_give(void *self, enum space space, void *base, int64_t bytes)
{
	(void)self;
	(void)space;
	mem_unmap(base, bytes);
}

struct rank_data *data_create(struct world *world, struct transport *transport)
{
	struct rank_data *data = mem_alloc(sizeof *data);
	data->world = world;
	data->transport = transport;
	world_segment_calls(world, (struct segment_calls){NULL, segment_get, segment_give});
	return data;
}

void data_free(struct rank_data *data)
{
	if (!data)
		return;
	while (data->count)
		flight_forget(data, &data->running[0]);
	for (size_t i = 0; i < data->group_count; i++)
		transport_group_free(data->groups[i]);
	for (size_t i = 0; i < data->kept_count; i++)
		mem_free(data->kept[i].bytes);
	mem_free(data->kept);
	mem_free(data->groups);
	mem_free(data->running);
	mem_free(data);
}

void data_groups(struct rank_data *data)
{
	while (data->group_count < data->world->group_count) {
		const struct group *group = &data->world->groups[data->group_count];
		bool member = group->instance_of[data->world->me] >= 0;
		const struct group_instance *own = member ? group_part(group, data->world->me) : NULL;
		*MEM_ADD(&data->groups, &data->group_count) =
		        member ? transport_group_make(data->transport, own->n, own->ranks) : NULL;
	}
}

void data_begin(struct rank_data *data, op_id id)
{
	enum op_kind kind = op_record(data->world, id)->kind;
	if (kind == OP_KERNEL || kind == OP_COPY || kind == OP_COLLECTIVE)
		flight_note(data, id, WHOLE);
}

static void disturb_outputs(struct rank_data *data, op_id by, const struct record *record)
{
	for (int i = 0; i < record->operands; i++)
		if (record->operand[i].access & ACCESS_WRITE)
			flight_disturb(data, by, &record->operand[i]);
}

/* Returns the result that data_backup kept, for the caller to free; NULL if none. */
static void *result_take(struct rank_data *data, uint32_t match)
{
	for (size_t i = 0; i < data->kept_count; i++) {
		void *bytes = data->kept[i].bytes;
		if (data->kept[i].match != match)
			continue;
		data->kept[i] = data->kept[--data->kept_count];
		return bytes;
	}
	return NULL;
}

void data_end(struct rank_data *data, op_id id)
{
	const struct record *record = op_record(data->world, id);
	struct in_flight *running = flight_find(data, id, WHOLE);
	if (!running)
		return;
	disturb_outputs(data, id, record);
	if (record->kind == OP_KERNEL) {
		if (!running->staged)
			failure_of_kernel(data, evaluate_kernel(data->world, record, NULL), id);
		for (int i = 0; i < record->operands; i++)
			if (running->packed[i])
				operand_unpack(data->world, &record->operand[i], running->packed[i]);
	} else if (record->kind == OP_COPY) {
		const struct operand *from = record_source(record), *to = record_target(record);
		if (from && to) /* else a `print`: the shell reads it */
			evaluate_to_itself(data->world, from, to, flight_input(running));
	} else if (record->backup) {
		void *result = result_take(data, data->world->ops[id].match);
		if (result)
			operand_unpack(data->world, record_target(record), result);
		mem_free(result);
	} else {
		struct transport_group *group = data->groups[record->group];
		failure_note(data,
		        group ? evaluate_collective(
		                        data->world, group, record, flight_input(running), NULL, NULL)
		              : failure_no_group(data, record->group),
		        id);
	}
	flight_forget(data, running);
}

void data_drop(struct rank_data *data, op_id id)
{
	for (size_t i = data->count; i-- > 0;)
		if (data->running[i].id == id)
			flight_forget(data, &data->running[i]);
	if (op_record(data->world, id)->backup)
		mem_free(result_take(data, data->world->ops[id].match));
}

/* ---- transfers */

void data_transfer_begin(struct rank_data *data, op_id send, int send_part)
{
	if (data->world->ops[send].rank == data->world->me)
		flight_note(data, send, send_part);
}

/* Both sides exchange the bytes when the message ends in virtual time. The target first evaluates
 * the operations that read its memory. part: as noted at the source's start */
static void transit_end(struct rank_data *data, op_id send, int part, op_id receive, int from, int to,
        const struct operand *source, const struct operand *target)
{
	struct world *world = data->world;
	int me = world->me;
	struct in_flight *running = from == me ? flight_find(data, send, part) : NULL;
	if (to == me)
		flight_disturb(data, 0, target);
	const void *packed = flight_input(running);
	if (to == me)
		failure_note(data,
		        evaluate_arrival(world, data->transport, from, op_record(world, receive), source,
		                target, packed),
		        receive);
	else if (from == me)
		failure_note(data, evaluate_send(world, data->transport, to, source, packed), send);
	if (running)
		flight_forget(data, running);
}

void data_transfer_end(struct rank_data *data, op_id send, int send_part, op_id receive, int receive_part)
{
	const struct world *world = data->world;
	transit_end(data, send, send_part, receive, world->ops[send].rank, world->ops[receive].rank,
	        part_operand(op_record(world, send), send_part),
	        part_operand(op_record(world, receive), receive_part));
}

/* ---- one-sided operations */

void data_one_sided_begin(struct rank_data *data, op_id id)
{
	int me = data->world->me;
	const struct part *part = &op_record(data->world, id)->part[0];
	bool gets = part->direction == ONE_SIDED_GET;
	if ((gets ? part->peer : data->world->ops[id].rank) == me)
		flight_note(data, id, gets ? OTHERS_GET : WHOLE);
}

void data_one_sided_end(struct rank_data *data, op_id id)
{
	const struct record *record = op_record(data->world, id);
	int rank = data->world->ops[id].rank, peer = record->part[0].peer;
	struct operand window;
	world_remote(data->world, id, &window);
	if (record->part[0].direction == ONE_SIDED_GET)
		transit_end(data, id, OTHERS_GET, id, peer, rank, &window, &record->operand[0]);
	else
		transit_end(data, id, WHOLE, id, rank, peer, &record->operand[0], &window);
}

/* ---- collectives with backup= */

void data_backup(struct rank_data *data, uint32_t index, const bool *counts)
{
	const struct world *world = data->world;
	const struct match *match = &world->matches[index];
	const struct group *group = &world->groups[match->group];
	int place = 0, me = world->me;
	if (group->instance_of[me] != match->instance)
		return;
	while (!counts[place])
		place++;
	bool counted = counts[group->place_of[me]];
	op_id id = match->member[counted ? group->place_of[me] : place];
	struct in_flight *running = counted ? flight_find(data, id, WHOLE) : NULL;
	const struct record *record = op_record(world, id);
	void *result = mem_alloc(layout_bytes(&record_source(record)->layout));
	struct transport_group *comm = data->groups[match->group];
	enum status status = comm
	        ? evaluate_collective(world, comm, record, flight_input(running), counts, result)
	        : failure_no_group(data, match->group);
	if (status != ST_OK && match->member[group->place_of[me]])
		failure_note(data, status, match->member[group->place_of[me]]);
	else
		failure_keep(data, status);
	*MEM_ADD(&data->kept, &data->kept_count) = (struct kept_result){index, result};
}

/* ---- what the host writes */

bool data_fill_touches(const struct rank_data *data, op_id fill, op_id other)
{
	const struct record *written = op_record(data->world, fill), *used = op_record(data->world, other);
	for (int i = 0; i < written->operands; i++)
		for (int k = 0; k < used->operands; k++)
			if (spans_overlap(&written->operand[i], &used->operand[k]))
				return true;
	return false;
}

void data_fill(struct rank_data *data, op_id id)
{
	const struct record *record = op_record(data->world, id);
	disturb_outputs(data, id, record);
	if (record->kernel) /* else the shell brings the content of a file */
		failure_keep(data, evaluate_kernel(data->world, record, NULL));
}

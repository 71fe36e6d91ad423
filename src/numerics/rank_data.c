/* rank_data.c -- the operations of this process's rank, what its host writes, and failures.
 * in_flight.c handles the time between start and end. */
#include "numerics/rank_data.h"
#include "numerics/in_flight.h"
#include "base/memory.h"
#include "numerics/evaluate.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

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
	mem_free(data->fills);
	mem_free(data);
}

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

void keep_failure(struct rank_data *data, enum status status)
{
	data->spoiled |= status != ST_OK;
	if (status == ST_OK || data->status != ST_OK)
		return;
	data->status = status;
	snprintf(data->why, sizeof data->why, "%s", fail_text());
}

void keep_kernel(struct rank_data *data, enum status status, op_id id)
{
	if (status != ST_OK && (data->status == ST_OK || data->looked_up > id)) {
		data->status = ST_OK;
		data->looked_up = id;
	}
	keep_failure(data, status);
}

void note_failure(struct rank_data *data, enum status status, op_id id)
{
	if (status == ST_OK)
		return;
	keep_failure(data, status);
	world_mark_outputs(data->world, id, id);
}

enum status no_group(const struct rank_data *data, int group)
{
	return fail(ST_MPI, "the group '%s' could not be made",
	        names_text(data->world->names, data->world->groups[group].name));
}

/* Makes groups in the same order on all processes: a group is a communicator, made by a call of
 * all its members. NULL for a group without this rank. */
void data_groups(struct rank_data *data)
{
	while (data->group_count < data->world->group_count) {
		const struct group *group = &data->world->groups[data->group_count];
		struct transport_group **made = MEM_ADD(&data->groups, &data->group_count);
		*made = NULL;
		if (group->instance_of[data->world->me] < 0)
			continue;
		const struct group_instance *own = group_part(group, data->world->me);
		/* the members agree on failure; none then uses the group */
		keep_failure(data, transport_group_make(data->transport, own->n, own->ranks, made));
	}
}

/* ---- begin and end of an operation */

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

/* First evaluates operations that still read the memory; then the staged or just computed result
 * goes in. */
void data_end(struct rank_data *data, op_id id)
{
	const struct record *record = op_record(data->world, id);
	struct in_flight *running = flight_find(data, id, WHOLE);
	if (!running)
		return;
	disturb_outputs(data, id, record);
	if (record->kind == OP_KERNEL) {
		if (!running->staged)
			keep_kernel(data, evaluate_kernel(data->world, record, NULL), id);
		for (int i = 0; i < record->operands; i++)
			if (running->packed[i])
				operand_unpack(data->world, &record->operand[i], running->packed[i]);
	} else if (record->kind == OP_COPY) {
		evaluate_copy(data->world, record, flight_input(running));
	} else if (record->backup) {
		void *result = result_take(data, data->world->ops[id].match);
		if (result)
			operand_unpack(data->world, record_target(record), result);
		mem_free(result);
	} else {
		struct transport_group *group = data->groups[record->group];
		note_failure(data,
		        group ? evaluate_collective(data->world, group, record, flight_input(running))
		              : no_group(data, record->group),
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
		keep_failure(data, evaluate_kernel(data->world, record, NULL));
}

void data_fill_later(struct rank_data *data, op_id id)
{
	*MEM_ADD(&data->fills, &data->fill_count) = id;
}

op_id data_next_fill(const struct rank_data *data)
{
	return data->fill_count ? data->fills[0] : 0;
}

void data_fill_now(struct rank_data *data)
{
	op_id id = data->fills[0];
	memmove(data->fills, data->fills + 1, --data->fill_count * sizeof *data->fills);
	data_fill(data, id);
}

/* data.c -- when the data of this process's rank changes
 *
 * A running operation is noted from its start on. Before an output appears (or the host fills a tensor),
 * those among the running ones that read that memory are evaluated: kernels into memory of their own,
 * copies, sends and collectives by packing their input. What nobody disturbs is computed at its end,
 * straight into place.
 *
 *      time      1            2                 3
 *      io        |---- copy x -> h ---------------|      reads x as it was at 1
 *      default         |-- x = relu z --|                writes x at 2: the copy's input is packed first
 *
 * So every operation computes with its inputs of the instant it starts, and a race has one outcome, the same
 * on every run: that of the virtual times. */
#include "data/data.h"
#include "base/memory.h"
#include "data/evaluate.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { OPERANDS = 16 };
enum { WHOLE = -1, OTHERS_GET = -2 };
/* One that runs: an operation, or a send of it, or what another rank's get reads here. */
struct in_flight {
	op_id id;
	int part;               /* of a P2P: the send among its parts; else WHOLE or OTHERS_GET */
	bool staged;            /* `packed` holds what is needed of it */
	void *packed[OPERANDS]; /* kernels: results by operand; else [0]: the input */
};

/* What a collective with backup= gave, for this rank to have at the end of its operation */
struct kept_result {
	uint32_t match;
	void *bytes;
};

struct rank_data {
	struct world *world;
	struct transport *transport;
	struct in_flight *running;
	size_t count;
	struct transport_group **groups; /* by group: this rank's instance, NULL where it is in none */
	size_t group_count;
	struct kept_result *kept;
	size_t kept_count;
	op_id *fills; /* by the host, that wait for earlier work on their memory */
	size_t fill_count;
	enum status status; /* the first failure that was not asked for yet */
	char why[512];
	bool spoiled;
};

static void *segment_get(void *self, enum space space, int64_t bytes)
{
	(void)self;
	(void)space;
	void *pages = mem_map(bytes);
	/* fewer page faults and misses of the TLB; a kernel that refuses goes on with small pages */
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

static void forget(struct rank_data *data, struct in_flight *running)
{
	for (int i = 0; i < OPERANDS; i++)
		mem_free(running->packed[i]);
	*running = data->running[--data->count];
}

void data_free(struct rank_data *data)
{
	if (!data)
		return;
	while (data->count)
		forget(data, &data->running[0]);
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
	return status == ST_OK ? ST_OK : fail(status, "%s", data->why);
}

/* The first failure waits to be asked for; others only spoil. */
static void keep(struct rank_data *data, enum status status)
{
	data->spoiled |= status != ST_OK;
	if (status == ST_OK || data->status != ST_OK)
		return;
	data->status = status;
	snprintf(data->why, sizeof data->why, "%s", fail_text());
}

/* The first failure is kept, and what it spoiled is marked. */
static void failed(struct rank_data *data, enum status status, op_id id)
{
	if (status == ST_OK)
		return;
	keep(data, status);
	world_mark_outputs(data->world, id, id);
}

/* Groups are made in the order of the books, by all processes: a group is a communicator, and making one is a
 * call of all its members. A rank that is in no instance of a group has NULL in its place. */
void data_groups(struct rank_data *data)
{
	while (data->group_count < data->world->group_count) {
		const struct group *group = &data->world->groups[data->group_count];
		struct transport_group **made = MEM_ADD(&data->groups, &data->group_count);
		*made = NULL;
		if (group->instance_of[data->world->me] < 0)
			continue;
		const struct group_instance *own = group_part(group, data->world->me);
		/* its members agree on success and failure: then none of them uses the group */
		keep(data, transport_group_make(data->transport, own->n, own->ranks, made));
	}
}

/* ---- reading before it is overwritten */

/* Does it read of this memory? Of an exchange of several messages, the one that `part` sends. */
static bool reads(const struct rank_data *data, const struct in_flight *running, const struct operand *memory)
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

/* Computes what depends on memory that is about to change: a kernel whole, of others the input. */
static void stage(struct rank_data *data, struct in_flight *running)
{
	const struct record *record = op_record(data->world, running->id);
	const struct operand *input =
	        running->part < 0 ? record_source(record) : part_operand(record, running->part);
	struct operand window;
	running->staged = true;
	if (running->part == OTHERS_GET && world_remote(data->world, running->id, &window))
		input = &window;
	if (record->kind == OP_KERNEL)
		evaluate_kernel(data->world, record, running->packed);
	else if (input)
		running->packed[0] = operand_packed(data->world, input);
}

/* Memory is about to change, by an operation or (0) the host. */
static void disturb(struct rank_data *data, op_id by, const struct operand *memory)
{
	for (size_t i = 0; i < data->count; i++) {
		struct in_flight *running = &data->running[i];
		if (running->id != by && !running->staged && reads(data, running, memory))
			stage(data, running);
	}
}

static void disturb_outputs(struct rank_data *data, op_id by, const struct record *record)
{
	for (int i = 0; i < record->operands; i++)
		if (record->operand[i].access & ACCESS_WRITE)
			disturb(data, by, &record->operand[i]);
}

static struct in_flight *find(struct rank_data *data, op_id id, int part)
{
	for (size_t i = 0; i < data->count; i++)
		if (data->running[i].id == id && data->running[i].part == part)
			return &data->running[i];
	return NULL;
}

/* Starts: its inputs are those of now. */
static void note(struct rank_data *data, op_id id, int part)
{
	*MEM_ADD(&data->running, &data->count) = (struct in_flight){.id = id, .part = part};
}

/* ---- operations of one rank */

void data_begin(struct rank_data *data, op_id id)
{
	enum op_kind kind = op_record(data->world, id)->kind;
	if (kind == OP_KERNEL || kind == OP_COPY || kind == OP_COLLECTIVE)
		note(data, id, WHOLE);
}

/* ---- collectives that need not wait for all */

/* The caller frees it; NULL: there is none. */
static void *take_kept(struct rank_data *data, uint32_t match)
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
	const struct record *record = op_record(world, match->member[place]), *own = NULL;
	struct in_flight *running = NULL;
	if (counts[group->place_of[me]]) {
		op_id id = match->member[group->place_of[me]];
		own = op_record(world, id);
		running = find(data, id, WHOLE);
	}
	void *result = mem_alloc(layout_bytes(&record_source(record)->layout));
	struct transport_group *comm = data->groups[match->group];
	enum status status = comm
	        ? evaluate_backup(world, comm, record, own,
	                  running && running->staged ? running->packed[0] : NULL, counts, result)
	        : fail(ST_MPI, "the group '%s' could not be made", names_text(world->names, group->name));
	if (status != ST_OK && match->member[group->place_of[me]])
		failed(data, status, match->member[group->place_of[me]]);
	else
		keep(data, status);
	*MEM_ADD(&data->kept, &data->kept_count) = (struct kept_result){index, result};
}

/* ---- the end of an operation of one rank */

/* Others first: who still reads what appears now is evaluated, or has its input packed. Then its own result goes
 * in: the one that was staged, or computed here, by inputs that nobody has disturbed since its start. */
void data_end(struct rank_data *data, op_id id)
{
	const struct record *record = op_record(data->world, id);
	struct in_flight *running = find(data, id, WHOLE);
	if (!running)
		return;
	disturb_outputs(data, id, record);
	if (record->kind == OP_KERNEL) {
		if (!running->staged)
			evaluate_kernel(data->world, record, NULL);
		for (int i = 0; i < record->operands; i++)
			if (running->packed[i])
				operand_unpack(data->world, &record->operand[i], running->packed[i]);
	} else if (record->kind == OP_COPY) {
		evaluate_copy(data->world, record, running->staged ? running->packed[0] : NULL);
	} else if (record->backup) {
		void *result = take_kept(data, data->world->ops[id].match);
		if (result)
			operand_unpack(data->world, record_target(record), result);
		mem_free(result);
	} else {
		struct transport_group *group = data->groups[record->group];
		failed(data,
		        group ? evaluate_collective(data->world, group, record,
		                        running->staged ? running->packed[0] : NULL)
		              : fail(ST_MPI, "the group '%s' could not be made",
		                        names_text(
		                                data->world->names, data->world->groups[record->group].name)),
		        id);
	}
	forget(data, running);
}

/* Aborted: its parts too. */
void data_drop(struct rank_data *data, op_id id)
{
	for (size_t i = data->count; i-- > 0;)
		if (data->running[i].id == id)
			forget(data, &data->running[i]);
	if (op_record(data->world, id)->backup)
		mem_free(take_kept(data, data->world->ops[id].match));
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
	if (record->kernel) /* else the content of a file, which the shell brings */
		evaluate_kernel(data->world, record, NULL);
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

/* ---- transfers: every process sees all of them in the same order; those of its rank it takes part in */

void data_transfer_begin(struct rank_data *data, op_id send, int send_part)
{
	if (data->world->ops[send].rank == data->world->me)
		note(data, send, send_part);
}

/* The bytes go when virtual time says that the transfer ends, at once on both sides: a sender that is not this
 * rank's, and a receiver that is not, are other processes' affair. */
void data_transfer_end(struct rank_data *data, op_id send, int send_part, op_id receive, int receive_part)
{
	struct world *world = data->world;
	int me = world->me, from = world->ops[send].rank, to = world->ops[receive].rank;
	struct in_flight *running = from == me ? find(data, send, send_part) : NULL;
	const struct operand *source = part_operand(op_record(world, send), send_part),
	                     *target = part_operand(op_record(world, receive), receive_part);
	if (to == me)
		disturb(data, 0, target);
	const void *packed = running && running->staged ? running->packed[0] : NULL;
	if (from == me && to == me)
		evaluate_to_itself(world, source, target, packed);
	else if (from == me)
		failed(data, evaluate_send(world, data->transport, to, source, packed), send);
	else if (to == me)
		failed(data, evaluate_receive(world, data->transport, from, target), receive);
	if (running)
		forget(data, running);
}

/* ---- one-sided operations: as transfers, every process sees all of them */

void data_one_sided_begin(struct rank_data *data, op_id id)
{
	int me = data->world->me;
	const struct part *part = &op_record(data->world, id)->part[0];
	bool gets = part->direction == ONE_SIDED_GET;
	if ((gets ? part->peer : data->world->ops[id].rank) == me)
		note(data, id, gets ? OTHERS_GET : WHOLE);
}

/* The bytes go when virtual time says that it ends. The rank that they reach first computes what still reads the memory
 * as it was. */
void data_one_sided_end(struct rank_data *data, op_id id)
{
	struct world *world = data->world;
	const struct record *record = op_record(world, id);
	int me = world->me, rank = world->ops[id].rank, peer = record->part[0].peer;
	bool gets = record->part[0].direction == ONE_SIDED_GET;
	int from = gets ? peer : rank, to = gets ? rank : peer;
	struct operand window;
	world_remote(world, id, &window);
	const struct operand *source = gets ? &window : &record->operand[0],
	                     *target = gets ? &record->operand[0] : &window;
	struct in_flight *running = from == me ? find(data, id, gets ? OTHERS_GET : WHOLE) : NULL;
	if (to == me)
		disturb(data, 0, target);
	const void *packed = running && running->staged ? running->packed[0] : NULL;
	if (from == me && to != me)
		failed(data, evaluate_send(world, data->transport, to, source, packed), id);
	else if (to == me)
		failed(data, evaluate_one_sided(world, data->transport, from, record, source, target, packed),
		        id);
	if (running)
		forget(data, running);
}

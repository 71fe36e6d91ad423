/* queue.c -- queueing: program order, stream order, implicit waits, shared records
 *
 * The ranks of a line, and the launches of a graph, share records. Each operation is in two lists:
 *
 *      next_program   rank 0:   1 --> 4 --> 5 --> 9        issue order of the host
 *      next_stream    default:  1 --------> 5              order of the stream
 *                     io:             4 --------> 9 */
#include "world/books.h"
#include "base/arithmetic.h"
#include "base/bits.h"

enum status ops_fit(const struct world *world, size_t more)
{
	if (world->op_count + more < OP_CAPTURED)
		return ST_OK;
	return fail(ST_LIMIT, "the session has %u operations, the most it can hold: `reset` begins anew",
	        OP_CAPTURED - 1);
}

/* ---- records */

static const struct operand *first_operand(const struct record *record, int access)
{
	for (int i = 0; i < record->operands; i++)
		if (record->operand[i].access & access)
			return &record->operand[i];
	return NULL;
}

const struct operand *record_source(const struct record *record)
{
	return first_operand(record, ACCESS_READ);
}

const struct operand *record_target(const struct record *record)
{
	return first_operand(record, ACCESS_WRITE);
}

static void digest_record(struct world *world, const struct record *record)
{
	digest_change(world, CHANGE_RECORD, record->kind, (int64_t)record->title << 32 | record->object);
	digest_add(world, (uint64_t)record->phase << 32 | (uint32_t)record->reason);
	digest_add(world, (uint64_t)(uint32_t)record->section << 32 | (uint32_t)record->line);
	digest_add(world, (uint64_t)(uint32_t)record->group << 32 | (uint32_t)record->root);
	digest_add(world,
	        (uint64_t)record->window << 24 | (uint64_t)record->backup << 32 |
	                (uint64_t)record->reduction << 16 | (uint64_t)record->algorithm << 8 | record->dtype);
	digest_add(world, record->bytes);
	digest_add(world, record->duration_ns);
	for (int i = 0; i < PARAMETERS_MAX; i++)
		digest_add(world, bits_of_double(record->parameter[i]));
	for (int i = 0; i < record->operands; i++) {
		const struct operand *operand = &record->operand[i];
		digest_add(world,
		        (uint64_t)operand->address << 16 | (uint64_t)operand->space << 8 | operand->access);
		digest_layout(world, &operand->layout);
	}
	for (int i = 0; i < 2 * record->split.n; i++)
		digest_add(world, (uint64_t)(record->split.rows[i] * record->split.row_bytes));
	for (int i = 0; i < record->parts; i++)
		digest_add(world,
		        ((uint64_t)record->part[i].direction << 32 | (uint32_t)record->part[i].peer) ^
		                (uint64_t)record->part[i].offset << 16);
}

static void *copy_array(struct world *world, const void *from, size_t bytes)
{
	return bytes ? memcpy(world_take(world, 1, bytes), from, bytes) : NULL;
}

bool spans_overlap(const struct operand *a, const struct operand *b)
{
	return a->space == b->space &&
	        most_of(a->address, b->address) <
	        least_of(a->address + layout_span(&a->layout), b->address + layout_span(&b->layout));
}

bool operand_equal(const struct operand *a, const struct operand *b)
{
	return a->address == b->address && a->space == b->space && a->access == b->access &&
	        a->transposed == b->transposed && a->name == b->name && layout_equal(&a->layout, &b->layout);
}

bool splits_equal(const struct split *a, const struct split *b)
{
	return a->n == b->n && a->row_bytes == b->row_bytes &&
	        (!a->n || memcmp(a->rows, b->rows, 2 * (size_t)a->n * sizeof *a->rows) == 0);
}

/* Returns equal recent operands, or a copy in the arena. */
static struct operand *copy_operands(struct world *world, const struct record *record)
{
	uint64_t hash = record->operands;
	for (int i = 0; i < record->operands; i++)
		hash = (hash ^ record->operand[i].address ^ (uint64_t)record->operand[i].name << 40) *
		        0x9e3779b97f4a7c15u;
	struct kept_operands *kept = &world->inner->kept[(hash >> 32) % OPERANDS_KEPT];
	bool same = kept->count == record->operands;

	for (int i = 0; i < record->operands && same; i++)
		same = kept->operand[i].tensor == record->operand[i].tensor &&
		        operand_equal(&kept->operand[i], &record->operand[i]);
	if (!same)
		*kept = (struct kept_operands){
		        copy_array(world, record->operand, record->operands * sizeof *record->operand),
		        record->operands};
	return kept->operand;
}

/* Requires the record's arrays in the arena. */
static uint32_t record_add(struct world *world, const struct record *record)
{
	MEM_ROOM(&world->records, world->record_count + 2, &world->record_room);
	struct record *added = &world->records[++world->record_count];
	*added = *record;
	added->alone_ns = added->launch_ns = -1;
	added->moved = 0;
	added->machine = world->machine->changes;
	digest_record(world, added);
	return world->record_count;
}

uint32_t record_store(struct world *world, const struct record *record)
{
	struct record copy = *record;

	copy.operand = copy_operands(world, record);
	copy.part = copy_array(world, record->part, record->parts * sizeof *record->part);
	copy.split.rows = copy_array(
	        world, record->split.rows, 2 * (size_t)record->split.n * sizeof *record->split.rows);
	return record_add(world, &copy);
}

uint32_t record_in_section(struct world *world, uint32_t index, int section)
{
	struct record record = world->records[index];
	record.section = section;
	return record_add(world, &record);
}

/* Makes the record of an implicit operation: OP_SEGMENT or OP_WAIT. */
static uint32_t record_own(
        struct world *world, enum op_kind kind, name_id title, name_id reason, int64_t duration_ns)
{
	struct record record = {.kind = kind,
	        .microbatch = -1,
	        .title = title,
	        .reason = reason,
	        .line = world->line,
	        .file = world->file,
	        .section = world->section_count - 1,
	        .group = -1,
	        .root = -1,
	        .duration_ns = duration_ns};
	return record_add(world, &record);
}

/* ---- operations */

static op_id op_append(struct world *world, int rank, int stream, uint32_t record, op_id target, int flags)
{
	op_id id = ++world->op_count, last = world->last[rank];
	struct stream *lane = lane_stream(world, rank, stream);

	MEM_ROOM(&world->ops, world->op_count + 1, &world->op_room);
	world->ops[id] = (struct op){.record = record,
	        .target = target,
	        .rank = rank,
	        .stream = stream,
	        .flags = flags,
	        .number = rank_number(world, rank) + 1,
	        .issue = TIME_UNKNOWN,
	        .ready = TIME_UNKNOWN,
	        .start = TIME_UNKNOWN,
	        .end = TIME_UNKNOWN};
	if (last)
		world->ops[last].next_program = id;
	else
		world->first[rank] = id;
	if (lane->tail)
		world->ops[lane->tail].next_stream = id;
	world->last[rank] = id;
	uint8_t kind = world->records[record].kind;
	if (kind == OP_SYNC || kind == OP_SEGMENT)
		lanes_synced(world, rank, target, world->ops[id].number);
	lane->tail = id;
	lane->count++;
	digest_add(world, (uint64_t)record << 32 | target);
	digest_add(world, (uint64_t)rank << 32 | (uint64_t)(unsigned)stream << 8 | (unsigned)flags);
	return id;
}

op_id segment_queue(struct world *world, int rank, op_id target, int64_t ns)
{
	uint32_t record = record_own(world, OP_SEGMENT, world->segment_name, world->segment_name, ns);
	return op_append(world, rank, STREAM_HOST, record, target, 0);
}

static void mark_written(struct world *world, int rank, const struct record *record, op_id id)
{
	for (int i = 0; i < record->operands; i++) {
		if (!(record->operand[i].access & ACCESS_WRITE))
			continue;
		const struct operand *operand = &record->operand[i];
		/* a view has a last writer of its own */
		struct thing thing = world_find(world, rank, operand->name);
		bool named = thing.kind == THING_TENSOR &&
		        world->tensors[thing.index].address == operand->address &&
		        world->tensors[thing.index].space == operand->space;
		int index =
		        named ? thing.index : world_tensor_at(world, rank, operand->space, operand->address);
		if (index >= 0) {
			world->tensors[index].last_writer = id;
			if (layout_count(&operand->layout) > 0)
				world->tensors[world->tensors[index].base].last_writer = id;
		}
	}
}

void queue_wait(struct world *world, int rank, int stream, op_id target)
{
	uint32_t record = record_own(world, OP_WAIT, world->wait_name, world->segment_name, -1);
	op_append(world, rank, stream, record, target, OPF_FREE_LAUNCH);
}

enum status queue_draft(struct world *world, struct draft *draft, op_id *id)
{
	uint32_t index = draft->like;
	op_id waits[STREAMS_MAX];

	if (index)
		draft->record = &world->records[index];
	bool joins = draft->record->kind == OP_COLLECTIVE || draft->record->kind == OP_P2P;
	if (joins && world->groups[draft->record->group].instance_of[draft->rank] < 0)
		return fail(ST_BUG, "rank %d is not in group %s", draft->rank,
		        names_text(world->names, world->groups[draft->record->group].name));
	int count = pending_find(world, draft, waits);
	if (draft->record->window == WINDOW_CLOSE)
		count = window_find(world, draft, waits, count);
	enum status status = ops_fit(world, (size_t)count + 1);
	if (status != ST_OK)
		return status;
	for (int i = 0; i < count; i++) /* rule 10: waits for former users of the memory */
		queue_wait(world, draft->rank, draft->stream, waits[i]);
	index = index ? index : record_store(world, draft->record);
	draft->record = &world->records[index]; /* the array may have moved */
	*id = op_append(world, draft->rank, draft->stream, index, draft->target, draft->flags);
	pending_cut(world, draft);
	mark_written(world, draft->rank, draft->record, *id);
	if (joins)
		matches_join(world, *id);
	if (draft->record->window)
		window_step(world, *id);
	else if (draft->record->kind == OP_ONE_SIDED)
		window_used(world, *id);
	return ST_OK;
}

enum status world_queue(struct world *world, int rank, int stream, const struct record *record, uint32_t like,
        op_id target, int flags, op_id *id)
{
	struct draft draft = {.rank = rank,
	        .stream = stream,
	        .flags = flags,
	        .record = record,
	        .like = like,
	        .target = target};

	return world_capturing(world, rank) ? graph_add(world, &draft, id) : queue_draft(world, &draft, id);
}

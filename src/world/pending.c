/* pending.c -- memory of `free x on S`: its next user waits for S's work so far
 *
 *      free x on io                x:      |-------------- wait for io -------------|
 *      y = relu z (y in x's bytes)            |--- y ---|                    a wait, then relu
 *      pending                             |--|         |---------------------------|
 *
 * The first operation that touches a pending interval gets an OP_WAIT before it. */
#include "world/books.h"
#include "base/arithmetic.h"

static bool pending_touches(const struct pending_free *pending, const struct operand *operand, int64_t bytes)
{
	return pending->space == operand->space &&
	        most_of(pending->address, operand->address) <
	        least_of(pending->address + pending->bytes, operand->address + bytes);
}

int wait_add(const struct world *world, const struct draft *draft, op_id op, op_id *waits, int count)
{
	const struct op *freed = &world->ops[op];

	if (freed->stream == draft->stream || freed->number <= world->inner->lanes[draft->rank].seen_all ||
	        freed->number <= lane_stream(world, draft->rank, freed->stream)->seen)
		return count;
	for (int i = 0; i < count; i++) {
		if (world->ops[waits[i]].stream == freed->stream) {
			waits[i] = op > waits[i] ? op : waits[i];
			return count;
		}
	}
	waits[count] = op;
	return count + 1;
}

int pending_find(const struct world *world, const struct draft *draft, op_id *waits)
{
	const struct rank_memory *memory = &world->inner->memory[draft->rank];
	const struct record *record = draft->record;
	int count = 0;

	if (memory->pending_count == 0 || op_kind_is_host(record->kind))
		return 0;
	for (int k = 0; k < record->operands; k++) {
		int64_t bytes = layout_span(&record->operand[k].layout);
		for (size_t i = 0; i < memory->pending_count; i++)
			if (pending_touches(&memory->pending[i], &record->operand[k], bytes))
				count = wait_add(world, draft, memory->pending[i].op, waits, count);
	}
	return count;
}

void pending_add(struct world *world, int rank, int64_t address, int64_t bytes, op_id op)
{
	struct rank_memory *memory = &world->inner->memory[rank];

	for (size_t i = memory->pending_count; i-- > 0;) {
		const struct pending_free *old = &memory->pending[i];
		if (old->space == SPACE_DEVICE && old->address >= address &&
		        old->address + old->bytes <= address + bytes &&
		        world->ops[old->op].stream == world->ops[op].stream)
			memory->pending[i] = memory->pending[--memory->pending_count];
	}
	*MEM_ADD(&memory->pending, &memory->pending_count) =
	        (struct pending_free){.address = address, .bytes = bytes, .op = op, .space = SPACE_DEVICE};
}

/* Cuts the operand's bytes out of interval i; the bytes after them become a new interval. */
static void pending_cut_one(
        struct rank_memory *memory, size_t i, const struct operand *operand, int64_t bytes)
{
	struct pending_free whole = memory->pending[i], rest = whole;

	rest.address = operand->address + bytes;
	rest.bytes = whole.address + whole.bytes - rest.address;
	memory->pending[i].bytes = operand->address > whole.address ? operand->address - whole.address : 0;
	if (rest.bytes <= 0)
		return;
	if (memory->pending[i].bytes == 0) {
		memory->pending[i] = rest;
		return;
	}
	*MEM_ADD(&memory->pending, &memory->pending_count) = rest;
}

void pending_cut(struct world *world, const struct draft *draft)
{
	struct rank_memory *memory = &world->inner->memory[draft->rank];
	const struct record *record = draft->record;

	if (memory->pending_count == 0)
		return;
	for (int k = 0; k < record->operands; k++) {
		int64_t bytes = layout_span(&record->operand[k].layout);
		for (size_t i = memory->pending_count; i-- > 0;) {
			if (!pending_touches(&memory->pending[i], &record->operand[k], bytes))
				continue;
			pending_cut_one(memory, i, &record->operand[k], bytes);
			if (memory->pending[i].bytes == 0)
				memory->pending[i] = memory->pending[--memory->pending_count];
		}
	}
}

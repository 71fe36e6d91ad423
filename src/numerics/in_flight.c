/* in_flight.c -- running operations, and memory that changes meanwhile
 *
 * Before an output appears or the host fills a tensor, each running operation that reads that
 * memory is evaluated: a kernel into a buffer of its own, others by packing their input. An
 * undisturbed operation is computed at its end, in place.
 *
 *      time      1            2                 3
 *      io        |---- copy x -> h ---------------|      reads x as it was at 1
 *      default         |-- x = relu z --|                writes x at 2: the copy packs it first
 *
 * So each operation sees its inputs as of its start, and a race has the same result in every
 * run. */
#include "numerics/in_flight.h"
#include "base/memory.h"
#include "numerics/evaluate.h"

void flight_forget(struct rank_data *data, struct in_flight *running)
{
	for (int i = 0; i < OPERANDS; i++)
		mem_free(running->packed[i]);
	*running = data->running[--data->count];
}

/* Returns true if it reads this memory; for an exchange, only the message that `part` sends
 * counts. */
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

/* Evaluates a kernel, or packs the input of any other, before the memory changes. */
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
		keep_kernel(data, evaluate_kernel(data->world, record, running->packed), running->id);
	else if (input)
		running->packed[0] = operand_packed(data->world, input);
}

void flight_disturb(struct rank_data *data, op_id by, const struct operand *memory)
{
	for (size_t i = 0; i < data->count; i++) {
		struct in_flight *running = &data->running[i];
		if (running->id != by && !running->staged && flight_reads(data, running, memory))
			flight_stage(data, running);
	}
}

struct in_flight *flight_find(struct rank_data *data, op_id id, int part)
{
	for (size_t i = 0; i < data->count; i++)
		if (data->running[i].id == id && data->running[i].part == part)
			return &data->running[i];
	return NULL;
}

void flight_note(struct rank_data *data, op_id id, int part)
{
	*MEM_ADD(&data->running, &data->count) = (struct in_flight){.id = id, .part = part};
}

const void *flight_input(const struct in_flight *running)
{
	return running && running->staged ? running->packed[0] : NULL;
}

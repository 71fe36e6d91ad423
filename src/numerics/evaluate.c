/* evaluate.c -- kernels, copies, collectives and transfers on the memory of this process's rank
 *
 * Kernels read and write strided tensors directly, without packing. Messages are contiguous: a
 * contiguous operand's memory is the buffer, other operands are packed and unpacked. */
#include "numerics/evaluate.h"
#include "backend/call.h"
#include "base/memory.h"
#include "collectives/collective.h"
#include "kernels/kernel.h"

#include <string.h>

static void *operand_bytes(const struct world *world, const struct operand *operand)
{
	return world_data(world, operand->space, operand->address);
}

void *operand_packed(const struct world *world, const struct operand *operand)
{
	void *packed = mem_alloc(layout_bytes(&operand->layout));
	layout_pack(&operand->layout, operand_bytes(world, operand), packed);
	return packed;
}

void operand_unpack(const struct world *world, const struct operand *operand, const void *packed)
{
	layout_unpack(&operand->layout, packed, operand_bytes(world, operand));
}

/* ---- kernels */

enum status evaluate_kernel(const struct world *world, const struct record *record, void **staged)
{
	struct kernel_call call;
	call_of_record(world, record, &call);
	for (int i = 0; i < record->operands; i++) {
		const struct operand *operand = &record->operand[i];
		struct kernel_tensor *tensor = call_tensor(&call, i);
		tensor->data = operand_bytes(world, operand);
		if (!staged || !(operand->access & ACCESS_WRITE))
			continue;
		/* a separate buffer, with the operand's elements if the kernel reads them */
		bool reads = operand->access & (ACCESS_READ | ACCESS_ADD);
		const struct layout *layout = &operand->layout;
		layout_make(&tensor->layout, layout->dtype, layout->dims, layout->dim);
		tensor->data = reads ? operand_packed(world, operand) : mem_alloc(layout_bytes(layout));
		staged[i] = tensor->data;
	}
	if (!record->operands)
		return ST_OK;
	int64_t place;
	double value;
	bool outside = kernel_find_index(&call, &place, &value);
	kernel_compute(&call);
	return outside ? call_index_failure(world, record, place, value) : ST_OK;
}

/* ---- copies */

static void convert_elements(
        const struct world *world, const struct operand *to, enum dtype from, const void *elements)
{
	int64_t count = layout_count(&to->layout);
	if (to->layout.dtype == from) {
		operand_unpack(world, to, elements);
		return;
	}
	float *values = mem_alloc(count * sizeof *values);
	void *packed = mem_alloc(layout_bytes(&to->layout));
	dtype_to_f32(from, elements, values, count);
	dtype_from_f32(to->layout.dtype, values, packed, count);
	operand_unpack(world, to, packed);
	mem_free(values);
	mem_free(packed);
}

void evaluate_to_itself(
        const struct world *world, const struct operand *from, const struct operand *to, const void *packed)
{
	void *copy = NULL;
	if (!packed && layout_contiguous(&from->layout) && !spans_overlap(from, to))
		packed = operand_bytes(world, from);
	else if (!packed)
		packed = copy = operand_packed(world, from);
	convert_elements(world, to, from->layout.dtype, packed);
	mem_free(copy);
}

/* ---- messages */

/* Contiguous elements. bytes: the operand's memory, or `copy`, which the caller frees */
struct buffer {
	void *bytes, *copy;
};

/* filled: if it is a copy, it gets the operand's elements */
static struct buffer buffer_for(const struct world *world, const struct operand *operand, bool filled)
{
	if (layout_contiguous(&operand->layout))
		return (struct buffer){.bytes = operand_bytes(world, operand)};
	void *copy = filled ? operand_packed(world, operand) : mem_alloc(layout_bytes(&operand->layout));
	return (struct buffer){.bytes = copy, .copy = copy};
}

/* If the result goes to the input's own memory, one buffer serves both, unless the input was
 * packed at the operation's start. */
enum status evaluate_collective(const struct world *world, struct transport_group *group,
        const struct record *record, const void *packed, const bool *counts, void *result)
{
	const struct operand *in = record_source(record), *out = counts ? in : collective_result(record);
	bool in_place = out == in && !packed, writes = !counts && out && out->access & ACCESS_WRITE;
	struct buffer from = {.bytes = result}, to = {.bytes = result};
	if (in && !packed && (!counts || counts[transport_group_place(group)]))
		from = buffer_for(world, in, true);
	if (writes)
		to = in_place ? from : buffer_for(world, out, false);
	else if (out && !counts)
		to.bytes = packed ? (void *)packed : from.bytes;
	enum status status = collective_data((struct collective_job){.collective = record->collective,
	        .comm = group,
	        .dtype = record->dtype,
	        .reduction = record->reduction,
	        .root = record->root,
	        .in = packed ? packed : from.bytes,
	        .out = to.bytes,
	        .in_count = in ? layout_count(&in->layout) : 0,
	        .out_count = out ? layout_count(&out->layout) : 0,
	        .chunk = collective_chunk(record, transport_group_size(group)),
	        .split = record->split.n ? &record->split : NULL,
	        .counts = counts});
	if (writes && status == ST_OK && to.copy)
		operand_unpack(world, out, to.copy);
	mem_free(from.copy);
	if (!in_place)
		mem_free(to.copy);
	return status;
}

enum status evaluate_send(const struct world *world, struct transport *transport, int to,
        const struct operand *operand, const void *packed)
{
	struct buffer buffer = {0};
	if (!packed)
		buffer = buffer_for(world, operand, true);
	enum status status =
	        transport_send(transport, to, packed ? packed : buffer.bytes, layout_bytes(&operand->layout));
	mem_free(buffer.copy);
	return status;
}

enum status evaluate_arrival(const struct world *world, struct transport *transport, int from,
        const struct record *record, const struct operand *source, const struct operand *target,
        const void *packed)
{
	enum status status = ST_OK;
	int64_t bytes = layout_bytes(&source->layout);
	if (!record->kernel && from != world->me) {
		struct buffer buffer = buffer_for(world, target, false);
		status = transport_recv(transport, from, buffer.bytes, layout_bytes(&target->layout));
		if (status == ST_OK && buffer.copy)
			operand_unpack(world, target, buffer.copy);
		mem_free(buffer.copy);
		return status;
	}
	if (!record->kernel) {
		evaluate_to_itself(world, source, target, packed);
		return ST_OK;
	}
	void *elements = mem_alloc(bytes);
	if (from != world->me)
		status = transport_recv(transport, from, elements, bytes);
	else if (packed)
		memcpy(elements, packed, bytes);
	else
		layout_pack(&source->layout, operand_bytes(world, source), elements);
	if (status == ST_OK) { /* multiplied by the factor and added in one step, rounded once */
		struct kernel_call call;
		call_of_add(world, record, target, &call);
		call.in[0].data = elements;
		call.out[0].data = operand_bytes(world, target);
		kernel_compute(&call);
	}
	mem_free(elements);
	return status;
}

/* evaluate.c -- kernels, copies, collectives and transfers on the memory of this process's rank
 *
 * Messages are exchanged even when memory is short: a buffer that cannot be had is replaced by address space
 * without a promise (MAP_NORESERVE), so that the other side is not left alone; the failure is returned, and
 * data.c marks what it spoiled. Should not even that be had (a limit on address space), the message is not
 * exchanged: *stranded, and this process must not go on. */
#include "sim/evaluate.h"
#include "base/memory.h"
#include "kernels/kernel.h"

#include <string.h>
#include <sys/mman.h>

void *operand_bytes(const struct world *world, const struct operand *operand)
{
	return world_data(world, (enum space)operand->space, operand->address);
}

static enum status gone(const struct world *world, const struct operand *operand)
{
	return fail(
	        ST_MEMORY, "this computer had no memory for '%s'", names_text(world->names, operand->name));
}

void *operand_packed(const struct world *world, const struct operand *operand)
{
	const void *bytes = operand_bytes(world, operand);
	if (!bytes) {
		gone(world, operand);
		return NULL;
	}
	void *packed = mem_alloc((size_t)layout_bytes(&operand->layout));
	if (packed)
		layout_pack(&operand->layout, bytes, packed);
	return packed;
}

enum status operand_unpack(const struct world *world, const struct operand *operand, const void *packed)
{
	void *bytes = operand_bytes(world, operand);
	if (!bytes)
		return gone(world, operand);
	layout_unpack(&operand->layout, packed, bytes);
	return ST_OK;
}

/* ---- kernels */

static bool writes(const struct operand *operand)
{
	return operand->access & (ACCESS_WRITE | ACCESS_ADD);
}

static struct kernel_tensor tensor_of(const struct world *world, const struct operand *operand)
{
	return (struct kernel_tensor){
	        names_text(world->names, operand->name), operand->layout, operand_bytes(world, operand)};
}

static enum status stage(
        const struct world *world, const struct operand *operand, struct kernel_tensor *tensor, void **staged)
{
	bool reads = operand->access & (ACCESS_READ | ACCESS_ADD);
	*staged = reads ? operand_packed(world, operand) : mem_alloc((size_t)layout_bytes(&operand->layout));
	if (!*staged)
		return ST_MEMORY;
	int64_t dim[DIMS_MAX];
	memcpy(dim, operand->layout.dim, sizeof dim);
	tensor->data = *staged;
	return layout_make(&tensor->layout, (enum dtype)operand->layout.dtype, operand->layout.dims, dim);
}

/* The operands of a record are the kernel's arguments in order, then its results; one that works in place has
 * no results. */
enum status evaluate_kernel(const struct world *world, const struct record *record, void **staged)
{
	struct kernel_call call = {.kernel = record->kernel};
	int outs = record->operands < record->kernel->outs ? record->operands : record->kernel->outs;
	call.outs = outs;
	call.ins = record->operands - outs;
	memcpy(call.option, record->parameter, sizeof call.option);
	for (int i = 0; i < record->operands; i++) {
		const struct operand *operand = &record->operand[i];
		struct kernel_tensor *tensor = i < call.ins ? &call.in[i] : &call.out[i - call.ins];
		*tensor = tensor_of(world, operand);
		if (!tensor->data)
			return gone(world, operand);
		call.add |= (operand->access & ACCESS_ADD) != 0;
		if (!staged || !writes(operand))
			continue;
		enum status status = stage(world, operand, tensor, &staged[i]);
		if (status != ST_OK)
			return status;
	}
	if (record->operands)
		kernel_compute(&call);
	return ST_OK;
}

enum status evaluate_copy(const struct world *world, const struct record *record, const void *packed)
{
	const struct operand *from = record_source(record), *to = record_target(record);
	if (!from || !to)
		return ST_OK; /* `print`: the shell reads the memory */
	return evaluate_to_itself(world, from, to, packed);
}

static enum status convert(
        const struct world *world, const struct operand *to, enum dtype from, const void *elements)
{
	enum dtype dtype = (enum dtype)to->layout.dtype;
	int64_t count = layout_count(&to->layout);
	if (dtype == from)
		return operand_unpack(world, to, elements);
	float *values = mem_alloc((size_t)count * sizeof *values);
	void *packed = mem_alloc((size_t)layout_bytes(&to->layout));
	enum status status = values && packed ? ST_OK : ST_MEMORY;
	if (status == ST_OK) {
		dtype_to_f32(from, elements, values, count);
		dtype_from_f32(dtype, values, packed, count);
		status = operand_unpack(world, to, packed);
	}
	mem_free(values);
	mem_free(packed);
	return status;
}

static bool apart(const char *a, int64_t a_bytes, const char *b, int64_t b_bytes)
{
	return a + a_bytes <= b || b + b_bytes <= a;
}

enum status evaluate_to_itself(
        const struct world *world, const struct operand *from, const struct operand *to, const void *packed)
{
	const void *source = operand_bytes(world, from);
	void *target = operand_bytes(world, to), *own = NULL;
	bool plain = source && target && layout_contiguous(&from->layout) &&
	        apart(source, layout_span(&from->layout), target, layout_span(&to->layout));
	if (!packed && plain)
		packed = source;
	else if (!packed)
		packed = own = operand_packed(world, from);
	enum status status = packed ? convert(world, to, (enum dtype)from->layout.dtype, packed) : ST_MEMORY;
	mem_free(own);
	return status;
}

/* ---- messages */

/* A buffer for a message: `bytes` themselves where they are in one piece, else one of our own. */
struct buffer {
	void *bytes, *own, *lent;
	size_t lent_bytes;
};

static void buffer_release(struct buffer *buffer)
{
	mem_free(buffer->own);
	if (buffer->lent)
		munmap(buffer->lent, buffer->lent_bytes);
}

/* Address space for a message that must be exchanged although memory is short. */
static enum status buffer_lend(struct buffer *buffer, size_t bytes)
{
	void *lent = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
	        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (lent == MAP_FAILED)
		return fail(
		        ST_MEMORY, "this computer is out of memory (%zu bytes wanted for a message)", bytes);
	buffer->lent = buffer->bytes = lent;
	buffer->lent_bytes = bytes ? bytes : 1;
	return ST_MEMORY;
}

/* filled: with the operand's elements as they are. */
static enum status buffer_for(
        struct buffer *buffer, const struct world *world, const struct operand *operand, bool filled)
{
	void *bytes = operand_bytes(world, operand);
	size_t count = (size_t)layout_bytes(&operand->layout);
	*buffer = (struct buffer){0};
	if (bytes && layout_contiguous(&operand->layout)) {
		buffer->bytes = bytes;
		return ST_OK;
	}
	buffer->own = filled || !bytes ? operand_packed(world, operand) : mem_alloc(count);
	buffer->bytes = buffer->own;
	return buffer->own ? ST_OK : buffer_lend(buffer, count);
}

static enum status buffer_back(
        const struct buffer *buffer, const struct world *world, const struct operand *operand)
{
	return buffer->own ? operand_unpack(world, operand, buffer->own) : ST_OK;
}

static enum status first_of(enum status a, enum status b)
{
	return a != ST_OK ? a : b;
}

static bool is_same(const struct operand *a, const struct operand *b)
{
	return a->address == b->address && a->space == b->space &&
	        layout_span(&a->layout) == layout_span(&b->layout);
}

static bool overlap(const struct operand *a, const struct operand *b)
{
	return a->space == b->space && a->address < b->address + layout_span(&b->layout) &&
	        b->address < a->address + layout_span(&a->layout);
}

static enum status input_buffer(struct buffer *buffer, const struct world *world, const struct operand *in,
        const struct operand *out, const void *packed)
{
	*buffer = (struct buffer){.bytes = NULL};
	if (packed) {
		memcpy(&buffer->bytes, &packed, sizeof packed);
		return ST_OK;
	}
	if (!out || out == in || is_same(in, out) || !overlap(in, out))
		return buffer_for(buffer, world, in, true);
	buffer->bytes = buffer->own = operand_packed(world, in);
	return buffer->own ? ST_OK : buffer_lend(buffer, (size_t)layout_bytes(&in->layout));
}

static bool lacks(const struct buffer *buffer, const struct operand *operand)
{
	return operand && !buffer->bytes && layout_bytes(&operand->layout) > 0;
}

enum status evaluate_collective(const struct world *world, struct plane_group *group,
        const struct record *record, const void *packed, bool *stranded)
{
	const struct operand *in = record_source(record), *out = record_target(record);
	struct buffer from = {0}, to = {0};
	enum status status = ST_OK;
	if (in)
		status = input_buffer(&from, world, in, out, packed);
	if (out == in && !packed)
		to.bytes = from.bytes;
	else if (out)
		status = first_of(status, buffer_for(&to, world, out, false));
	*stranded = lacks(&from, in) || lacks(&to, out);
	if (!*stranded)
		status = first_of(status,
		        collective_data(record->collective, group, (enum dtype)record->dtype,
		                (enum reduction)record->reduction, record->root, from.bytes,
		                in ? layout_count(&in->layout) : 0, to.bytes,
		                out ? layout_count(&out->layout) : 0));
	if (out && status == ST_OK)
		status = buffer_back(out == in && !packed ? &from : &to, world, out);
	buffer_release(&from);
	buffer_release(&to);
	return status;
}

enum status evaluate_send(const struct world *world, struct plane *plane, int to,
        const struct operand *operand, const void *packed, bool *stranded)
{
	struct buffer buffer = {0};
	enum status status = ST_OK;
	if (!packed)
		status = buffer_for(&buffer, world, operand, true);
	*stranded = !packed && lacks(&buffer, operand);
	if (!*stranded)
		status = first_of(status,
		        plane_send(
		                plane, to, packed ? packed : buffer.bytes, layout_bytes(&operand->layout)));
	buffer_release(&buffer);
	return status;
}

enum status evaluate_receive(const struct world *world, struct plane *plane, int from,
        const struct operand *operand, bool *stranded)
{
	struct buffer buffer = {0};
	enum status status = buffer_for(&buffer, world, operand, false);
	*stranded = lacks(&buffer, operand);
	if (!*stranded)
		status = first_of(
		        status, plane_recv(plane, from, buffer.bytes, layout_bytes(&operand->layout)));
	if (status == ST_OK)
		status = buffer_back(&buffer, world, operand);
	buffer_release(&buffer);
	return status;
}

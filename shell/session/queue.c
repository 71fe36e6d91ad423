/* queue.c -- changes the world, and reports each change to the backend
 *
 * All calls of world_queue and its variants are here. Operations of a failed change are reported,
 * too. */
#include "shell/session/queue.h"

#include <string.h>

struct record queue_record(const struct shell *shell, enum op_kind kind, const char *title)
{
	struct world *world = shell->world;
	return (struct record){.kind = (uint8_t)kind,
	        .microbatch = -1,
	        .title = names_make(world->names, title, strlen(title)),
	        .section = (int)world->section_count - 1,
	        .line = world->line,
	        .file = world->file,
	        .group = -1,
	        .root = -1,
	        .duration_ns = -1,
	        .alone_ns = -1,
	        .launch_ns = -1};
}

struct operand queue_operand(const struct shell *shell, int index, int access)
{
	const struct tensor *tensor = &shell->world->tensors[index];
	return (struct operand){.address = tensor->address,
	        .space = tensor->space,
	        .access = (uint8_t)access,
	        .tensor = index,
	        .name = tensor->name,
	        .layout = tensor->layout};
}

enum status shell_tell(struct shell *shell, size_t before, enum status status)
{
	enum status told = ST_OK;
	/* the world may have queued others itself */
	for (size_t id = before + 1; id <= shell->world->op_count && told == ST_OK; id++)
		told = shell->backend->queued(shell->backend, (op_id)id);
	return status != ST_OK ? status : told;
}

enum status shell_queue(struct shell *shell, int rank, int stream, const struct record *record, uint32_t like,
        op_id target, int flags, op_id *id)
{
	size_t before = shell->world->op_count;
	op_id made = 0;
	enum status status = world_queue(shell->world, rank, stream, record, like, target, flags, &made);
	if (id)
		*id = made;
	return shell_tell(shell, before, status);
}

uint32_t queued_record(const struct shell *shell, op_id id)
{
	return id <= shell->world->op_count ? shell->world->ops[id].record : 0;
}

enum status shell_tensor_make(struct shell *shell, int rank, name_id name, const struct layout *layout,
        enum space space, int pool, enum tensor_use use, int kind, int *index)
{
	size_t before = shell->world->op_count;
	return shell_tell(shell, before,
	        world_tensor_make(shell->world, rank, name, layout, space, pool, use, kind, index));
}

enum status shell_tensor_free(struct shell *shell, int index, int after_stream)
{
	size_t before = shell->world->op_count;
	world_tensor_free(shell->world, index, after_stream);
	return shell_tell(shell, before, ST_OK);
}

enum status shell_view_make(
        struct shell *shell, int rank, name_id name, int of, int64_t address, const struct layout *layout)
{
	struct thing thing = world_find(shell->world, rank, name);
	int index, base = shell->world->tensors[of].base;
	enum status status = world_view_make(shell->world, rank, name, base, address, layout, &index);
	return status == ST_OK && thing.kind == THING_TENSOR ? shell_tensor_free(shell, thing.index, 0)
	                                                     : status;
}

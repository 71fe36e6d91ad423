/* placement.c -- may an operation run on its stream, and on the memory of its operands? */
#include "shell/submit/plan.h"
#include "world/world.h"

/* `then`: where the data go from pinned memory. */
static enum status operand_off_disk(const struct shell *shell, const struct submit_plan *plan,
        const struct operand *operand, const char *then)
{
	const char *name = names_text(shell->world->names, operand->name);
	if (operand->space != SPACE_DISK)
		return ST_OK;
	return fail(ST_ARGUMENT, "%s: %s is on the disk: copy %s -> a pinned tensor first%s",
	        names_text(shell->world->names, plan->record.title), name, name, then);
}

enum status plan_on_device(const struct shell *shell, const struct submit_plan *plan)
{
	for (int i = 0; i < plan->operands; i++) {
		const struct operand *operand = &plan->operand[i];
		const char *name = names_text(shell->world->names, operand->name);
		enum status status = operand_off_disk(shell, plan, operand, ", and that to the device");
		if (status != ST_OK)
			return status;
		if (operand->space != SPACE_DEVICE)
			return fail(ST_ARGUMENT,
			        "%s: %s is in %s memory, and a GPU works on device memory: copy %s -> a "
			        "tensor on the device first",
			        names_text(shell->world->names, plan->record.title), name,
			        operand->space == SPACE_PINNED ? "pinned host" : "host", name);
	}
	return ST_OK;
}

enum status plan_fits_stream(const struct shell *shell, int rank, const struct submit_plan *plan)
{
	const struct world *world = shell->world;
	const struct stream *stream = world_stream(world, rank, plan->stream);
	const char *title = names_text(world->names, plan->record.title),
	           *thread = names_text(world->names, stream->name);
	if (!stream->host)
		return ST_OK;
	if (plan->record.kind != OP_KERNEL && plan->record.kind != OP_COPY)
		return fail(ST_ARGUMENT,
		        "%s: %s is a thread of the host (kind=host), and GPUs exchange data: on a stream of "
		        "the GPU",
		        title, thread);
	for (int i = 0; i < plan->operands; i++) {
		enum status status = plan->record.kind == OP_KERNEL
		        ? operand_off_disk(shell, plan, &plan->operand[i], "")
		        : ST_OK;
		if (status != ST_OK)
			return status;
		if (plan->operand[i].space == SPACE_DEVICE)
			return fail(ST_ARGUMENT,
			        "%s: %s is a thread of the host (kind=host), and %s %s on the device: such a "
			        "thread runs copies between disk, pinned and host memory, kernels of host "
			        "tensors, and spin",
			        title, thread, names_text(world->names, plan->operand[i].name),
			        plan->operand[i].tensor < 0 ? "would be made" : "is");
	}
	return ST_OK;
}

enum status plan_for_nccl(const struct shell *shell, const struct submit_plan *plan)
{
	enum status status = plan_on_device(shell, plan);
	for (int i = 0; i < plan->operands && status == ST_OK; i++)
		if (!layout_contiguous(&plan->operand[i].layout))
			status = fail(ST_SHAPE,
			        "%s: the elements of %s are not contiguous, and NCCL moves whole blocks: "
			        "copy it into a new tensor",
			        names_text(shell->world->names, plan->record.title),
			        names_text(shell->world->names, plan->operand[i].name));
	return status;
}

/* load.c -- `tensor x = load F`: a file is read by rank 0 and its content sent to all, so that every
 * process knows the same.
 *
 * A tensor made by `load` has its data from the beginning: it is initial data and takes no time (OP_FILL).
 * Its memory may still be written by work queued for the block's last owner, so the bytes go in when the
 * host has come so far. */
#include "shell/session/load.h"
#include "base/memory.h"
#include "base/npy.h"
#include "mpi/plane.h"
#include "shell/session/data.h"
#include "shell/session/queue.h"
#include "shell/session/share.h"
#include "world/world.h"

#include <string.h>

static bool first_process(const struct shell *shell)
{
	return !shell->plane || plane_rank(shell->plane) == 0;
}

/* Rank 0's bytes, into `bytes` of everybody. */
static enum status from_first(struct shell *shell, void *bytes, size_t count)
{
	void *block = bytes;
	size_t got = count;
	if (!shell->plane || plane_size(shell->plane) == 1)
		return ST_OK;
	enum status status = plane_broadcast(shell->plane, 0, &block, &got);
	if (status == ST_OK && block != bytes)
		memcpy(bytes, block, got < count ? got : count);
	if (block != bytes)
		mem_free(block);
	return status;
}

enum status file_header(struct shell *shell, const char *path, struct layout *layout)
{
	struct npy npy = {0};
	if (!data_is_npy(path))
		return data_text_header(shell, path, layout);
	enum status status = first_process(shell) ? npy_open(&npy, path) : ST_OK;
	*layout = npy.layout;
	npy_close(&npy);
	status = shell_agree(shell, 0, status);
	return status == ST_OK ? from_first(shell, layout, sizeof *layout) : status;
}

static enum status read_elements(struct shell *shell, const char *path, void *elements, size_t bytes)
{
	struct npy npy = {0};
	enum status status = ST_OK;
	if (!data_is_npy(path))
		return data_text_read(shell, path, elements, bytes);
	if (first_process(shell)) {
		status = npy_open(&npy, path);
		if (status == ST_OK && (size_t)layout_bytes(&npy.layout) != bytes)
			status = fail(ST_FILE, "%s: it has changed meanwhile", path);
		if (status == ST_OK)
			status = npy_read(&npy, elements);
		if (status == ST_OK)
			shell_read_file(shell, path, elements, bytes);
		npy_close(&npy);
	}
	status = shell_agree(shell, 0, status);
	return status == ST_OK ? from_first(shell, elements, bytes) : status;
}

/* The file's elements as the tensor's type, into its memory: data, on which nothing else may hang. */
static enum status put_elements(const struct shell *shell, const struct tensor *tensor,
        const struct layout *from, const void *elements)
{
	void *data = world_data(shell->world, (enum space)tensor->space, tensor->address);
	int64_t count = layout_count(from);
	if (!data)
		return fail(ST_MEMORY, "load: this computer has no memory for %s",
		        names_text(shell->world->names, tensor->name));
	if (from->dtype == tensor->layout.dtype) {
		layout_unpack(&tensor->layout, elements, data);
		return ST_OK;
	}
	float *values = mem_alloc((size_t)count * sizeof *values);
	dtype_to_f32((enum dtype)from->dtype, elements, values, count);
	dtype_from_f32((enum dtype)tensor->layout.dtype, values, data, count);
	mem_free(values);
	return ST_OK;
}

/* The memory may still be written by what was queued for its last owner: the file's content goes in when the
 * host has come so far. */
static enum status fill_at_its_place(
        struct shell *shell, const struct ranks *set, const int *tensor, const struct record *like)
{
	op_id *ids = mem_alloc((size_t)ranks_count(set) * sizeof *ids);
	int count = 0;
	enum status status = ST_OK;
	FOR_RANKS (rank, set) {
		if (status != ST_OK)
			break;
		const struct tensor *made = &shell->world->tensors[tensor[count]];
		struct operand operand = {.address = made->address,
		        .space = made->space,
		        .access = ACCESS_WRITE,
		        .tensor = tensor[count],
		        .name = made->name,
		        .layout = made->layout};
		struct record record = *like;
		record.kind = OP_FILL;
		record.kernel = NULL;
		record.operand = &operand;
		record.operands = 1;
		status = shell_queue(shell, rank, STREAM_HOST, &record, 0, 0, 0, &ids[count++]);
	}
	if (status == ST_OK && !shell->dry)
		status = shell->backend->reach(shell->backend, ids, count, &shell->budget);
	mem_free(ids);
	return status;
}

/* Everything up to the last step is the same on all processes. Putting the elements into this rank's
 * memory is its own matter: a failure there is kept (shell_keep) and told when the line's outcome is
 * agreed. */
enum status file_load(struct shell *shell, const char *path, const struct ranks *set, const int *tensor,
        const struct record *like)
{
	struct layout layout;
	enum status status = file_header(shell, path, &layout);
	if (status != ST_OK)
		return status;
	void *elements = mem_alloc((size_t)layout_bytes(&layout));
	status = read_elements(shell, path, elements, (size_t)layout_bytes(&layout));
	if (status == ST_OK)
		status = fill_at_its_place(shell, set, tensor, like);
	int place = 0;
	FOR_RANKS (rank, set) {
		if (rank == shell->world->me && status == ST_OK)
			shell_keep(shell,
			        put_elements(
			                shell, &shell->world->tensors[tensor[place]], &layout, elements));
		place++;
	}
	mem_free(elements);
	return status;
}

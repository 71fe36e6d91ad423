/* save.c -- save TENSOR FILE.npy: np.save of a tensor copied to the host
 *
 * As `print` it queues a copy and a wait; then the owner writes its file. If several ranks name
 * one file, the first writes it and the others only wait, because replicas are equal. A file that
 * may not be replaced (values/share.h) is refused before the copy, and again when the data has
 * arrived. */
#include "base/memory.h"
#include "base/npy.h"
#include "shell/language/run/command.h"
#include "shell/language/run/interpreter.h"
#include "shell/values/share.h"
#include "shell/submit/plan.h"

#include <string.h>

static const struct output_kind kind = {.is = "whole .npy file of a tensor", .is_own = npy_whole};

static bool save_is_first(struct call *call, int rank, const char *path)
{
	const char *other;
	FOR_RANKS (before, call->set) {
		if (before >= rank)
			return true;
		if (call_word(call, 1, 0, before, &other) == ST_OK && strcmp(other, path) == 0)
			return false;
	}
	return true;
}

/* All processes make the line's text, because that may add names to the world. */
static enum status save_may_replace(struct call *call, int rank, const char *path)
{
	struct shell *shell = call->shell;
	struct text line = {0};
	enum status status = ST_OK;
	call_line(call, rank, &line);
	struct output output = {
	        .path = path, .kind = &kind, .force = call_count(call, 2) > 0, .line = text_string(&line)};
	if (!shell->replay.depth && rank == shell->world->me)
		status = may_replace(&output);
	text_release(&line);
	return status;
}

/* Each outcome is shared before the next rank writes. */
static enum status save_files(struct call *call)
{
	struct shell *shell = call->shell;
	struct text said = {0};
	int place = out_place(shell->out);
	const op_id *wait = call->wait;
	FOR_RANKS (rank, call->set) {
		op_id sync = *wait++;
		const char *path;
		struct view view;
		enum status status = call_word(call, 1, 0, rank, &path);
		if (status == ST_OK)
			status = call_tensor(call, 0, 0, rank, &view);
		if (status != ST_OK)
			return status;
		if (!save_is_first(call, rank, path))
			continue;
		status = save_may_replace(call, rank, path);
		/* views and slices are packed, because a file has its elements in rows */
		if (!shell->replay.depth && rank == shell->world->me) {
			void *packed = mem_alloc(layout_bytes(&view.layout));
			op_id by = space_is_host(view.space) ? 0 : shell->world->ops[sync].target;
			if (status == ST_OK)
				status = read_packed(shell, by, &view, packed);
			if (status == ST_OK)
				status = npy_save(path, &view.layout, packed);
			mem_free(packed);
		}
		if (!shell->replay.depth)
			status = shell_agree(shell, rank, status);
		status = shell_written(shell, path, status);
		if (status != ST_OK)
			return status;
		text_add(&said, "%s %s saved as %s", names_text(shell->world->names, view.name),
		        shape_text(&view.layout).text, path);
		out_fill(shell->out, place, rank, text_string(&said));
		text_release(&said);
	}
	return ST_OK;
}

static enum status save_may_begin(struct call *call, int rank, const char *path)
{
	struct shell *shell = call->shell;
	if (interpreter_walks(shell->interpreter) || !save_is_first(call, rank, path))
		return ST_OK;
	enum status status = save_may_replace(call, rank, path);
	if (!shell->replay.depth)
		status = shell_agree(shell, rank, status);
	return shell_replaces(shell, path, status);
}

static enum status save_one(struct call *call, int rank, bool act)
{
	struct view view;
	const char *path;
	int stream;
	struct host_reads reads = {0};
	op_id id;
	enum status status = call_tensor(call, 0, 0, rank, &view);
	if (status == ST_OK)
		status = call_word(call, 1, 0, rank, &path);
	if (status == ST_OK)
		status = shell_may_write(call->shell, path);
	if (status == ST_OK)
		status = view.space == SPACE_DEVICE ? call_device_stream(call, rank, &stream)
		                                    : call_stream(call, rank, &stream);
	if (status == ST_OK && !act)
		status = save_may_begin(call, rank, path);
	if (status != ST_OK || !act)
		return status;
	status = host_bring(call, rank, stream, &view, &reads, &id);
	return status == ST_OK ? host_sync_reading(call, rank, id, view.name, &reads) : status;
}

static enum status save_run(struct call *call)
{
	struct shell *shell = call->shell;
	bool walked = interpreter_walks(shell->interpreter);
	if (shell_keeps_no_data(shell) && !walked)
		return fail(ST_ARGUMENT, "save: a dry run has no data");
	enum status status = call_each_rank(call, save_one);
	if (status != ST_OK || walked)
		return status;
	status = shell_reach(shell, call->wait, call->waits);
	return status == ST_OK ? save_files(call) : status;
}

const struct command command_save = {
        .name = "save",
        .topic = "read",
        .usage = "save TENSOR FILE.npy [force] [on STREAM]",
        .help = "writes a tensor as a NumPy file. The host waits for a device tensor; host and pinned "
                "memory is written without waiting, unless `on STREAM` (or `use`) names a stream to wait "
                "for. If several ranks name one file, the first of them writes it (x$rank.npy: a file for "
                "each rank). force: overwrites a file that is not a complete .npy file, and writes through"
                " a link",
        .torch = "np.save(\"FILE\", TENSOR.cpu().numpy())",
        .stream_ok = true,
        .argument = {{ARG_TENSOR, 0, NULL, "TENSOR"}, {ARG_FILE, 0, NULL, "FILE.npy"},
                {ARG_WORD, ARG_OPTIONAL, "force", "force"}},
        .run = save_run,
};

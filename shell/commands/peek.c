/* peek.c -- peek TENSOR ...: the memory as it is now, finished or not
 *
 * Nothing waits, no clock moves, and a tensor that a kernel is writing shows its old content. With
 * --dry there is only the shape. On a GPU earlier lines are issued first. */
#include "base/memory.h"
#include "shell/language/run/answer.h"
#include "shell/language/run/command.h"
#include "shell/values/show.h"
#include "shell/replay/replay.h"

/* Returns the last operation queued before the tensor got its memory. */
static op_id peek_made_after(const struct world *world, int rank, const struct view *view)
{
	for (size_t i = world->handout_count; i-- > 0;) {
		const struct handout *handout = &world->handouts[i];
		if (handout->rank == rank && handout->space == view->space &&
		        view->address >= handout->address &&
		        view->address < handout->address + handout->bytes)
			return handout->after;
	}
	return 0;
}

/* Returns true if an operation completed by `time` has written into it; for a window, also one of
 * another rank. A tensor without elements counts as written. */
static bool peek_is_written(const struct shell *shell, int rank, const struct view *view, int64_t time)
{
	const struct world *world = shell->world;
	const struct operand memory = view_operand(view, ACCESS_READ);
	op_id id = world->first[rank], before = peek_made_after(world, rank, view);
	if (layout_count(&view->layout) == 0)
		return true;
	for (; id; id = world->ops[id].next_program) {
		const struct record *record = op_record(world, id);
		bool writes = false;
		for (int i = 0; i < record->operands && id > before && !writes; i++)
			writes = (record->operand[i].access & ACCESS_WRITE || record->window) &&
			        spans_overlap(&record->operand[i], &memory);
		if (!writes)
			continue;
		struct times t = backend_times(shell->backend, id);
		if (!t.projected && t.end <= time)
			return true;
	}
	return false;
}

static enum status peek_one(struct call *call, int i, int rank, struct text *text)
{
	struct shell *shell = call->shell;
	struct view view;
	bool dry = shell->world->me < 0;
	enum status status = call_tensor(call, 0, i, rank, &view);
	if (status != ST_OK || (!dry && rank != shell->world->me))
		return status;
	const char *name = names_text(shell->world->names, view.name);
	bool then = shell->replay.changes && shell->replay.changes->data;
	if (!dry &&
	        !peek_is_written(shell, rank, &view, then ? shell->replay.changes->until : TIME_UNKNOWN)) {
		text_add(text, "%s: nothing %s", name,
		        then ? "had been written to it" : "has been written to it yet");
		show_spoiled(shell->world, view.tensor, text);
		return ST_OK;
	}
	void *packed = dry ? NULL : mem_alloc(layout_bytes(&view.layout));
	if (dry || read_packed(shell, 0, &view, packed) == ST_OK)
		show_answer(shell, rank, name, &view.layout, packed, text);
	else
		text_add(text, "%s: %s", name, fail_text());
	mem_free(packed);
	show_spoiled(shell->world, view.tensor, text);
	return ST_OK;
}

static enum status peek_at(struct call *call)
{
	struct shell *shell = call->shell;
	if (shell->dry || shell->backend->measures)
		return fail(ST_ARGUMENT, "peek after `at`: %s (`at off` looks at now)",
		        shell->dry ? "--dry keeps no data" : "on a GPU only the current memory is known");
	struct question *question = question_make(call, answer_peek);
	if (!question)
		return ST_OK;
	question->changes.data = true;
	question->changes.until = shell->at.time;
	return question_end(shell, question, ST_OK);
}

/* Resolves all tensors on all ranks first, so that all processes refuse the line alike. */
static enum status peek_run(struct call *call)
{
	struct shell *shell = call->shell;
	struct view view;
	enum status status = ST_OK;
	for (int i = 0; i < call_count(call, 0); i++)
		FOR_RANKS (rank, call->set)
			if (status == ST_OK)
				status = call_tensor(call, 0, i, rank, &view);
	if (status == ST_OK && shell->at.set && shell->at.world == shell->world->digest &&
	        !shell->replay.changes)
		return peek_at(call);
	if (status == ST_OK && shell->backend->measures)
		status = shell_glance(shell);
	for (int i = 0; i < call_count(call, 0) && status == ST_OK; i++)
		status = answer_each(call, peek_one, i);
	return status;
}

const struct command command_peek = {
        .name = "peek",
        .topic = "read",
        .usage = "peek TENSOR ...",
        .help = "shows the memory as it is now, even if its operations have not finished; nothing waits. "
                "After `at 3.2ms` it shows the memory of that time; a future time is forecast as if "
                "nothing more is queued",
        .example = "tensor x[4] = iota\npeek x",
        .class = COMMAND_LOOK,
        .argument = {{ARG_TENSOR, ARG_MANY, NULL, "TENSOR"}},
        .run = peek_run,
};

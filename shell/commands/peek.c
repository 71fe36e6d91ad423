/* peek.c -- peek TENSOR ...: the memory as it is now, finished or not.
 *
 * This is the debugger's look, not the program's: nothing waits, no clock moves, and a tensor that a
 * kernel is just writing shows what it held before. `print` is the program's own read. Each process shows
 * its own rank's data; where ranks show the same text it stands once. With --dry there is only the shape. On a GPU the lines
 * so far are issued first: else there would be nothing to see. */
#include "base/memory.h"
#include "shell/language/run/answer.h"
#include "shell/language/run/command.h"
#include "shell/session/show.h"

/* A rank's own trouble is its own answer: the others' lines do not hang on it. */
static enum status peek_one(struct call *call, int i, int rank, struct text *text)
{
	struct shell *shell = call->shell;
	struct view view;
	bool dry = shell->world->me < 0;
	enum status status = call_tensor(call, 0, i, rank, &view);
	if (status != ST_OK || (!dry && rank != shell->world->me))
		return status;
	const char *name = names_text(shell->world->names, view.name);
	void *packed = dry ? NULL : mem_alloc(layout_bytes(&view.layout));
	if (dry || read_packed(shell, 0, &view, packed) == ST_OK)
		show_tensor(name, &view.layout, packed, text);
	else
		text_add(text, "%s: %s", name, fail_text());
	mem_free(packed);
	show_spoiled(shell->world, view.tensor, text);
	return ST_OK;
}

/* Every tensor is found on every rank before the first is shown, on all processes alike: data differ by
 * process, but whether the line is refused must not. */
static enum status peek_run(struct call *call)
{
	struct view view;
	enum status status = ST_OK;
	for (int i = 0; i < call_count(call, 0); i++)
		FOR_RANKS (rank, call->set)
			if (status == ST_OK)
				status = call_tensor(call, 0, i, rank, &view);
	if (status == ST_OK && call->shell->backend->measures)
		status = shell_glance(call->shell);
	for (int i = 0; i < call_count(call, 0) && status == ST_OK; i++)
		status = answer_each(call, peek_one, i);
	return status;
}

const struct command command_peek = {
        .name = "peek",
        .topic = "read",
        .usage = "peek TENSOR ...",
        .help = "shows the memory as it is now, finished or not: nothing waits",
        .example = "tensor x[4] = iota\npeek x",
        .class = COMMAND_LOOK,
        .argument = {{ARG_TENSOR, ARG_MANY, NULL, "TENSOR"}},
        .run = peek_run,
};

/* peek.c -- peek TENSOR ...: the memory as it is now, finished or not.
 *
 * This is the debugger's look, not the program's: nothing waits, no clock moves, and a tensor that a
 * kernel is just writing shows what it held before. `print` is the program's own read. Each process shows
 * its own rank's data; where ranks show the same text it stands once. With --dry there is only the shape. */
#include "base/memory.h"
#include "shell/language/run/command.h"
#include "shell/session/out.h"
#include "shell/session/read.h"
#include "shell/session/show.h"

/* A rank's own trouble is its own answer: the others' lines do not hang on it. */
static void peek_text(struct shell *shell, const struct view *view, struct text *text)
{
	const char *name = names_text(shell->world->names, view->name);
	void *packed = mem_alloc((size_t)layout_bytes(&view->layout));
	if (shell->backend->peek(shell->backend, view->space, view->address, &view->layout, packed) == ST_OK)
		show_tensor(name, &view->layout, packed, text);
	else
		text_add(text, "%s: %s", name, fail_text());
	mem_free(packed);
}

/* Every tensor is found on every rank before the first is shown, on all processes alike: data differ by
 * process, but whether the line is refused must not. */
static enum status peek_run(struct shell *shell, struct call *call)
{
	struct text text = {0};
	struct view view;
	int me = shell->world->me;
	enum status status = shell->backend->advance(shell->backend, &shell->budget);
	for (int i = 0; i < call_count(call, 0) && status == ST_OK; i++)
		FOR_RANKS (rank, call_ranks(call))
			if (status == ST_OK)
				status = call_tensor(call, 0, i, rank, &view);
	for (int i = 0; i < call_count(call, 0) && status == ST_OK; i++) {
		int place = out_place(shell->out);
		FOR_RANKS (rank, call_ranks(call)) {
			if (status != ST_OK || (me >= 0 && rank != me))
				continue;
			text_clear(&text);
			status = call_tensor(call, 0, i, rank, &view);
			if (status == ST_OK && me >= 0)
				peek_text(shell, &view, &text);
			else if (status == ST_OK)
				show_tensor(names_text(shell->world->names, view.name), &view.layout, NULL,
				        &text);
			if (status == ST_OK)
				show_spoiled(shell->world, view.tensor, &text);
			out_fill(shell->out, place, rank, text_string(&text));
		}
	}
	text_release(&text);
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

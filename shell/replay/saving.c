/* saving.c -- `why`: reruns the lines without the named root causes, ties included */
#include "shell/replay/inside.h"

static int64_t last_end(struct shell *shell)
{
	int64_t last = 0;
	for (op_id id = 1; id <= shell->world->op_count; id++) {
		int64_t end = op_record(shell->world, id)->kind == OP_FILL
		        ? 0
		        : backend_times(shell->backend, id).end;
		last = end != TIME_UNKNOWN ? most_of(last, end) : last;
	}
	return last;
}

static void say(struct shell *shell, bool several, int64_t before, int64_t after)
{
	struct trace trace = {.world = shell->world, .backend = shell->backend};
	const char *it = several ? "them" : "it";
	const char *all = trace_hangs(&trace) ? "what ends at all" : "everything";
	struct short_words then = time_words(before), now = time_words(after);
	if (after < before)
		out_say(shell->out, "   without %s %s ends at %s instead of %s (run again)\n", it, all,
		        now.text, then.text);
	else if (after == before)
		out_say(shell->out,
		        "   without %s %s ends when it does now (run again): something else sets the end; "
		        "`critical` shows what\n",
		        it, all);
	else
		out_say(shell->out, "   without %s %s ends later, at %s instead of %s (run again)\n", it, all,
		        now.text, then.text);
}

/* Finds the end without a change: the session's if its times are simulated, else a rerun's. */
static enum status plain_end(struct shell *shell, int64_t *out)
{
	struct rerun plain;
	if (rerun_same(shell)) {
		*out = last_end(shell);
		return ST_OK;
	}
	enum status status = rerun_open(&plain, shell, NULL);
	if (status == ST_OK)
		*out = last_end(&plain.shell);
	rerun_close(&plain, shell);
	if (status == ST_OK && shell->backend->measures)
		say_off(shell, (double)last_end(shell), (double)*out);
	return status;
}

enum status answer_saving(struct shell *shell, const struct question *question)
{
	struct rerun rerun;
	int64_t before = 0;
	enum status status = shell_look(shell);
	if (status == ST_OK)
		status = plain_end(shell, &before);
	if (status == ST_OK) {
		status = rerun_open(&rerun, shell, &question->changes);
		if (status == ST_OK && rerun.shell.world->op_count != shell->world->op_count)
			out_say(shell->out,
			        "   without it the lines would be another program: they depend on times\n");
		else if (status == ST_OK)
			say(shell, question->several, before, last_end(&rerun.shell));
		rerun_close(&rerun, shell);
	}
	return status;
}

/* saving.c -- what `why` would save: the lines run again without the roots that it has named, all of those that tie */
#include "shell/line/inside.h"
#include "shell/training/question.h"
#include "shell/training/scratch.h"

/* When the last operation ends, of those that have an end */
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
	const char *it = several ? "them" : "it";
	struct text now = {0}, then = {0};
	time_text(before, &then);
	time_text(after, &now);
	if (after < before)
		out_say(shell->out, "   without %s everything ends at %s instead of %s (run again)\n", it,
		        text_string(&now), text_string(&then));
	else if (after == before)
		out_say(shell->out,
		        "   without %s everything ends when it does now (run again): something else sets the "
		        "end; "
		        "`critical` shows what\n",
		        it);
	else
		out_say(shell->out, "   without %s everything ends later, at %s instead of %s (run again)\n",
		        it, text_string(&now), text_string(&then));
	text_release(&now);
	text_release(&then);
}

enum status answer_saving(struct shell *shell, const struct question *question)
{
	struct rerun rerun, plain = {0};
	enum status status = shell_look(shell);
	bool again = !rerun_same(shell);
	if (status == ST_OK && again)
		status = rerun_open(&plain, shell, NULL);
	if (again)
		scratch_pause(&plain.shell, shell);
	if (status == ST_OK) {
		status = rerun_open(&rerun, shell, &question->changes);
		if (status == ST_OK && rerun.shell.world->op_count != shell->world->op_count)
			out_say(shell->out,
			        "   without it the lines would be another program: what they do hangs on "
			        "times\n");
		else if (status == ST_OK)
			say(shell, question->several, last_end(again ? &plain.shell : shell),
			        last_end(&rerun.shell));
		rerun_close(&rerun, shell);
	}
	if (again)
		scratch_resume(&plain.shell, shell);
	rerun_close(&plain, shell);
	return status;
}

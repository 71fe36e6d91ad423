/* open.c -- a session opened, closed and emptied */
#include "shell/training/open.h"
#include "base/memory.h"
#include "shell/language/run/interpreter.h"
#include "shell/values/prints.h"
#include "shell/training/training.h"

/* The backend's hook: a completed OP_SYNC may complete a print; other operations are noted ones,
 * which have written a loss. */
static void done(void *self, op_id id)
{
	struct shell *shell = self;
	if (op_record(shell->world, id)->kind == OP_SYNC)
		prints_done(shell, id);
	else
		noted_done(shell, id);
}

enum status shell_open(struct shell *shell, struct transport *t, int n, bool dry, const char *machine)
{
	shell->done = done;
	enum status status = session_open(shell, t, n, dry, machine);
	shell->training = training_make();
	if (status == ST_OK)
		shell->interpreter = interpreter_create();
	return status;
}

void shell_close(struct shell *shell)
{
	training_free(shell);
	interpreter_free(shell->interpreter);
	noted_release(shell);
	prints_release(shell);
	session_close(shell);
}

/* again: for a replay, with the plan that this world began with */
static enum status shell_empty(struct shell *shell, bool again)
{
	training_stop(shell);
	noted_release(shell);
	prints_release(shell);
	enum status status = session_reset(shell);
	/* the resets below may word failures of their own */
	char *why = status == ST_OK ? NULL : fail_copy();
	interpreter_reset(shell);
	training_reset(shell, again);
	if (why)
		fail(status, "%s", why);
	mem_free(why);
	return status;
}

enum status shell_reset(struct shell *shell)
{
	return shell_empty(shell, false);
}

enum status shell_reset_again(struct shell *shell)
{
	return shell_empty(shell, true);
}

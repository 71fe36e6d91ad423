/* open.c -- a session opened, closed and emptied */
#include "shell/training/open.h"
#include "shell/language/run/interpreter.h"
#include "shell/training/training.h"

enum status shell_open(struct shell *shell, struct plane *plane, int n, bool dry, const char *machine)
{
	enum status status = session_open(shell, plane, n, dry, machine);
	return status == ST_OK ? interpreter_create(&shell->interpreter) : status;
}

void shell_close(struct shell *shell)
{
	training_free(shell);
	interpreter_free(shell->interpreter);
	session_close(shell);
}

enum status shell_reset(struct shell *shell)
{
	struct plan plan = {0};
	enum status status = training_keep(shell, &plan);
	if (status == ST_OK)
		status = session_reset(shell);
	if (status != ST_OK) {
		plan_release(&plan);
		return status;
	}
	/* the same interpreter: its lines may be running (`reset`, `undo`) */
	interpreter_reset(shell, session_names_before(shell));
	training_reset(shell, &plan);
	if (shell->depth == 0)
		session_forget(shell);
	return ST_OK;
}

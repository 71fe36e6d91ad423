/* open.c -- opens, closes and empties a session; sessions beside the learner's
 *
 *     learner's shell   budget  [ steps left ] --more()--> credit: all processes, Ctrl-C
 *                                  ^   lends its steps, takes back the rest
 *     scratch shell     budget  [ steps left ] --more()--'
 *
 * Scratch work counts in the steps that all processes agree on, so that a replay stops at the same
 * place. */
#include "shell/training/open.h"
#include "base/memory.h"
#include "shell/language/run/interpreter.h"
#include "shell/language/run/state.h"
#include "shell/session/lasting.h"
#include "shell/training/training.h"
#include "shell/values/prints.h"

#include <stdio.h>

/* The backend's hook. Operations other than OP_SYNC are `noted` ones, which have written a
 * loss. */
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
	prints_release(shell);
	session_close(shell);
}

/* again: with the plan that this world began with */
static enum status shell_empty(struct shell *shell, bool again)
{
	training_stop(shell);
	prints_release(shell);
	enum status status = session_reset(shell);
	/* the resets below may overwrite the failure's text */
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

/* ---- beside the learner's ---- */

static bool scratch_more(struct budget *budget)
{
	struct shell *of = budget->self;
	struct budget *outer = &of->budget;
	outer->steps = budget->steps;
	bool go_on = !outer->more || outer->more(outer);
	budget->steps = outer->steps;
	return go_on;
}

static bool scratch_waits(struct budget *budget)
{
	struct shell *of = budget->self;
	return of->budget.waits(&of->budget);
}

enum status scratch_open(struct shell *scratch, struct shell *of, struct transport *t, int n, bool dry)
{
	*scratch = (struct shell){0};
	enum status status = shell_open(scratch, t, n, dry, "classroom");
	if (status != ST_OK)
		return status;
	scratch->interpreter->guesses = dry;
	scratch->lasting.machine = of->lasting.machine;
	status = machine_set(
	        &scratch->lasting.machine, "memory", (struct number){(double)((int64_t)1 << 44), UNIT_BYTES});
	if (status == ST_OK)
		status = shell_reset(scratch);
	scratch->budget = (struct budget){.steps = of->budget.steps,
	        .more = of->budget.more ? scratch_more : NULL,
	        .waits = of->budget.waits ? scratch_waits : NULL,
	        .self = of};
	shell_replaying(scratch, 1);
	return status;
}

void scratch_as(struct shell *scratch, const struct lasting *lasting, const struct plan *plan)
{
	scratch->interpreter->guesses = false;
	lasting_take(scratch, lasting);
	scratch->lasting.pace = 0;
	scratch->lasting.explain = scratch->lasting.strip = false;
	if (plan)
		plan_copy(plan, &scratch->training->at_reset);
}

/* budget.self is not set if scratch_open failed early. */
void scratch_pause(struct shell *scratch, struct shell *of)
{
	if (scratch->budget.self == of)
		of->budget.steps = scratch->budget.steps;
}

void scratch_resume(struct shell *scratch, struct shell *of)
{
	if (scratch->budget.self == of)
		scratch->budget.steps = of->budget.steps;
}

void scratch_close(struct shell *scratch, struct shell *of)
{
	scratch_pause(scratch, of);
	shell_read_files(of, text_string(&scratch->line.outside));
	shell_close(scratch);
}

enum status scratch_over(struct shell *scratch, struct shell *of, enum status status)
{
	char words[1000];
	snprintf(words, sizeof words, "%s", fail_text());
	scratch_resume(scratch, of);
	if (scratch->world)
		scratch_close(scratch, of);
	return status == ST_OK ? ST_OK : fail(status, "%s", words);
}

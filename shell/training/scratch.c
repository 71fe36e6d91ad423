/* scratch.c -- sessions beside the learner's
 *
 *     learner's shell   budget  [ steps left ] --more()--> credit: all processes, Ctrl-C
 *                                  ^   lends what is left, takes back what is left
 *     scratch shell     budget  [ steps left ] --more()--'
 *
 * So work in the scratch session counts among the steps that all processes agree to have done, and a replay
 * is stopped at the same place. */
#include "shell/training/scratch.h"
#include "shell/training/open.h"

/* The budget of the scratch session is used up: that of the learner's, which it came from, is looked at. */
static bool more(struct budget *budget)
{
	struct scratch *scratch = budget->self;
	struct budget *outer = &scratch->of->budget;
	outer->steps = budget->steps;
	bool go_on = !outer->more || outer->more(outer);
	budget->steps = outer->steps;
	return go_on;
}

enum status scratch_open(struct scratch *scratch, struct shell *of, struct transport *t, int n, bool dry)
{
	*scratch = (struct scratch){.of = of};
	struct shell *shell = &scratch->shell;
	enum status status = shell_open(shell, t, n, dry, "classroom");
	if (status != ST_OK)
		return status;
	shell->machine = of->machine;
	status = machine_set(
	        &shell->machine, "memory", (struct number){(double)((int64_t)1 << 44), UNIT_BYTES});
	if (status == ST_OK)
		shell_reset(shell); /* a world of that machine */
	shell->budget = (struct budget){
	        .steps = of->budget.steps, .more = of->budget.more ? more : NULL, .self = scratch};
	shell_replaying(shell, 1);
	return status;
}

void scratch_close(struct scratch *scratch)
{
	if (scratch->shell.budget.self == scratch)
		scratch->of->budget.steps = scratch->shell.budget.steps;
	shell_close(&scratch->shell);
}

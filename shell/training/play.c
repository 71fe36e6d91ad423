/* play.c -- plays a program: steps and iterations */
#include "shell/language/run/player.h"
#include "shell/training/checkpoint.h"
#include "shell/training/transcript.h"
#include "shell/training/training.h"

#include <stdlib.h>
#include <string.h>

/* Refuses a program with a torn step, which can be neither repeated nor continued. */
static enum status play_begin(const struct shell *shell, struct training *t)
{
	t->began = t->played;
	enum status status =
	        player_runs(shell) ? fail(ST_ARGUMENT, "a program cannot run itself") : program_wanted(shell);
	if (status != ST_OK || !t->torn)
		return status;
	return fail(ST_ARGUMENT,
	        "%s was not finished: `step back` restores the world before it, `step 0` an empty one",
	        step_place(t).text);
}

void program_list(struct shell *shell)
{
	const struct training *t = shell->training;
	const struct program *p = t->now.program;
	size_t now = t->in_setup ? t->at : p->setup + t->at;
	for (size_t i = 0; i < p->steps; i++) {
		if (p->loops && (i == 0 || i == p->setup))
			out_say(shell->out, "%s%s%s\n",
			        STYLED(shell->out, COLOUR_HEAD,
			                i < p->setup ? "the setup" : "the iteration"));
		out_say(shell->out, "%s %3zu  %s\n", i == now && !t->ended ? " >" : "  ",
		        i < p->setup ? i + 1 : i - p->setup + 1, p->step[i].title);
	}
	if (p->guessed)
		out_say(shell->out, "   the steps depend on data: there may be others\n");
	if (t->ended)
		out_say(shell->out, "   the program is at its end\n");
}

/* Of the lines "EXPR: why" whose condition holds, appends "why; why". what: the head's word */
static enum status program_lines_holding(
        struct shell *shell, const struct text *lines, const char *what, struct text *out)
{
	const struct training *t = shell->training;
	const struct program *p = t->now.program;
	FOR_LINES (line, text_string(lines), t->player ? lines->count : 0) {
		struct text when = {0};
		bool holds = false;
		size_t colon = strcspn(line.at, ":"), why = colon + 1 + strspn(line.at + colon + 1, " ");
		why = why < line.length ? why : 0; /* without a reason the condition is shown */
		text_put(&when, line.at, colon);
		enum status status = player_holds(t->player, text_string(&when), &holds);
		if (status != ST_OK)
			status = fail_in(status, "%s: # %s %s", p->name, what, text_string(&when));
		if (holds)
			text_add(out, "%s%.*s", out->count ? "; " : "", (int)(line.length - why),
			        line.at + why);
		text_release(&when);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

void program_parts(const struct shell *shell, int *parts)
{
	const struct training *t = shell->training;
	struct text count = {0}, value = {0};
	if (t->player && t->now.program->parts.count) {
		const char *line = text_string(&t->now.program->parts);
		text_put(&count, line, strcspn(line, ":"));
		player_variable(t->player, text_string(&count), &value);
		*parts = atoi(text_string(&value));
	}
	text_release(&count);
	text_release(&value);
}

enum status program_loses(struct shell *shell, struct text *out)
{
	const struct program *program = shell->training->now.program;
	enum status status = program_lines_holding(shell, &program->loses, "loses", out);
	return status == ST_OK ? program_lines_holding(shell, &program->resumed, "loses", out) : status;
}

enum status program_inside(struct shell *shell)
{
	bool said = transcript_say_lines(shell, shell->training->transcript);
	return said ? ST_OK : fail(ST_ARGUMENT, "`step in` shows the last step: `step` first");
}

/* Moves to the position after a step that stopped at `stop`:
 *
 *     STEP    ... at+1 of the same          SETUP   step 0 of iteration 0
 *     ROUND   step 0 of the next iteration  END     a script without a loop has ended
 *
 * `round` is the length of a complete iteration, which is better than the walk's count if the
 * steps depend on data. */
static void training_move_on(struct training *t, enum player_stop stop)
{
	t->played++;
	t->at++;
	if (stop == PLAYER_SETUP) {
		t->in_setup = false;
		t->at = 0;
	} else if (stop == PLAYER_ROUND) {
		t->round = t->at;
		t->in_setup = false;
		t->at = 0;
		t->iteration++;
	}
	t->ended = stop == PLAYER_END;
}

/* If the checkpoint cannot be written, training continues, and a script fails at its end. */
static enum status play_checkpoint(struct shell *shell, const struct training *t)
{
	if (!t->now.checkpoint.every || t->iteration % t->now.checkpoint.every)
		return ST_OK;
	enum status status = checkpoint_save(
	        shell, t->now.checkpoint.prefix, t->now.checkpoint.every, t->now.checkpoint.force);
	if (status != ST_FILE)
		return status;
	enum severity before = out_severity(shell->out, SEVERITY_ERROR);
	out_say(shell->out, "   no checkpoint after iteration %d: %s\n", t->iteration, fail_text());
	out_severity(shell->out, before);
	shell->expect.failed++;
	return ST_OK;
}

static enum status play_step(struct shell *shell, struct training *t, bool head, bool lines)
{
	struct showing show = {.shell = shell,
	        .t = t,
	        .head = head,
	        .lines = lines,
	        .echoes = lines && program_is_script(t->now.program) && !t->now.program->loops};
	enum player_stop stop = PLAYER_STEP;
	if (lines)
		transcript_begin(t->transcript);
	typed_note(shell);
	showing_watch(&show);
	if (t->now.program->loops && !t->in_setup && t->at == 0)
		world_iteration_begin(shell->world, t->iteration);
	shell->steering.steps++;
	enum status status = player_go(t->player, &stop);
	shell->steering.steps--;
	if (status == ST_OK)
		status = shell_advance(shell);
	if (status == ST_OK)
		showing_end(&show);
	showing_release(&show);
	if (status == ST_OK) {
		training_move_on(t, stop);
		if (stop == PLAYER_ROUND) {
			world_iteration_end(shell->world);
			curves_iteration(shell);
		}
		return stop == PLAYER_ROUND ? play_checkpoint(shell, t) : ST_OK;
	}
	t->torn = true;
	if (status != ST_INTERRUPTED && status != ST_QUIT) {
		const struct program_step *ahead = step_ahead(t);
		const char *title = ahead ? ahead->title : "";
		status = fail_in(status, "%s%s%s", step_place(t).text, *title ? ", " : "", title);
	}
	return status;
}

/* Plays nothing at a replay's limit; the journal keeps the steps done. */
static enum status play_next_step(struct shell *shell, struct training *t, bool head, bool lines)
{
	t->cut = t->limit >= 0 && t->played >= t->limit;
	if (t->cut)
		return ST_OK;
	if (t->ended)
		return fail(ST_RANGE, "the program has ended; `step 0` goes to its start");
	return play_step(shell, t, head, lines);
}

enum status program_steps(struct shell *shell, long steps, bool show)
{
	struct training *t = shell->training;
	enum status status = play_begin(shell, t);
	for (long i = 0; i < steps && status == ST_OK && !t->cut && (i == 0 || !t->ended); i++)
		status = play_next_step(shell, t, show, show && (steps <= 3 || i + 1 == steps));
	return status;
}

/* Reading a loss waits for it. Ranks at their own pace must not wait, so only their last loss is
 * read. */
static enum status play_report_loss(struct shell *shell, const struct training *t, bool at_end)
{
	struct text pace = {0};
	enum status status = program_lines_holding(shell, &t->now.program->own_pace, "own pace", &pace);
	if (status == ST_OK && (at_end || !pace.count))
		status = state_iteration(shell, at_end);
	text_release(&pace);
	return status;
}

/* Does not ask a GPU, which may not answer any more. */
static enum status play_interrupted(struct shell *shell, const struct training *t)
{
	if (!t->now.program->loops || t->in_setup)
		return ST_INTERRUPTED;
	enum status status = shell->backend->measures ? ST_OK : curves_gather(shell);
	const struct curves *curves = &t->curves;
	const struct curve *curve = curves->open ? &curves->curve[curves->count - 1] : NULL;
	if (status != ST_OK)
		return status;
	if (!curve || !curve->count)
		return fail(ST_INTERRUPTED, "interrupted in iteration %d", t->iteration + 1);
	return fail(ST_INTERRUPTED, "interrupted in iteration %d; the last loss is %.6g", t->iteration + 1,
	        curve->point[curve->count - 1].value);
}

enum status program_iterations(struct shell *shell, long iterations, bool progress)
{
	struct training *t = shell->training;
	enum status status = play_begin(shell, t);
	long every = iterations <= 10 ? 1 : (iterations + 9) / 10;
	for (long i = 1; i <= iterations && status == ST_OK && !t->cut; i++) {
		int iteration = t->iteration;
		do
			status = play_next_step(shell, t, false, false);
		while (status == ST_OK && !t->cut && !t->ended && t->iteration == iteration);
		if (status == ST_OK && !t->cut && progress && t->now.program->loops &&
		        (i % every == 0 || i == iterations))
			status = play_report_loss(shell, t, i == iterations);
	}
	if (status == ST_INTERRUPTED && progress)
		return play_interrupted(shell, t);
	return status == ST_OK && progress ? curves_gather(shell) : status;
}

/* lesson_check.c -- is a task solved? `check`, `predict`, and `--check-lessons`, which asks it of each task without a person
 *
 * The check is lines of the language, run where the learner's world stands: an `expect` that is false names
 * what is missing, by the comment behind it. Checks only look, so a learner may check as often as he likes. */
#include "shell/language/run/command.h"
#include "shell/language/run/interpreter.h"
#include "shell/lessons/inside.h"
#include "shell/session/learned.h"

#include <string.h>

/* Runs the check's lines one by one, up to the first that does not hold; *passed when each held. A failure of
 * the session itself (Ctrl-C, a rank that is gone) is no answer and goes on to the caller. The books stay as they were: `expect` only
 * looks. A line that cannot be answered (a tensor that the learner has not made) does not hold either. */
static enum status run_check(struct shell *shell, bool *passed)
{
	const struct text *check = &lesson_task_of(shell)->part[PART_CHECK];
	const char *at = text_string(check), *end = at + check->count, *line;
	int failed_before = shell->expects_failed;
	size_t length;

	*passed = true;
	while (*passed && (line = text_line(&at, end, &length))) {
		enum status status = interpreter_run(shell, line, length, NULL, 1);
		if (status == ST_INTERRUPTED || status == ST_MEMORY || status == ST_MPI || status == ST_BUG)
			return status;
		if (status != ST_OK || shell->expects_failed > failed_before) {
			*passed = false;
			/* the comment behind the `expect` tells the learner why */
			const char *hash = memmem(line, length, "  # ", 4);
			if (hash)
				learned_wrong(shell, hash + 4, length - (size_t)(hash - line) - 4);
			else
				learned_wrong(shell, line, length);
			if (hash)
				out_say(shell->out, "   %s%.*s%s\n",
				        STYLED(shell->out, COLOUR_BAD, (int)(length - (hash - line) - 4),
				                hash + 4));
			if (status != ST_OK && status != ST_EXPECT)
				out_say(shell->out, "   (%s)\n", fail_text());
		}
	}
	shell->expects_failed = failed_before;
	return ST_OK;
}

enum status lesson_check(struct call *call)
{
	struct shell *shell = call->shell;
	bool passed = false;
	enum status status = lesson_current(shell) ? run_check(shell, &passed) : ST_ARGUMENT;
	if (status == ST_OK)
		status = learned_time(shell);
	if (status != ST_OK)
		return status;
	lesson_note(shell, "check", passed ? "right" : NULL);
	if (!passed) {
		out_say(shell->out,
		        "   %s%s%s   `undo` takes a line back; timeline shows where it stands; hint "
		        "helps\n",
		        STYLED(shell->out, COLOUR_BAD, "not yet"));
		return ST_OK;
	}
	bool last = shell->lesson->task + 1 == shell->lesson->file.tasks;
	out_say(shell->out, "   %s%s%s   %s\n", STYLED(shell->out, COLOUR_GOOD, "right"),
	        last ? "that was the last task; `lessons` lists the others" : "`next` goes on");
	return ST_OK;
}

/* The answer and the right figure are both expressions, compared in the world as it is: nothing is
 * revealed but whether it is within a tenth. */
enum status lesson_predict(struct shell *shell, const char *answer)
{
	const struct lesson_task *task = lesson_current(shell);
	struct text line = {0};
	if (!task)
		return ST_ARGUMENT;
	if (!task->part[PART_ANSWER].count)
		return fail(ST_ARGUMENT, "this task asks for no prediction");
	int failed_before = shell->expects_failed;
	/* within a tenth of the right figure, by the same expressions that everybody uses */
	text_add(&line, "expect abs((%s) - (%s)) <= 10%% * abs(%s)", answer,
	        text_string(&task->part[PART_ANSWER]), text_string(&task->part[PART_ANSWER]));
	out_mute(shell->out, 1);
	enum status status = interpreter_run(shell, text_string(&line), line.count, NULL, 1);
	out_mute(shell->out, -1);
	bool right = status == ST_OK && shell->expects_failed == failed_before;
	shell->expects_failed = failed_before;
	text_release(&line);
	if (status != ST_OK && status != ST_EXPECT)
		return fail_in(status, "predict %s", answer);
	lesson_note(shell, "predict", right ? "right" : answer);
	bool bare = !answer[strspn(answer, "0123456789.")];
	out_say(shell->out, "   %s%s%s\n",
	        STYLED(shell->out, right ? COLOUR_GOOD : COLOUR_BAD,
	                right ? "right, within a tenth"
	                        : bare
	                        ? "not within a tenth; a time has its unit, as 60us or 2ms: guess again"
	                        : "not within a tenth: run it, look at the timeline, and guess again"));
	return ST_OK;
}

/* ---- without a person */

/* Starter lines, then `lines`, then the check: does it hold? A line that fails to run counts as a check that
 * fails. */
static enum status attempt(struct shell *shell, const struct text *lines, bool *passed)
{
	enum status status = lesson_begin_task(shell);
	if (status == ST_OK && lines)
		status = lesson_run(shell, lines, "the attempt");
	return status == ST_OK ? run_check(shell, passed) : status;
}

/* Each attempt begins in an empty world of its own. A task holds when its starter fails the check, its solution passes, and everything offered as wrong
 * fails. */
static bool hold_task(struct shell *shell)
{
	const struct lesson_task *task = lesson_task_of(shell);
	bool starter = true, solution = false;
	out_mute(shell->out, 1); /* what a check says is for learners */
	enum status status = attempt(shell, NULL, &starter);
	if (status == ST_OK)
		status = attempt(shell, &task->part[PART_SOLUTION], &solution);
	bool holds = status == ST_OK && !starter && solution;
	for (int i = 0; i < task->wrongs && holds; i++) {
		bool passed = true;
		if (attempt(shell, &task->part[PART_WRONG + i], &passed) == ST_OK)
			holds = !passed;
	}
	out_mute(shell->out, -1);
	out_say(shell->out, "%s lesson %d task %d   %s%s%s\n", holds ? "ok" : "FAIL", shell->lesson->number,
	        shell->lesson->task + 1, text_string(&task->part[PART_TITLE]),
	        status != ST_OK     ? ": "
	                : starter   ? ": the starter passes"
	                : !solution ? ": the solution fails"
	                : holds     ? ""
	                            : ": a wrong one passes",
	        status != ST_OK ? fail_text() : "");
	return holds;
}

enum status lesson_check_all(struct shell *shell, int *failed)
{
	enum status status = ST_OK;
	*failed = 0;
	for (int number = 1; status == ST_OK && lesson_embedded(number); number++) {
		struct lesson *lesson = NULL;
		status = lesson_load(number, &lesson);
		if (status != ST_OK)
			break;
		lesson_free(shell);
		shell->lesson = lesson;
		if (lesson_file_fits(&lesson->file, number, shell->world->n) != ST_OK) {
			out_say(shell->out, "skipped %s\n", fail_text());
			continue;
		}
		for (lesson->task = 0; lesson->task < lesson->file.tasks; lesson->task++)
			*failed += !hold_task(shell);
	}
	lesson_free(shell);
	return status;
}

/* hold.c -- `--check-lessons`: tests lessons against what they promise
 *
 *     the solution, each `#: right`     pass in every variant
 *     the starter, each `#: wrong`      fail; a wrong attempt must run
 *     each gate                         is the first failure for one of them: it is needed
 *     each `#: naive`                   takes at least 15 % longer than the solution
 *     cheats (cheats.c)                 fail
 *     predictions, questions            have answers; choices are 15 % apart */
#include "shell/course/lessons/open_lesson.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double APART = 1.15;

struct held_task {
	struct trials trials;
	bool first[GATES_MAX]; /* by gate: it was the first failure */
	bool wrong;            /* the lesson's own lines fail; nothing else is tested */
	struct text out;       /* failures, one a line */
};

static void complain(struct held_task *holding, const char *what, const char *is)
{
	text_add(&holding->out, "     %s %s, on %d ranks\n", what, is, holding->trials.n);
}

static enum status complain_failed(struct held_task *holding, const char *what, enum status status)
{
	if (status != ST_ARGUMENT && status != ST_SYNTAX)
		return status;
	complain(holding, what, fail_text());
	return ST_OK;
}

static void put_why(const struct task_verdict *verdict, struct text *out)
{
	if (*verdict->variant.label)
		text_add(out, " with %s", verdict->variant.label);
	if (verdict->gate >= 0) {
		const struct gate *gate = &verdict->gates.gate[verdict->gate];
		text_add(out, " at `%s`", text_string(&gate->line));
		if (gate->words.count)
			text_add(out, ": %s", text_string(&gate->words));
	} else {
		text_add(out, ": %s",
		        verdict->outcome == PLAYED_OVER ? "it does not end" : text_string(&verdict->words));
	}
}

/* passes: the lines must pass, or else fail; runs: they must not be refused */
static enum status hold_lines(
        struct held_task *holding, const char *what, const char *lines, bool passes, bool runs)
{
	struct task_verdict verdict = {0};
	struct task_lines typed = {0};
	struct text is = {0};
	if (*lines)
		typed_text(&typed, lines);
	enum status status = trials_run(&holding->trials, &typed, &verdict);
	if (status == ST_SYNTAX) {
		holding->wrong = true;
		text_add(&holding->out, "     %s\n", fail_text());
	} else if (status == ST_OK && passes && !verdict.right) {
		text_add(&is, "fails");
		put_why(&verdict, &is);
		complain(holding, what, text_string(&is));
	} else if (status == ST_OK && !passes && verdict.right) {
		complain(holding, what, "passes");
	} else if (status == ST_OK && runs && verdict.outcome == PLAYED_REFUSED) {
		text_add(&is, "does not run: %s", text_string(&verdict.words));
		complain(holding, what, text_string(&is));
	}
	if (status == ST_OK && !passes && verdict.gate >= 0)
		holding->first[verdict.gate] = true;
	verdict_release(&verdict);
	typed_release(&typed);
	text_release(&is);
	return status == ST_SYNTAX ? ST_OK : status;
}

static enum status hold_naive(
        struct held_task *holding, const struct lesson_attempt *attempt, const char *what)
{
	struct number naive = {0}, best = {0};
	struct trials *trials = &holding->trials;
	struct text is = {0};
	enum status status =
	        trial_figure(trials->task, trials->n, &attempt->lines, "time", trials->of, &naive);
	if (status == ST_OK)
		status = trial_figure(trials->task, trials->n, NULL, "time", trials->of, &best);
	if (status == ST_OK && naive.value < APART * best.value) {
		number_text(naive, &is);
		text_add(&is, " is not 15 %% more than the solution's ");
		number_text(best, &is);
		complain(holding, what, text_string(&is));
	} else if (status == ST_ARGUMENT) {
		complain(holding, what, fail_text());
		status = ST_OK;
	}
	text_release(&is);
	return status == ST_SYNTAX ? ST_OK : status; /* reported by hold_lines */
}

static enum status hold_attempts(struct held_task *holding)
{
	const struct lesson_task *task = holding->trials.task;
	char what[64];
	enum status status = ST_OK;
	for (size_t i = 0; i < task->attempts && status == ST_OK; i++) {
		const struct lesson_attempt *attempt = &task->attempt[i];
		bool right = attempt->kind == ATTEMPT_RIGHT;
		if (attempt->kind == ATTEMPT_CHOICE)
			continue;
		snprintf(what, sizeof what, "the %s attempt of line %d", right ? "right" : "wrong",
		        attempt->line);
		status = hold_lines(holding, what, text_string(&attempt->lines), right, !right);
		if (status == ST_OK && attempt->kind == ATTEMPT_NAIVE)
			status = hold_naive(holding, attempt, what);
	}
	return status;
}

/* A reference may not make the compared tensor: it would be compared with itself. */
static void hold_names(struct held_task *holding)
{
	const struct kept_world *beside = &holding->trials.known[0].beside;
	struct text names = {0};
	gates_compared(&holding->trials.task->part[PART_CHECK], &names);
	for (const char *at = text_string(&names); *at; at += strcspn(at, " ") + 1) {
		char name[64];
		snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
		const struct kept_tensor *kept = beside->rank ? kept_find(&beside->rank[0], name) : NULL;
		if (kept && !kept->starters)
			complain(
			        holding, name, "is what the check compares, and the reference makes it, too");
	}
	text_release(&names);
}

static enum status hold_cheats(struct held_task *holding)
{
	struct cheats cheats = {0};
	enum status status =
	        cheats_make(&cheats, holding->trials.task, holding->trials.n, holding->trials.of);
	for (size_t i = 0; i < cheats.count && status == ST_OK; i++)
		status = hold_lines(holding, text_string(&cheats.cheat[i].what),
		        text_string(&cheats.cheat[i].lines), false, false);
	cheats_release(&cheats);
	return status;
}

static enum status hold_answer(struct held_task *holding, int part)
{
	const struct trials *trials = &holding->trials;
	const char *what = text_string(&trials->task->part[part + 1]);
	struct number figure;
	if (!trials->task->at[part] || *what == '"')
		return ST_OK;
	return complain_failed(holding, part == PART_ASK ? "the question's answer" : "the prediction",
	        trial_figure(trials->task, trials->n, NULL, what, trials->of, &figure));
}

static enum status hold_choices(struct held_task *holding)
{
	const struct trials *trials = &holding->trials;
	struct offered choice[OFFERED_MAX];
	int count;
	enum status status = trial_choices(trials->task, trials->n, trials->of, choice, &count);
	for (int i = 1; i < count && (status == ST_OK || i < count - 1); i++)
		for (int k = 0; k < i; k++) {
			double a = fmax(choice[k].figure.value, choice[i].figure.value),
			       b = fmin(choice[k].figure.value, choice[i].figure.value);
			if (a < APART * b || a == 0)
				complain(holding, text_string(&choice[i].of->words),
				        "is a choice less than 15 % from another");
		}
	return complain_failed(holding, "a choice", status);
}

static enum status hold_on(struct held_task *holding, const struct lesson_task *task, int n, struct shell *of)
{
	trials_open(&holding->trials, task, n, of);
	memset(holding->first, 0, sizeof holding->first);
	size_t before = holding->out.count;
	enum status status =
	        hold_lines(holding, "the solution", text_string(&task->part[PART_SOLUTION]), true, true);
	if (status != ST_OK || holding->wrong) {
		trials_close(&holding->trials);
		return status;
	}
	status = hold_lines(holding, "the starter alone", "", false, false);
	if (status == ST_OK && holding->out.count == before)
		status = hold_attempts(holding);
	if (status == ST_OK && holding->out.count == before) {
		status = hold_cheats(holding);
		hold_names(holding);
		struct gates gates = {0};
		gates_read(&gates, &holding->trials.task->part[PART_CHECK]);
		for (size_t i = 0; i < gates.count; i++)
			if (!holding->first[i])
				complain(holding, text_string(&gates.gate[i].line),
				        "is never the first gate to fail: a `#: wrong` for it is missing");
		gates_release(&gates);
	}
	if (status == ST_OK)
		status = hold_answer(holding, PART_PREDICT);
	if (status == ST_OK && task->at[PART_PREDICT])
		status = hold_choices(holding);
	if (status == ST_OK)
		status = hold_answer(holding, PART_ASK);
	trials_close(&holding->trials);
	return status;
}

/* Fills `count`: n, if given; else the header's numbers of ranks, or a minimum and its double, or
 * 4. */
static int counts_of(const struct lesson_file *file, int n, int count[COUNTS_MAX])
{
	memcpy(count, file->count, sizeof file->count);
	if (!n && file->counts > 1)
		return file->counts;
	if (!n && file->counts == 1) {
		count[1] = 2 * count[0];
		return 2;
	}
	count[0] = n ? n : 4;
	return 1;
}

static enum status hold_task(struct shell *shell, int n, int *failed)
{
	struct lesson *lesson = shell->course.lesson;
	const struct lesson_task *task = lesson_task_of(shell);
	struct held_task holding = {0};
	int count[COUNTS_MAX], counts = counts_of(&lesson->file, n, count);
	enum status status = ST_OK;
	for (int i = 0; i < counts && status == ST_OK && !holding.wrong; i++)
		status = hold_on(&holding, task, count[i], shell);
	if (status == ST_OK)
		out_say(shell->out, "%s %s task %d   %s\n%s", holding.out.count ? "FAIL" : "ok",
		        lesson->title, lesson->task + 1, text_string(&task->part[PART_TITLE]),
		        text_string(&holding.out));
	*failed += holding.out.count != 0;
	text_release(&holding.out);
	return status;
}

static enum status hold_lesson(struct shell *shell, int n, int *failed)
{
	struct lesson *lesson = shell->course.lesson;
	enum status status = ST_OK;
	if (n && lesson_file_fits(&lesson->file, lesson->title, n) != ST_OK) {
		out_say(shell->out, "skipped %s\n", fail_text());
		return ST_OK;
	}
	for (lesson->task = 0; lesson->task < lesson->file.tasks && status == ST_OK; lesson->task++)
		status = hold_task(shell, n, failed);
	return status;
}

static enum status hold_loaded(
        struct shell *shell, int number, const char *path, int n, int *failed, bool *none)
{
	struct lesson *lesson = NULL;
	enum status status = lesson_load(shell, number, path, &lesson);
	*none = status == ST_NAME;
	if (status == ST_NAME)
		return ST_OK;
	if (status != ST_OK) {
		++*failed;
		out_say(shell->out, "FAIL %s\n", fail_text());
		return status == ST_SYNTAX || status == ST_FILE ? ST_OK : status;
	}
	lesson_free(shell);
	shell->course.lesson = lesson;
	status = hold_lesson(shell, n, failed);
	lesson_free(shell);
	return status;
}

enum status lesson_hold_all(struct shell *shell, const char *path, int n, int *failed)
{
	enum status status = ST_OK;
	bool none = false;
	*failed = 0;
	if (path)
		return hold_loaded(shell, -1, path, n, failed, &none);
	for (int number = 1; status == ST_OK && !none; number++)
		status = hold_loaded(shell, number, NULL, n, failed, &none);
	return status;
}

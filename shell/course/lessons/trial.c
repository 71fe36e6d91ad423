/* trial.c -- one variant after the other, until one fails */
#include "shell/course/lessons/played.h"
#include "base/arithmetic.h"
#include "shell/sandbox/sandbox.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MEMORY_LEAST = 64 << 20 }; /* always allowed */
static const uint64_t SALT = 7001;

static int make_variants(const struct lesson_task *task, int n, struct variation *variant)
{
	int count = 0;
	uint64_t salt = strstr(text_string(&task->part[PART_START]), "rand") ? SALT : 0;
	variant[count++] = (struct variation){.n = n};
	if (salt)
		variant[count++] = (struct variation){.label = "other data", .n = n, .salt = salt};
	for (int i = 0; i < task->varies; i++) {
		const struct lesson_varied *varied = &task->varied[i];
		int seen = lesson_number_of(task, varied->name);
		int value[2] = {varied->from, varied->to == seen ? varied->to - 1 : varied->to};
		for (int k = 0; k < 2; k++) {
			struct variation *made = &variant[count];
			if (value[k] == seen || value[k] < varied->from || (k && value[1] == value[0]))
				continue;
			*made = (struct variation){.n = n, .salt = salt};
			snprintf(made->label, sizeof made->label, "%s = %d", varied->name, value[k]);
			snprintf(made->argument, sizeof made->argument, "%s=%d", varied->name, value[k]);
			count++;
		}
	}
	for (int i = 0; i < task->counts; i++) {
		if (task->count[i] == n)
			continue;
		struct variation *made = &variant[count++];
		*made = (struct variation){.n = task->count[i], .salt = salt};
		snprintf(made->label, sizeof made->label, "%d ranks", made->n);
	}
	return count;
}

/* Lines of the lesson itself must run to their end. */
static enum status play_own(struct task_play *played, const char *what, const struct text *text,
        const struct variation *variant, struct shell *of)
{
	struct task_lines lines = {0};
	typed_text(&lines, text_string(text));
	played->lines = &lines;
	played->steps_most = SEALED_STEPS_OWN;
	enum status status = played_run(played, variant, of);
	if (status == ST_OK && played->outcome != PLAYED_TO_END)
		status = fail(ST_SYNTAX, "the lesson is wrong: the %s of the task '%s' does not run: %s",
		        what, text_string(&played->task->part[PART_TITLE]),
		        played->outcome == PLAYED_OVER ? "it does not end" : text_string(&played->words));
	typed_release(&lines);
	return status;
}

/* Plays variant i's solution once: steps, memory and figures do not depend on the data. */
static enum status solution_know(struct trials *trials, int i)
{
	const struct lesson_task *task = trials->task;
	const struct variation *variant = &trials->variant[i];
	struct known *known = &trials->known[i];
	struct gates gates = {0};
	if (known->steps)
		return ST_OK;
	gates_read(&gates, &task->part[PART_CHECK]);
	known->best = bests_make(variant->n);
	struct task_play played = {.task = task, .gates = &gates, .best = known->best};
	enum status status = play_own(&played, "solution", &task->part[PART_SOLUTION], variant, trials->of);
	bests_keep(known->best, variant->n, false);
	known->steps = played.steps;
	known->memory = played.memory;
	played_release(&played);
	gates_release(&gates);
	return status;
}

static enum status reference_know(struct trials *trials, int i)
{
	const struct text *reference = &trials->task->part[PART_REFERENCE];
	struct kept_world *beside = &trials->known[i].beside;
	if (!reference->count || beside->rank)
		return ST_OK;
	struct task_play played = {.task = trials->task, .wants_tensors = true};
	enum status status = play_own(&played, "reference", reference, &trials->variant[i], trials->of);
	*beside = played.kept;
	played.kept = (struct kept_world){0};
	played_release(&played);
	return status;
}

/* The verdict keeps variant 0's result, until another variant fails. */
static enum status try_variant(
        struct trials *trials, int i, const struct task_lines *lines, struct task_verdict *verdict)
{
	const struct variation *variant = &trials->variant[i];
	/* if only the data differ, the figures are variant 0's */
	int timed_as = !*variant->argument && variant->n == trials->n ? 0 : i, broken = 0;
	const struct known *timed = &trials->known[timed_as];
	struct gates gates = {0};
	gates_read(&gates, &trials->task->part[PART_CHECK]);
	enum status status = solution_know(trials, timed_as);
	if (status == ST_OK)
		status = reference_know(trials, i);
	struct task_play played = {.task = trials->task,
	        .lines = lines,
	        .ruled = true,
	        .beside = &trials->known[i].beside,
	        .gates = &gates,
	        .all_gates = i == 0,
	        .best = timed->best,
	        .steps_most = most_of(timed->steps * SEALED_TIMES, SEALED_STEPS_LEAST),
	        .memory_most = most_of(timed->memory * SEALED_TIMES, MEMORY_LEAST)};
	if (status == ST_OK)
		status = played_run(&played, variant, trials->of);
	while (broken < (int)gates.count && (!gates.gate[broken].asked || gates.gate[broken].held))
		broken++;
	verdict->right = status == ST_OK && played.outcome == PLAYED_TO_END && broken == (int)gates.count;
	if (status == ST_OK && (!i || !verdict->right)) {
		gates_release(&verdict->gates);
		verdict->gate = broken < (int)gates.count ? broken : -1;
		verdict->gates = gates;
		gates = (struct gates){0};
		verdict->variant = *variant;
		verdict->outcome = played.outcome;
		verdict->line = played.line;
		text_add(&verdict->words, "%s", text_string(&played.words));
		text_add(&verdict->cause, "%s", text_string(&played.cause));
	}
	played_release(&played);
	gates_release(&gates);
	return status;
}

/* Returns the next place that has the digits as a whole word; NULL if none. */
static const char *next_number(const char *text, const char *at, const char *digits)
{
	size_t length = strlen(digits);
	for (; *at; at++)
		if (strncmp(at, digits, length) == 0 &&
		        (at == text || !(isalnum((unsigned char)at[-1]) || strchr("_.$", at[-1]))) &&
		        !isalnum((unsigned char)at[length]) && at[length] != '.' && at[length] != '_')
			return at;
	return NULL;
}

static void replace_number(const struct task_lines *lines, size_t which, const char *digits, const char *name,
        struct task_lines *out)
{
	for (size_t i = 0; i < lines->count; i++) {
		const char *text = lines->line[i].text, *from = text, *at;
		struct text put = {0};
		while (i == which && (at = next_number(text, from, digits))) {
			text_add(&put, "%.*s%s", (int)(at - from), from, name);
			from = at + strlen(digits);
		}
		text_add(&put, "%s", from);
		typed_add(out, text_string(&put), put.count, lines->line[i].line);
		text_release(&put);
	}
}

/* Adds "your line 3 has 8" if the lines pass with a name in place of that number. */
static enum status find_literal(
        struct trials *trials, int which, const struct task_lines *lines, struct text *out)
{
	const char *argument = trials->variant[which].argument;
	char name[64], digits[16];
	enum status status = ST_OK;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, "="), argument);
	if (!*name && trials->variant[which].n == trials->n)
		return ST_OK; /* only the data differ */
	snprintf(digits, sizeof digits, "%d", *name ? lesson_number_of(trials->task, name) : trials->n);
	for (size_t i = 0; lines && i < lines->count && status == ST_OK && !out->count; i++) {
		const char *text = lines->line[i].text, *at = next_number(text, text, digits);
		struct task_lines mended = {0};
		struct task_verdict verdict = {0};
		if (!at)
			continue;
		replace_number(lines, i, digits, *name ? name : "world", &mended);
		status = try_variant(trials, which, &mended, &verdict);
		int line = lines->line[i].line;
		for (const char *c = text; c < at; c++)
			line += *c == '\n';
		if (status == ST_OK && verdict.right)
			text_add(out, "your line %d has %s", line, digits);
		verdict_release(&verdict);
		typed_release(&mended);
	}
	return status;
}

void trials_open(struct trials *trials, const struct lesson_task *task, int n, struct shell *of)
{
	*trials = (struct trials){.task = task, .n = n, .of = of};
	trials->count = make_variants(task, n, trials->variant);
}

void trials_close(struct trials *trials)
{
	for (int i = 0; i < trials->count; i++) {
		bests_release(trials->known[i].best, trials->variant[i].n);
		kept_world_release(&trials->known[i].beside);
	}
}

enum status trials_run(struct trials *trials, const struct task_lines *lines, struct task_verdict *verdict)
{
	enum status status = ST_OK;
	*verdict = (struct task_verdict){.right = true, .gate = -1};
	for (int i = 0; i < trials->count && status == ST_OK && verdict->right; i++) {
		status = try_variant(trials, i, lines, verdict);
		if (i && verdict->right)
			text_add(&verdict->also, "%s%s",
			        i == 1                           ? ""
			                : i == trials->count - 1 ? " and "
			                                         : ", ",
			        trials->variant[i].label);
		else if (i && status == ST_OK)
			status = find_literal(trials, i, lines, &verdict->literal);
	}
	return status;
}

void verdict_release(struct task_verdict *verdict)
{
	gates_release(&verdict->gates);
	text_release(&verdict->words);
	text_release(&verdict->cause);
	text_release(&verdict->also);
	text_release(&verdict->literal);
}

enum status trial_figure(const struct lesson_task *task, int n, const struct text *lines, const char *what,
        struct shell *of, struct number *figure)
{
	struct variation variant = {.n = n};
	struct best *best = bests_make(n);
	struct number number;
	bool found = false;
	struct task_play played = {.task = task, .best = best, .figures = what};
	enum status status = play_own(&played, lines ? "attempt" : "solution",
	        lines ? lines : &task->part[PART_SOLUTION], &variant, of);
	for (int rank = 0; rank < n && status == ST_OK; rank++)
		if (best_find(&best[rank], what, strlen(what), rank, &number) &&
		        (!found || number.value > figure->value)) {
			*figure = number;
			found = true;
		}
	if (status == ST_OK && !found)
		status = fail(ST_ARGUMENT, "%s: its value is not known after the solution", what);
	played_release(&played);
	bests_release(best, n);
	return status;
}

enum status trial_choices(const struct lesson_task *task, int n, struct shell *of,
        struct offered choice[OFFERED_MAX], int *count)
{
	const char *what = text_string(&task->part[PART_ANSWER]);
	choice[0] = (struct offered){0};
	*count = 1;
	enum status status = trial_figure(task, n, NULL, what, of, &choice[0].figure);
	for (size_t i = 0; i < task->attempts && status == ST_OK; i++) {
		const struct lesson_attempt *attempt = &task->attempt[i];
		if (attempt->kind != ATTEMPT_CHOICE)
			continue;
		struct offered *made = &choice[(*count)++];
		*made = (struct offered){.of = attempt};
		status = trial_figure(task, n, &attempt->lines, what, of, &made->figure);
	}
	return status;
}

/* whatif.c -- whatif: the figures with another machine, another option, other ranks slow, or
 * without a line (replay/whatif.c)
 *
 * This file reads the line: a key is a figure of the machine, else an option of the `strategy` or
 * `model` lines. */
#include "shell/language/run/answer.h"
#include "shell/language/run/command.h"
#include "shell/session/changes.h"
#include "shell/session/device.h"
#include "shell/training/choose.h"
#include "shell/replay/replay.h"

#include <stdio.h>
#include <string.h>

/* "1.5x": a multiple of the current value */
static bool given_is_factor(const struct given *given)
{
	return given->digits && given->digits[strlen(given->digits) - 1] == 'x';
}

static enum status whatif_add_key(
        const struct machine *machine, struct changes *changes, const struct given *given)
{
	struct machine copy = *machine;
	struct key_change *change = &changes->key[changes->keys++];
	*change = (struct key_change){.key = machine_key_find(given->name),
	        .factor = given_is_factor(given),
	        .number = given->number};
	snprintf(change->name, sizeof change->name, "%s", given->name);
	if (given->word)
		return fail(ST_ARGUMENT, "whatif: '%s=%s': a number was expected, or a multiple: 2x",
		        given->name, given->word);
	struct number number = given->number;
	if (change->factor) {
		machine_key(change->key, NULL, &number.unit);
		number.value *= machine_value(&copy, change->key);
	}
	return machine_set(&copy, given->name, number);
}

static enum status whatif_read_key(struct call *call, int i, struct question *question)
{
	struct changes *changes = &question->changes;
	struct given *given = &question->given[changes->options];
	enum status status = call_key(call, i, given);
	if (status != ST_OK)
		return status;
	if (strcmp(given->name, "machine") == 0) {
		changes->other = true;
		changes->machine = call->shell->lasting.machine;
		return given->word
		        ? device_machine_shared(NULL, call->shell->transport, given->word, &changes->machine)
		        : fail(ST_ARGUMENT, "whatif: machine=NAME: `machine` lists them");
	}
	if (machine_key_find(given->name) >= 0)
		return whatif_add_key(
		        changes->other ? &changes->machine : &call->shell->lasting.machine, changes, given);
	if (given_is_factor(given)) { /* no such figure: fails with the nearest one */
		struct machine machine = call->shell->lasting.machine;
		return machine_set(&machine, given->name, given->number);
	}
	changes->option[changes->options++] = given;
	return ST_OK;
}

static enum status whatif_read_words(struct call *call, struct question *question)
{
	struct changes *changes = &question->changes;
	const char *word = call_argument_text(call, 0, 0);
	struct number factor;
	struct text line = {0};
	enum status status;
	if (!*word && call_count(call, 1) == 0)
		return ST_OK;
	if (!*word)
		return fail(ST_ARGUMENT,
		        "whatif needs KEY=VALUE, as link_rate=2x, `slow FACTOR` or `without \"LINE\"`");
	if (call_count(call, 1) == 0)
		return fail(ST_ARGUMENT, "write: %s",
		        *word == 's' ? "whatif @2 slow 1x" : "whatif without \"LINE\"");
	if (*word == 'w') {
		status = call_expression_text(call, 1, 0, COMMON, &line);
		status = status == ST_OK ? changes_without(changes, text_string(&line)) : status;
		text_release(&line);
		return status;
	}
	status = call_number(call, 1, 0, COMMON, &factor);
	if (status == ST_OK && !(factor.value >= 0.01 && factor.value <= 1000))
		status = fail(
		        ST_RANGE, "slow: the factor must be from 0.01x to 1000x (1x: as fast as the others)");
	changes->slowed = *call->set;
	changes->slow = status == ST_OK ? factor.value : 1;
	return status;
}

static enum status whatif_end(struct call *call, struct question *question, enum status status)
{
	struct shell *shell = call->shell;
	struct trace trace = {.world = shell->world, .backend = shell->backend, .budget = &shell->budget};
	struct text text = {0};
	if (status == ST_OK)
		status = shell_look(shell);
	if (status != ST_OK || !trace_says_nothing(&trace, question->changes.section, &text))
		return question_end(shell, question, status);
	question_free(question);
	return answer(call, &text, ST_OK);
}

static enum status whatif_run(struct call *call)
{
	struct shell *shell = call->shell;
	struct question *question = question_make(call, answer_whatif);
	const struct statement *line = call->statement;
	enum status status = ST_OK;
	if (!question)
		return ST_OK;
	question->changes.section = interpreter_section_now(shell);
	if (line->options > CHANGES_MOST)
		status = fail(ST_LIMIT, "whatif: at most %d changes", CHANGES_MOST);
	for (int i = 0; i < line->options && status == ST_OK; i++)
		status = whatif_read_key(call, i, question);
	if (status == ST_OK)
		status = whatif_read_words(call, question);
	return whatif_end(call, question, status);
}

static void sweep_follows(const char *name, struct text *out)
{
	if (!*name)
		choice_changes(out);
}

static void whatif_follows(const char *name, struct text *out)
{
	text_add(out, *name ? "" : "slow\nwithout\nmachine=\n");
	sweep_follows(name, out);
}

const struct command command_whatif = {
        .name = "whatif",
        .topic = "look",
        .usage = "whatif [KEY=VALUE|KEY=2x ...] | @RANKS whatif slow FACTOR | whatif without \"LINE\"",
        .help = "shows the section's figures as they are, and as they would be with one change: another "
                "number of the machine (or machine=NAME), another option in the `strategy` line, other "
                "slow ranks, or a line left out. The lines since the world was empty run again in a "
                "separate world without data. Alone it checks that an unchanged rerun gives the same times",
        .example = "stream io\nspin 2ms on io\nwait io on default\nspin 1ms\nsync\nwhatif launch=2x\n@0 "
                   "whatif slow 3x\nwhatif without \"wait io on default\"",
        .class = COMMAND_LOOK,
        .argument = {{ARG_WORD, ARG_OPTIONAL, "slow without", "slow|without"},
                {ARG_EXPRESSION, ARG_OPTIONAL, NULL, "FACTOR|\"LINE\""},
                {ARG_KEYS, ARG_OPTIONAL | ARG_MANY, NULL, "KEY=VALUE"}},
        .run = whatif_run,
        .follows = whatif_follows,
};

/* "64k:4M:x2", "1:8:1" (both ends count), "64k,256k,1M" */
static enum status sweep_read_values(const struct given *given, struct question *question)
{
	const char *typed = given->word ? given->word : given->digits ? given->digits : "", *at = typed;
	bool list = strchr(at, ',') != NULL, factor = false;
	double *value = question->value;
	int count = 0;
	while (count < SWEEP_MOST) {
		struct number number;
		int used;
		factor = factor || (!list && count == 2 && *at == 'x');
		at += !list && count == 2 && *at == 'x';
		if (number_read(at, &number, &used) != ST_OK)
			break;
		question->unit = list || !count ? number.unit : question->unit;
		value[count++] = number.value;
		at += used;
		if (*at != (list ? ',' : ':'))
			break;
		at++;
	}
	double from = value[0], to = value[1], step = value[2];
	bool rises = !list && count == 3 && to >= from && (factor ? step > 1 && from > 0 : step > 0);
	question->values = list ? count : 0;
	for (double v = from; rises && v <= to * (1 + 1e-12); v = factor ? v * step : v + step) {
		if (question->values == SWEEP_MOST)
			return fail(ST_LIMIT, "sweep: at most %d values", SWEEP_MOST);
		value[question->values++] = v;
	}
	if (*at || !question->values)
		return fail(ST_ARGUMENT,
		        "sweep: '%s=%s': values were expected, as 64k:4M:x2 (each twice the one before), "
		        "1:8:1 (steps of 1) or 1,2,8",
		        given->name, typed);
	return ST_OK;
}

static enum status sweep_run(struct call *call)
{
	struct shell *shell = call->shell;
	struct question *question = question_make(call, answer_sweep);
	if (!question)
		return ST_OK;
	struct changes *changes = &question->changes;
	struct given *given = &question->given[0];
	changes->section = interpreter_section_now(shell);
	enum status status = call->statement->options == 1
	        ? call_key(call, 0, given)
	        : fail(ST_ARGUMENT, "sweep takes one KEY=FROM:TO:STEP");
	if (status == ST_OK)
		status = sweep_read_values(given, question);
	for (int i = 0; i < question->values && status == ST_OK && machine_key_find(given->name) >= 0; i++) {
		given->number = (struct number){question->value[i], question->unit};
		given->word = given->digits = NULL;
		changes->keys = 0;
		status = whatif_add_key(&shell->lasting.machine, changes, given);
	}
	if (!changes->keys) {
		changes->option[0] = given;
		changes->options = 1;
	}
	return whatif_end(call, question, status);
}

const struct command command_sweep = {
        .name = "sweep",
        .topic = "look",
        .usage = "sweep KEY=FROM:TO:xFACTOR | KEY=FROM:TO:STEP | KEY=A,B,...",
        .help = "repeats `whatif` for each value of a machine's number, or of an option in the `strategy` "
                "or `model` line, and shows a table and a curve",
        .example = "spin 1ms\nsync\nsweep launch=5us:80us:x2",
        .class = COMMAND_LOOK,
        .argument = {{ARG_KEYS, 0, NULL, "KEY=FROM:TO:xFACTOR"}},
        .run = sweep_run,
        .follows = sweep_follows,
};

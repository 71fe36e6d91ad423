/* files.c -- a program's files (a model's, strategies'): run in a namespace of their own; their options,
 * and what they refuse */
#include "shell/language/parse/parse.h"
#include "shell/language/run/run.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the namespace ---- */

struct namespace *interpreter_program_new(struct shell *shell)
{
	struct namespace *space = mem_alloc(sizeof *space);
	space->born = ++shell->interpreter->serial;
	return space;
}

struct namespace *interpreter_program_set(struct interpreter *in, struct namespace *space)
{
	struct namespace *before = in->program;
	in->program = space;
	return before;
}

void interpreter_program_free(struct namespace *space)
{
	if (space)
		namespace_forget(space);
	mem_free(space);
}

void interpreter_exchange(struct interpreter *in, struct running *other)
{
	struct running now = {.frame = in->frame,
	        .scope = in->scope,
	        .loops = in->loops,
	        .tree = in->tree,
	        .blocks = in->blocks,
	        .flows = in->flows,
	        .calls = in->calls,
	        .runs = in->runs,
	        .sealed = in->sealed,
	        .closed = in->closed,
	        .fault_rank = in->fault_rank,
	        .located = in->located};
	in->frame = other->frame;
	in->scope = other->scope;
	in->loops = other->loops;
	in->tree = other->tree;
	in->blocks = other->blocks;
	in->calls = other->calls;
	in->runs = other->runs;
	in->sealed = other->sealed;
	in->flows = other->flows;
	in->closed = other->closed;
	in->fault_rank = other->fault_rank;
	in->located = other->located;
	*other = now;
}

/* ---- options ---- */

static const struct option_line *option_named(const struct tree *tree, const char *name)
{
	for (const struct statement *line = tree->block.first; line; line = line->next)
		if (line->kind == STATEMENT_OPTION && slice_is(line->given->name, name))
			return line->given;
	return NULL;
}

/* The nearest option of the file's lines, or all of them */
static enum status no_such_option(const char *what, const struct tree *tree, const char *name)
{
	struct text list = {0};
	for (const struct statement *line = tree->block.first; line; line = line->next)
		if (line->kind == STATEMENT_OPTION)
			text_add(&list, "%s%.*s", list.count ? " " : "", WHOLE(line->given->name));
	enum status status = option_unknown(
	        what, (struct slice_of_text){name, (uint32_t)strlen(name)}, text_string(&list), NULL);
	text_release(&list);
	return status;
}

/* Against what the option's line says: `of`, `least`, and the default, whose unit and wholeness are its
 * own */
static enum status given_fits(const char *what, const struct option_line *line, const struct given *given)
{
	char written[120];
	struct text text = {0};
	if (!given->word)
		value_exact(value_number(given->number.value, given->number.unit), &text);
	const char *value = given->word ? given->word : text_string(&text);
	snprintf(written, sizeof written, "%s=%s", given->name, value);
	size_t name = strlen(given->name) + 1, length = strlen(written);
	enum status status = ST_OK;
	const struct formula *standard = line->formula;
	bool number = standard && standard->kind == FORMULA_NUMBER, any = !standard || !number;
	if (line->words && !is_listed(line->words, written + name, written + length))
		status = none_of(what, slice_between(written, written + length),
		        slice_between(written + name, written + length), line->words);
	else if (number && given->word)
		status = fail(ST_ARGUMENT, "%s: %s: a number was expected, as in the default %.*s", what,
		        written, WHOLE(line->value));
	else if (line->has_least && !given->word && !(given->number.value >= line->least.value))
		status = fail(ST_RANGE, "%s: %s: at least %g was expected", what, written, line->least.value);
	else if (!any && given->number.unit != standard->number.unit &&
	        !(given->number.unit == UNIT_PLAIN &&
	                (standard->number.unit == UNIT_BYTES || given->number.value == 0)))
		status = fail(ST_UNIT, "%s: %s: %s was expected, as in the default %.*s", what, written,
		        unit_name(standard->number.unit), WHOLE(line->value));
	else if (!any && standard->number.unit != UNIT_TIME &&
	        floor(given->number.value) != given->number.value &&
	        !memchr(line->value.at, '.', line->value.length) &&
	        !memchr(line->value.at, '%', line->value.length))
		status = fail(ST_RANGE, "%s: %s: a whole number was expected, as in the default %.*s", what,
		        written, WHOLE(line->value));
	text_release(&text);
	return status;
}

enum status givens_fit(const char *what, const struct tree *tree, const struct given *given, int count)
{
	for (int i = 0; i < count; i++) {
		const struct option_line *line = option_named(tree, given[i].name);
		enum status status =
		        line ? given_fits(what, line, &given[i]) : no_such_option(what, tree, given[i].name);
		for (int k = 0; k < i && status == ST_OK; k++)
			if (strcmp(given[i].name, given[k].name) == 0)
				status = fail(ST_ARGUMENT, "%s: '%s' is given twice", what, given[i].name);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

/* NAME=VALUE of the command line, as an option's value */
const char *command_line_text(const struct shell *shell, struct slice_of_text name)
{
	for (int i = 0; i < shell->arguments; i++)
		if (strncmp(shell->argument[i], name.at, name.length) == 0 &&
		        shell->argument[i][name.length] == '=')
			return shell->argument[i] + name.length + 1;
	return NULL;
}

static struct value word_value(struct shell *shell, const char *word, size_t length)
{
	return (struct value){.kind = VALUE_TEXT, .name = names_make(shell->world->names, word, length)};
}

static struct value value_given(struct shell *shell, const struct given *given)
{
	return given->word ? word_value(shell, given->word, strlen(given->word))
	                   : value_number(given->number.value, given->number.unit);
}

/* A variable of this file's namespace, new, with one value on all ranks. ST_NAME: it is there already. */
static enum status make_variable(struct shell *shell, const char *text, size_t length, struct value value)
{
	struct interpreter *in = shell->interpreter;
	struct variable *variable;
	name_id name = names_make(shell->world->names, text, length);
	if (variable_find(in, name))
		return fail(ST_NAME, "option %.*s: a variable or an option has that name already",
		        (int)length, text);
	enum status status = variable_make(shell, name, &in->all, &variable);
	if (status != ST_OK)
		return status;
	in->scratch[0] = value;
	fold(in, &name, sizeof name);
	variable_set(in, variable, &in->all, in->scratch, false);
	return ST_OK;
}

/* The value comes from, in this order: the command line (of the learner's own file), what the program was
 * given, the default. It is made as a variable of the file's namespace, one on all ranks. */
enum status run_option(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct interpreter *in = shell->interpreter;
	const struct option_line *line = statement->given;
	struct eval eval = {.shell = shell, .in = in, .set = set, .rank = ranks_first(set)};
	const struct given *given = NULL;
	struct given from_command_line = {0};
	struct value value;
	enum status status = ST_OK;
	char name[64];
	int used = 0;
	snprintf(name, sizeof name, "%.*s", WHOLE(line->name));
	const char *text = in->frame->space == &in->learner && in->tree->file
	        ? command_line_text(shell, line->name)
	        : NULL;
	for (int i = 0; i < in->givens && in->frame->space == in->program; i++)
		if (slice_is(line->name, in->given[i].name))
			given = &in->given[i];
	if (text) {
		from_command_line.name = name;
		if (number_read(text, &from_command_line.number, &used) != ST_OK || text[used])
			from_command_line.word = text;
		given = &from_command_line;
		status = given_fits(in->tree->file, line, given);
	}
	if (status != ST_OK)
		return status;
	if (given)
		value = value_given(shell, given);
	else if (!line->formula)
		value = word_value(shell, line->value.at, line->value.length);
	else if (evaluate(&eval, line->formula, &value) != ST_OK) {
		/* `none`, no variable: a word by itself */
		if (line->formula->kind != FORMULA_NAME)
			return evaluate(&eval, line->formula, &value);
		value = word_value(shell, line->value.at, line->value.length);
	}
	if (eval.varies)
		return fail(ST_ARGUMENT, "option %s: its default may not differ by rank", name);
	name_id id = names_make(shell->world->names, line->name.at, line->name.length);
	struct variable *shared = in->shares ? variable_find(in, id) : NULL;
	if (!shared)
		return make_variable(shell, line->name.at, line->name.length, value);
	in->scratch[0] = value;
	if (given)
		variable_set(in, shared, &in->all, in->scratch, false);
	return ST_OK;
}

/* The first rank for which it holds refuses the file with the text, evaluated on that rank */
enum status run_refuse(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct interpreter *in = shell->interpreter;
	bool varies = false;
	struct text why = {0};
	enum status status = values_of(shell, statement->formula, set, "refuse", &varies);
	FOR_RANKS (rank, set) {
		struct eval eval = {.shell = shell, .in = in, .set = set, .rank = rank};
		if (status != ST_OK || (!varies && rank != ranks_first(set)))
			break;
		if (!value_true(in->scratch[rank]))
			continue;
		status = evaluate_text(&eval, statement->word, &why);
		if (status == ST_OK)
			status = fail(ST_RANGE, "%s", text_string(&why));
		in->fault_rank = varies ? rank : -1;
	}
	text_release(&why);
	return status;
}

/* ---- running a file ---- */

/* The top of a file of the program: no block, no def, no `use` is around it */
struct top {
	struct frame frame;
	struct scope scope;
	struct running outer;
};

/* The files of a program run as if nothing were around them: neither the blocks of the line that loads
 * them, nor its `use`, nor its def's frame */
static void enter(struct shell *shell, struct top *top)
{
	struct interpreter *in = shell->interpreter;
	if (!in->program)
		in->program = interpreter_program_new(shell);
	*top = (struct top){.frame = {.set = &in->all, .space = in->program},
	        .scope = {.bound = &in->all, .phase.one.microbatch = -1}};
	top->outer = (struct running){
	        .frame = &top->frame, .scope = &top->scope, .runs = in->runs, .fault_rank = -1};
	interpreter_exchange(in, &top->outer);
}

/* What the file set by `use`, `phase` and in its frame goes; where a failure was is kept for those
 * outside */
static void leave(struct interpreter *in, struct top *top)
{
	bool located = in->located;
	int rank = in->fault_rank;
	scope_pop(in); /* what `use` and `phase` set */
	frame_release(&top->frame);
	interpreter_exchange(in, &top->outer);
	in->located = located; /* of a failure on its way out */
	in->fault_rank = rank;
}

enum status interpreter_program_let(struct shell *shell, const struct given *given)
{
	struct interpreter *in = shell->interpreter;
	struct top top;
	prepare(shell);
	enter(shell, &top);
	enum status status =
	        make_variable(shell, given->name, strlen(given->name), value_given(shell, given));
	leave(in, &top);
	return status;
}

/* The options are held against the whole file before its first line runs: a name that is misspelt refuses
 * it all */
enum status interpreter_program_run(struct shell *shell, const char *what, const char *text, size_t count,
        const char *file, int first_line, const struct given *given, int givens)
{
	struct interpreter *in = shell->interpreter;
	struct tree *tree;
	struct top top;
	prepare(shell);
	enum status status = tree_parse(&tree, text, count, file, first_line);
	if (status != ST_OK)
		return status;
	const struct given *outer = in->given;
	int outers = in->givens;
	status = givens_fit(what, tree, given, givens);
	if (status == ST_OK) {
		enter(shell, &top);
		in->given = given;
		in->givens = givens;
		status = check_calls(shell, tree);
		if (status == ST_OK)
			status = run_tree(shell, tree);
		in->given = outer;
		in->givens = outers;
		leave(in, &top);
	}
	tree_release(tree);
	return status;
}

/* call.c -- the line that runs and its words: what a command asks of them (command.h).
 *
 * A command asks by row and rank: call_number(call, row, i, rank, ..). What is the same on all ranks of the
 * line is kept in the word's slot by the first answer, so the questions for the other ranks are a look
 * each. Slots live as long as the line (run_command). */
#include "shell/language/run/call.h"
#include "shell/language/parse/rows.h"

/* ---- the line ---- */

const struct command *call_command(const struct call *call)
{
	return call->statement->row;
}

const struct ranks *call_ranks(const struct call *call)
{
	return call->set;
}

int call_first(const struct call *call)
{
	return ranks_first(call->set);
}

int call_line(const struct call *call)
{
	return call->statement->line;
}

struct slice_of_text call_source(const struct call *call)
{
	return call->statement->source;
}

bool call_at_prompt(const struct call *call)
{
	const struct interpreter *in = call->in;
	return in->now.blocks == 0 && in->now.runs == 1 && in->now.tree && !in->now.tree->file;
}

const char *call_text(const struct call *call)
{
	return call->in->now.tree->text;
}

bool call_span(const struct call *call, size_t *from, size_t *to)
{
	const struct slice_of_text source = call->statement->source;
	const struct tree *tree = call->in->now.tree;
	const char *text = tree->text;
	bool copied = source.at < text || source.at >= text + tree->count; /* it went over several lines */
	if (call->in->now.blocks > 0 || tree->file || copied)
		return false;
	*from = (size_t)(source.at - text);
	*to = *from + source.length;
	return true;
}

bool call_alone(const struct call *call)
{
	return call_at_prompt(call) && call->in->now.tree->block.first == call->statement &&
	        !call->statement->next;
}

const struct kernel *call_kernel(const struct call *call)
{
	return call->statement->row->kernel;
}

const struct collective *call_collective(const struct call *call)
{
	return call->statement->row->collective;
}

int call_results(const struct call *call)
{
	return call->statement->results;
}

bool call_adds(const struct call *call)
{
	return call->statement->adds;
}

bool call_result_dropped(const struct call *call, int i)
{
	return call->statement->result[i].dropped;
}

/* ---- words ---- */

int call_count(const struct call *call, int row)
{
	int count = 0;
	for (int i = 0; i < call->statement->arguments; i++)
		count += call->statement->argument[i].row == row;
	return count;
}

struct argument *word_of(struct call *call, int row, int i, struct word_slot **slot)
{
	struct statement *statement = call->statement;
	for (int k = 0; k < statement->arguments; k++)
		if (statement->argument[k].row == row && i-- == 0) {
			*slot = &call->slot[statement->results + k];
			return &statement->argument[k];
		}
	return NULL;
}

enum status no_word(const struct call *call)
{
	return fail(ST_ARGUMENT, "%s wants more words: %s", call->statement->row->name,
	        call->statement->row->usage);
}

/* A word alone may name a tensor or stand for a value: what its name is where the line runs decides.
 * Among the words of a kernel only a variable that holds a number is one: any other name is a tensor,
 * perhaps of another name. */
static bool is_value(struct call *call, const struct argument *argument, bool number)
{
	struct eval eval = eval_on(call, ranks_first(call->set));
	const struct formula *formula = argument->formula;
	bool varies = false;
	name_id name, written;
	if (!argument->tensor)
		return true;
	if (!formula || formula->kind == FORMULA_ELEMENT)
		return false;
	if (formula->kind != FORMULA_NAME)
		return true; /* rank, world, a metric */
	struct name *word = argument->tensor->name;
	if (evaluate_name(&eval, word, &name) != ST_OK)
		return false;
	const struct variable *variable = variable_find(call->in, name);
	if (number)
		return variable && variable_at(variable, eval.rank, &varies).kind == VALUE_NUMBER;
	if (variable)
		return true;
	struct thing thing = world_find(call->shell->world, eval.rank, name);
	bool stands_for = evaluate_written(&eval, word, &written) == ST_OK && written != name;
	if (stands_for || (word->parts == 1 && word->part[0].formula))
		return thing.kind != THING_TENSOR;
	return thing.kind == THING_GROUP && call->shell->world->groups[thing.index].axis;
}

int call_argument_part(const struct call *call, int row, int i)
{
	for (int k = 0; k < call->statement->arguments; k++)
		if (call->statement->argument[k].row == row && i-- == 0)
			return call->statement->argument[k].part;
	return 0;
}

bool argument_is_number(struct call *call, const struct argument *argument)
{
	return is_value(call, argument, call->statement->mixed);
}

const char *call_argument_text(struct call *call, int row, int i)
{
	struct word_slot *slot;
	const struct argument *argument = word_of(call, row, i, &slot);
	if (!argument)
		return "";
	struct names *names = call->shell->world->names;
	return names_text(names, names_make(names, argument->written.at, argument->written.length));
}

enum argument_kind call_kind(const struct call *asked, int row, int i)
{
	struct call *call = (struct call *)(uintptr_t)asked; /* its caches change, the line does not */
	struct word_slot *slot;
	const struct argument *argument = word_of(call, row, i, &slot);
	if (!argument)
		return ARG_END;
	if (argument->kind != ARG_PRINTABLE)
		return (enum argument_kind)argument->kind;
	return is_value(call, argument, false) ? ARG_EXPRESSION : ARG_TENSOR;
}

enum status call_result(struct call *call, int i, int rank, struct view *view)
{
	struct eval eval = eval_on(call, rank);
	return on_rank(call, rank,
	        evaluate_view(&eval, call->statement->result[i].tensor, &call->slot[i].view, true, view));
}

enum status call_tensor(struct call *call, int row, int i, int rank, struct view *view)
{
	struct word_slot *slot;
	struct argument *argument = word_of(call, row, i, &slot);
	if (!argument || !argument->tensor)
		return no_word(call);
	struct eval eval = eval_on(call, rank);
	return on_rank(call, rank,
	        evaluate_view(&eval, argument->tensor, &slot->view, argument->kind == ARG_RESULT, view));
}

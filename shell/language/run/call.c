/* call.c -- the running line and its words: questions of a command (command.h).
 *
 * A command asks by row and rank: call_number(call, row, i, rank, ..). A value that is equal on
 * all the line's ranks is kept in the word's slot by the first answer. Slots live as long as the
 * line (run_command). */
#include "shell/language/run/call.h"

/* ---- the line ---- */

bool call_outermost(const struct call *call)
{
	const struct running *now = &call->shell->interpreter->now;
	return now->blocks == 0 && now->runs == 1 && now->tree;
}

bool call_at_prompt(const struct call *call)
{
	return call_outermost(call) && !call->shell->interpreter->now.tree->file;
}

const char *call_span(const struct call *call, size_t *from, size_t *to)
{
	const struct slice_of_text source = call->statement->source;
	const struct running *now = &call->shell->interpreter->now;
	const char *text = now->tree->text;
	bool copied = source.at < text || source.at >= text + now->tree->count;
	if (now->blocks > 0 || now->tree->file || copied)
		return NULL;
	*from = source.at - text;
	*to = *from + source.length;
	return text;
}

bool call_alone(const struct call *call)
{
	return call_at_prompt(call) && call->shell->interpreter->now.tree->block.first == call->statement &&
	        !call->statement->next;
}

/* ---- words ---- */

int call_count(const struct call *call, int row)
{
	int count = 0;
	for (int i = 0; i < call->statement->arguments; i++)
		count += call->statement->argument[i].row == row;
	return count;
}

struct argument *call_argument(const struct call *call, int row, int i)
{
	struct argument *argument = call->statement->argument;
	while (argument->row != row || i-- > 0)
		argument++;
	return argument;
}

/* A lone word's name decides whether it is a tensor or a value. Among a kernel's words only a
 * variable that holds a number is a value. */
static bool argument_is_value(const struct call *call, const struct argument *argument, bool number)
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
	const struct variable *variable = variable_find(call->shell->interpreter, name);
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

bool argument_is_number(const struct call *call, const struct argument *argument)
{
	return argument_is_value(call, argument, call->statement->mixed);
}

const char *call_argument_text(const struct call *call, int row, int i)
{
	struct names *names = call->shell->world->names;
	if (i >= call_count(call, row))
		return "";
	struct slice_of_text written = call_argument(call, row, i)->written;
	return names_text(names, names_make(names, written.at, written.length));
}

bool call_is_tensor(const struct call *call, int row, int i)
{
	return !argument_is_value(call, call_argument(call, row, i), false);
}

enum status call_result(struct call *call, int i, int rank, struct view *view)
{
	struct eval eval = eval_on(call, rank);
	return on_rank(&eval,
	        evaluate_view(
	                &eval, call->statement->result[i].tensor, &result_slot(call, i)->view, true, view));
}

enum status call_tensor(struct call *call, int row, int i, int rank, struct view *view)
{
	const struct argument *argument = call_argument(call, row, i);
	struct eval eval = eval_on(call, rank);
	return on_rank(&eval,
	        evaluate_view(&eval, argument->tensor, &argument_slot(call, argument)->view,
	                argument->kind == ARG_RESULT, view));
}

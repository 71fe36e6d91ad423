/* call.c -- answers a command's questions about its line (command.h): words, stream, group,
 * output.
 *
 * A value that all the line's ranks share is cached in the word's slot. */
#include "shell/language/run/run.h"
#include "shell/session/queue.h"
#include "shell/language/run/answer.h"
#include "shell/values/share.h"

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

/* Returns true if a word that may be a tensor is a value. number: among a kernel's words, only a
 * variable that holds a number is */
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
		return true; /* rank, world */
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

/* The stream or group of a line
 *
 *     the line's own clause  >  `on S` of a block  >  `use S`  >  default stream; world's group */

/* Sets *index, into the world's streams or groups; -1: no name was given */
static enum status place_named(struct call *call, enum setting_of which, int rank, int *index)
{
	const struct clauses *clauses = &call->statement->clauses;
	struct name *clause = which == SETTING_STREAM ? clauses->stream : clauses->group;
	enum thing_kind kind = which == SETTING_STREAM ? THING_STREAM : THING_GROUP;
	name_id name = setting_now(call->shell, which, rank);
	*index = -1;
	if (clause) {
		enum status status = name_word(call, clause, &call->slot[which], rank, &name);
		if (status != ST_OK)
			return status;
	}
	if (!name)
		return ST_OK;
	struct thing thing = world_find(call->shell->world, rank, name);
	if (thing.kind == kind) {
		*index = thing.index;
		return ST_OK;
	}
	struct eval eval = eval_on(call, rank);
	return on_rank(&eval, no_such(&eval, name, kind, kind));
}

enum status call_stream(struct call *call, int rank, int *number)
{
	int index;
	enum status status = place_named(call, SETTING_STREAM, rank, &index);
	if (status == ST_OK)
		*number = index < 0 ? STREAM_DEFAULT : call->shell->world->streams[index].number;
	return status;
}

int call_read_stream(struct call *call, int rank)
{
	int index;
	enum status status = place_named(call, SETTING_STREAM, rank, &index);
	return status == ST_OK && index >= 0 ? call->shell->world->streams[index].number : STREAM_HOST;
}

enum status call_device_stream(struct call *call, int rank, int *number)
{
	const struct world *world = call->shell->world;
	enum status status = call_stream(call, rank, number);
	if (status != ST_OK || !world_stream(world, rank, *number)->host)
		return status;
	return fail(ST_ARGUMENT,
	        "%s: %s is a thread of the host (kind=host), which does no work of the GPU: `on default`, or "
	        "another stream",
	        call->statement->row->name,
	        names_text(world->names, world_stream(world, rank, *number)->name));
}

enum status call_group(struct call *call, int rank, int *group)
{
	enum status status = place_named(call, SETTING_GROUP, rank, group);
	if (status == ST_OK && *group < 0)
		*group = 0;
	return status;
}

enum status call_block(struct call *call)
{
	struct statement *statement = call->statement;
	return statement->block ? run_block(call->shell, statement->block, &statement->clauses, call->set)
	                        : ST_OK;
}

struct record call_record(const struct call *call, int rank, enum op_kind kind, const char *title)
{
	struct phase phase = interpreter_phase_at(call->shell, rank);
	struct record record = queue_record(call->shell, kind, title);
	record.section = call->shell->interpreter->section;
	record.line = call->statement->line;
	record.phase = phase.name;
	record.colour = phase.colour;
	record.microbatch = phase.microbatch;
	return record;
}

enum status call_each_rank(struct call *call, one_rank *one)
{
	for (int pass = 0; pass < 2; pass++)
		FOR_RANKS (rank, call->set) {
			enum status status = one(call, rank, pass == 1);
			if (status != ST_OK)
				return status;
		}
	return ST_OK;
}

enum status answer(struct call *call, struct text *text, enum status status)
{
	if (status == ST_OK)
		out_put(call->shell->out, text_string(text), text->count);
	text_release(text);
	return status;
}

/* Makes all texts before it adds any, because output may be flushed while one is made. */
enum status answer_each(struct call *call, answer_of *make, int i)
{
	struct shell *shell = call->shell;
	struct text text = {0}, all = {0};
	enum status status = shell_advance(shell);
	FOR_RANKS (rank, call->set) {
		if (status != ST_OK)
			break;
		text_clear(&text);
		status = make(call, i, rank, &text);
		text_put(&all, text_string(&text), text.count + 1);
	}
	if (status == ST_OK)
		answer_show(shell->out, call->set, &all);
	text_release(&text);
	text_release(&all);
	return status;
}

void answer_show(struct out *out, const struct ranks *set, struct text *all)
{
	int place = out_place(out);
	const char *at = text_string(all), *end = at + all->count;
	FOR_RANKS (rank, set) {
		out_fill(out, place, rank, at);
		if (at + strlen(at) + 1 < end)
			at += strlen(at) + 1;
	}
}

enum status call_write(const struct call *call, const char *path, const struct output_kind *kind, bool force,
        const struct text *text)
{
	struct text line = {0};
	call_line(call, ranks_first(call->set), &line);
	struct output output = {.path = path, .kind = kind, .force = force, .line = text_string(&line)};
	enum status status = shell_write(call->shell, &output, text);
	text_release(&line);
	return status;
}

/* command.c -- runs a command's line, and y = x[0:2]; the class of a line.
 *
 * Every line takes this path, so the call, and the slots of most lines, are on the stack. */
#include "shell/language/run/answer.h"
#include "shell/language/run/command.h"
#include "shell/language/run/player.h"
#include "shell/language/run/run.h"
#include "shell/session/queue.h"
#include "shell/language/parse/parse.h"

enum { SLOTS_INLINE = 14 };

enum status run_command(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	const struct command *row = statement->row;
	struct word_slot slots[SLOTS_INLINE];
	int count = SLOT_WORDS + statement->results + statement->arguments + statement->options;
	size_t bytes = count * sizeof *slots;
	if (row->for_all && ranks_count(set) < shell->world->n && statement_class(statement) != COMMAND_LOOK)
		return fail(ST_RANK,
		        "%s is one for all ranks: `%s` without @, and not after `use` or in an `if` of some "
		        "ranks",
		        row->for_all, row->name);
	struct call call = {.shell = shell,
	        .statement = statement,
	        .set = set,
	        .slot = count > SLOTS_INLINE ? mem_alloc(bytes) : slots};
	memset(call.slot, 0, bytes);
	for (int i = 0; statement->mixed && i < statement->arguments; i++)
		if (statement->argument[i].kind == ARG_PRINTABLE)
			statement->argument[i].row = argument_is_number(&call, &statement->argument[i])
			        ? KERNEL_NUMBERS
			        : KERNEL_TENSORS;
	enum status status;
	bool shows = row->shows || row->answers || row->class == COMMAND_LOOK;
	bool before = shell->files.writes_none;
	struct running *now = &shell->interpreter->now;
	/* a lesson's own line: in its text, or in the program of an open task */
	shell->files.writes_none = shell->files.reads_only || (now->tree && now->tree->reads_only) ||
	        (shell->course.watch && player_runs(shell));
	shell->steering.looks += shows;
	now->no_steps += statement->block != NULL;
	status = row->run      ? row->run(&call)
	        : row->answers ? answer_each(&call, row->answers, 0)
	                       : call_each_rank(&call, row->each);
	now->no_steps -= statement->block != NULL;
	shell->steering.looks -= shows;
	shell->files.writes_none = before;
	if (shell->lasting.explain && status == ST_OK)
		explain_line(&call);
	mem_free(call.wait);
	for (int i = 0; i < count; i++)
		mem_free(call.slot[i].data);
	if (call.slot != slots)
		mem_free(call.slot);
	return status;
}

static enum status view_name_fits(struct eval *eval, name_id name, const struct view *of)
{
	const struct world *world = eval->shell->world;
	struct thing thing = world_find(world, eval->rank, name);
	const char *text = names_text(world->names, name), *other = names_text(world->names, of->name);
	if (thing.kind == THING_NONE)
		return ST_OK;
	if (thing.kind != THING_TENSOR)
		return world_name_fits(world, eval->rank, name, THING_TENSOR);
	if (!world->tensors[thing.index].view)
		return fail(ST_ARGUMENT,
		        "%s has its own memory: `copy %s -> %s` copies into it; `free %s` makes the name "
		        "free for a view",
		        text, other, text, text);
	return ST_OK;
}

static enum status view_resolve_line(
        struct eval *eval, struct statement *statement, name_id *name, struct view *of)
{
	struct tensor_ref *to = statement->result[0].tensor;
	if (statement->result[0].dropped || to->indices || to->transposed)
		return fail(ST_SYNTAX, "'%.*s' is not a name for a view; `copy` writes into a slice",
		        WHOLE(statement->result[0].written));
	enum status status = evaluate_view(eval, statement->argument[0].tensor, NULL, false, of);
	if (status == ST_OK)
		status = evaluate_name(eval, to->name, name);
	return status == ST_OK ? view_name_fits(eval, *name, of) : status;
}

enum status run_view(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct eval eval = eval_for(shell, set);
	enum status status = ST_OK;
	name_id name;
	struct view of;
	for (int pass = 0; pass < 2; pass++) /* all ranks or none */
		FOR_RANKS (rank, set) {
			eval.rank = rank;
			status = view_resolve_line(&eval, statement, &name, &of);
			if (status == ST_OK && pass)
				status =
				        shell_view_make(shell, rank, name, of.tensor, of.address, &of.layout);
			if (status != ST_OK)
				return on_rank(&eval, status);
		}
	return status;
}

enum command_class statement_class(const struct statement *statement)
{
	const struct command *row = statement->row;
	if (statement->kind != STATEMENT_COMMAND)
		return COMMAND_STEER;
	if (!row->unless.words || !(statement->arguments + statement->options))
		return row->class;
	struct slice_of_text word = {0};
	if (statement->arguments)
		word = statement->argument[0].written;
	return *row->unless.words == '*' || is_listed(row->unless.words, word) ? row->unless.class
	                                                                       : row->class;
}

bool statement_is_aside(const struct statement *statement)
{
	enum command_class class = statement_class(statement);
	return class == COMMAND_LOOK || class == COMMAND_SESSION;
}

enum command_class interpreter_class(const char *text, size_t count)
{
	struct tree *tree;
	enum command_class strongest = COMMAND_LOOK;
	if (tree_parse(&tree, text, count, NULL, 1) != ST_OK)
		return COMMAND_STEER;
	for (const struct statement *statement = tree->block.first; statement; statement = statement->next) {
		enum command_class class = statement_class(statement);
		if (class != COMMAND_LOOK && class != COMMAND_SESSION)
			strongest = COMMAND_STEER;
		else if (class == COMMAND_SESSION && strongest == COMMAND_LOOK)
			strongest = COMMAND_SESSION;
	}
	tree_release(tree);
	return strongest;
}

/* defs.c -- def and its calls; values passed by calls and `for`; lines whose command a variable
 * names.
 *
 * A parameter is a variable, whose value is a number, a text or a name; it is not a macro. A name
 * stands for the tensor or slice that the call passed (evaluate_name):
 *
 *     def f p { y = relu p }        f h3         p is "h3"
 *                                   f t[0:4]     p is "t[0:4]", a view of t
 *
 * A call runs the def's block in a new frame, with the clauses of the call. The block sees the
 * variables of the session or the program, not the caller's parameters and loop names. A learner's
 * def that a program calls sees the learner's variables first. */
#include "shell/language/parse/lex.h"
#include "shell/language/run/run.h"

static enum status argument_name_value(struct eval *eval, struct name *name, struct value *value)
{
	name_id id;
	if (name->parts == 1 && name->part[0].formula)
		return evaluate(eval, name->part[0].formula, value);
	enum status status = evaluate_name(eval, name, &id);
	if (status != ST_OK)
		return status;
	const struct variable *variable = name->constant ? variable_find(eval->shell->interpreter, id) : NULL;
	if (variable)
		*value = variable_at(variable, eval->rank, &eval->varies);
	if (!variable || value->kind == VALUE_NONE)
		*value = value_named(id);
	return ST_OK;
}

/* Refuses a value that reads data: that would be read by the call, not where the parameter is
 * used. */
enum status argument_value(struct eval *eval, struct argument *argument, struct value *value)
{
	if (argument->name)
		return argument_name_value(eval, argument->name, value);
	if (argument->tensor) {
		struct view view;
		enum status status = evaluate_view(eval, argument->tensor, NULL, false, &view);
		if (status == ST_OK)
			*value = value_named(view.name);
		return status;
	}
	if (argument->formula->read_count)
		return fail(ST_ARGUMENT, "'%.*s' reads data, and a def takes values; let a = %.*s first",
		        WHOLE(argument->written), SHOWN(argument->formula->written));
	return evaluate(eval, argument->formula, value);
}

enum status argument_values(
        struct shell *shell, struct argument *argument, const struct ranks *set, bool *varies)
{
	struct interpreter *in = shell->interpreter;
	struct eval eval = eval_for(shell, set);
	FOR_RANKS (rank, set) {
		eval.rank = rank;
		enum status status = argument_value(&eval, argument, &in->scratch[rank]);
		if (status != ST_OK)
			return on_rank(&eval, status);
		if (!eval.varies)
			break;
	}
	*varies = eval.varies;
	return ST_OK;
}

enum status run_def(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	(void)set;
	struct interpreter *in = shell->interpreter;
	struct slice_of_text word = statement->word->written;
	definition_add(in, names_make(shell->world->names, word.at, word.length), statement);
	digest_add(in, word.at, word.length);
	return ST_OK;
}

static enum status push_parameter(
        struct shell *shell, struct frame *frame, struct statement *call, const struct statement *def, int i)
{
	struct interpreter *in = shell->interpreter;
	bool varies = false;
	enum status status = argument_values(shell, &call->argument[i], frame->set, &varies);
	if (status != ST_OK)
		return status;
	name_id name = names_make(shell->world->names, def->parameter[i].at, def->parameter[i].length);
	size_t index = local_push(frame, name, frame->set);
	variable_set(in, &frame->local.item[index], frame->set, varies);
	return ST_OK;
}

static enum status def_wrong_count(const struct statement *call, const struct statement *def)
{
	struct text usage = {0};
	text_put(&usage, def->word->written.at, def->word->written.length);
	for (int i = 0; i < def->parameters; i++)
		text_add(&usage, " %.*s", WHOLE(def->parameter[i]));
	enum status status = fail(ST_ARGUMENT, "%.*s takes %d argument%s, not %d: %s",
	        WHOLE(def->word->written), def->parameters, def->parameters == 1 ? "" : "s", call->arguments,
	        text_string(&usage));
	text_release(&usage);
	return status;
}

static enum status run_body(struct shell *shell, struct statement *call, struct statement *def,
        struct tree *tree, struct frame *frame)
{
	struct interpreter *in = shell->interpreter;
	struct tree *outer = in->now.tree;
	struct scope scope;

	scope_push(in, &scope, frame->set);
	enum status status = scope_clauses(shell, &call->clauses, frame->set);
	if (status == ST_OK) {
		in->now.frame = frame;
		in->now.tree = tree;
		status = run_block(shell, def->block, NULL, frame->set);
		in->now.frame = frame->caller;
		in->now.tree = outer;
	}
	scope_pop(in);
	return status;
}

/* Holds the def's tree while it runs, because its lines may redefine the def or empty the
 * world. */
enum status run_call(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct interpreter *in = shell->interpreter;
	struct eval eval = eval_for(shell, set);
	struct definition *definition;
	name_id name;
	enum status status = evaluate_written(&eval, statement->word, &name);
	if (status != ST_OK)
		return status;
	if (slice_is(statement->word->written, "replaced")) {
		definition = definition_replaced(in, in->now.frame);
		if (!definition)
			return fail(ST_NAME, "replaced: there is no def of '%s' before this one",
			        names_text(shell->world->names, in->now.frame->def));
	} else {
		definition = definition_find(in, in->now.frame, name);
		if (!definition)
			return unknown_word(shell, statement, names_text(shell->world->names, name));
	}
	struct statement *def = definition->statement;
	struct tree *tree = definition->tree;
	definition->called = true;
	if (def->parameters != statement->arguments)
		return def_wrong_count(statement, def);
	if (in->now.calls == CALLS_MAX)
		return fail(ST_LIMIT, "defs call each other deeper than %d", CALLS_MAX);
	bool learners = definition->learners, program = in->now.frame->space == in->program;
	struct frame frame = {.caller = in->now.frame,
	        .set = set,
	        .space = learners && !program ? &in->learner : in->program,
	        .outer = learners && program ? &in->learner : NULL,
	        .def = definition->name,
	        .serial = definition->serial,
	        .learners = learners};
	tree_use(tree);
	in->now.calls++;
	for (int i = 0; i < def->parameters && status == ST_OK; i++)
		status = push_parameter(shell, &frame, statement, def, i);
	if (status == ST_OK)
		status = run_body(shell, statement, def, tree, &frame);
	in->now.calls--;
	tree_release(tree);
	variables_forget(&frame.local);
	return status;
}

/* Lines whose command, def, kernel or type is a variable's text: `$w 0`, `y = $act x`
 *
 *     rank    the line's text        parsed once, kept with the line
 *     0       F 0                    -> call of F
 *     1       B 0                    -> call of B         run for ranks 1 and 3 together
 *     2       F 0
 *     3       B 0 */

static enum status variant_find(
        struct interpreter *in, struct statement *statement, const char *text, struct variant **found)
{
	struct tree *owner = in->now.tree, *tree;
	for (struct variant *variant = statement->variant; variant; variant = variant->next)
		if (strcmp(variant->text, text) == 0) {
			*found = variant;
			return ST_OK;
		}
	enum status status = tree_parse(&tree, text, strlen(text), NULL, statement->line);
	if (status != ST_OK)
		return status == ST_INCOMPLETE ? fail(ST_SYNTAX, "%s: a bracket or quote stays open", text)
		                               : status;
	struct statement *line = tree->block.first;
	if (!line || line->next || line->kind == STATEMENT_CHOSEN) {
		tree_release(tree);
		return fail(ST_SYNTAX, "'%.*s' becomes '%s', which is not a line with a command",
		        WHOLE(statement->source), text);
	}
	struct variant *variant = tree_alloc(tree, sizeof *variant);
	*variant = (struct variant){.next = statement->variant,
	        .text = tree->text,
	        .tree = tree,
	        .statement = line,
	        .of_tree = owner->variants};
	statement->variant = owner->variants = variant;
	*found = variant;
	return ST_OK;
}

/* Finds all ranks' lines before it runs one, because a line may change the variable. */
enum status run_chosen(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct interpreter *in = shell->interpreter;
	struct eval eval = eval_for(shell, set);
	struct variant **of = mem_alloc(in->n * sizeof *of), *variant;
	struct text text = {0};
	enum status status = ST_OK;
	FOR_RANKS (rank, set) {
		eval.rank = rank;
		text_clear(&text);
		status = evaluate_text(&eval, statement->word, &text);
		if (status == ST_OK)
			status = variant_find(in, statement, text_string(&text), &of[rank]);
		if (on_rank(&eval, status) != ST_OK || !eval.varies)
			break;
	}
	text_release(&text);
	for (struct ranks left = *set; status == ST_OK && !ranks_empty(&left);) {
		struct ranks same = {0};
		variant = of[ranks_first(&left)];
		FOR_RANKS (rank, set)
			if (!eval.varies || of[rank] == variant) {
				ranks_add(&same, rank);
				ranks_drop(&left, rank);
			}
		status = run_kind(shell, variant->statement, &same);
	}
	mem_free(of);
	return status;
}

/* render.c -- writes a statement as it runs on one rank: variables, expressions and clauses filled
 * in.
 *
 *     for m in 0:2 { on comm { g$m += allreduce d$(m+1) } } ->  g1 += allreduce d2 on comm
 *
 * Expressions that read data or the clock stay. Numbers are exact, so that a file of such lines
 * gives the same results. A line that cannot be filled in stays as typed. */
#include "kernels/kernel.h"
#include "shell/language/run/run.h"
#include "shell/session/quote.h"

struct rendering {
	struct eval *eval;
	struct text *out;
	enum status status;
};

static void render_formula(struct rendering *r, const struct formula *formula, bool bracket);

static bool render_ok(struct rendering *r, enum status status)
{
	if (r->status == ST_OK)
		r->status = status;
	return r->status == ST_OK;
}

static void render_put(struct rendering *r, const char *text)
{
	text_add(r->out, "%s", text);
}

void value_written(const struct shell *shell, struct value value, struct text *out)
{
	if (value.kind == VALUE_NUMBER)
		value_exact(value, out);
	else
		quote_text(names_text(shell->world->names, value.name), out);
}

/* A part that reads data or the clock stays in `$( )`; others are replaced by their text. */
static void render_text(struct rendering *r, struct name *name)
{
	render_put(r, "\"");
	for (int i = 0; i < name->parts; i++) {
		const struct name_part *part = &name->part[i];
		if (part->formula && part->formula->moment) {
			render_put(r, "$(");
			render_formula(r, part->formula, false);
			render_put(r, ")");
			continue;
		}
		struct name one = {
		        .written = name->written, .part = &name->part[i], .parts = 1, .quoted = true};
		struct text text = {0};
		if (render_ok(r, evaluate_text(r->eval, &one, &text)))
			quote_inside(text_string(&text), r->out);
		text_release(&text);
	}
	render_put(r, "\"");
}

static void render_name(struct rendering *r, struct name *name)
{
	name_id id;
	if (name->quoted)
		render_text(r, name);
	else if (render_ok(r, evaluate_name(r->eval, name, &id)))
		render_put(r, names_text(r->eval->shell->world->names, id));
}

/* Writes a command's word, such as a file name, quoted if its value is not a single word. */
static void render_word(struct rendering *r, struct name *name)
{
	struct text word = {0};
	if (name->quoted || name->constant)
		render_name(r, name);
	else if (render_ok(r, evaluate_text(r->eval, name, &word)))
		quote_word(text_string(&word), r->out);
	text_release(&word);
}

static void render_tensor(struct rendering *r, struct tensor_ref *tensor)
{
	struct view view;
	if (!tensor->indices && !tensor->transposed)
		render_name(r, tensor->name);
	else if (render_ok(r, evaluate_view(r->eval, tensor, NULL, false, &view)))
		render_put(r, names_text(r->eval->shell->world->names, view.name));
}

static void render_function(struct rendering *r, const struct formula *formula)
{
	text_add(r->out, "%s", formula->function->name);
	for (int i = 0; i < formula->arguments; i++) {
		struct function_argument *argument = &formula->argument[i];
		render_put(r, i ? "," : "(");
		if (argument->formula)
			render_formula(r, argument->formula, false);
		else if (argument->tensor)
			render_tensor(r, argument->tensor);
		else
			render_name(r, argument->name);
	}
	if (formula->arguments)
		render_put(r, ")");
}

/* Writes the expression's value. If it compares, or reads data or the clock, writes the operator
 * with its operands instead. bracket: in brackets, because a word has no blanks outside them */
static void render_formula(struct rendering *r, const struct formula *formula, bool bracket)
{
	enum formula_kind kind = formula->kind;
	bool logic = kind >= FORMULA_NOT && kind <= FORMULA_AT_LEAST;
	if (kind == FORMULA_NAME || (!logic && !formula->moment)) {
		struct value value;
		if (render_ok(r, evaluate(r->eval, formula, &value)))
			value_written(r->eval->shell, value, r->out);
	} else if (kind == FORMULA_ELEMENT) {
		render_tensor(r, formula->tensor);
	} else if (kind == FORMULA_FUNCTION) {
		render_function(r, formula);
	} else if (kind == FORMULA_TEXT) {
		render_text(r, formula->name);
	} else {
		render_put(r, bracket ? "(" : "");
		if (!formula->right)
			render_put(r, kind == FORMULA_NOT ? "not " : "-");
		render_formula(r, formula->left, true);
		if (formula->right) {
			text_add(r->out, " %s ", formula_sign(kind));
			render_formula(r, formula->right, true);
		}
		render_put(r, bracket ? ")" : "");
	}
}

static void render_shape(struct rendering *r, struct formula *const *dim, int dims)
{
	for (int i = 0; i < dims; i++) {
		render_put(r, i ? "," : "[");
		render_formula(r, dim[i], false);
	}
	render_put(r, dims ? "]" : "");
}

static void render_argument(struct rendering *r, struct call *call, struct argument *argument)
{
	struct ranks set;
	struct value value;
	switch (argument->kind) {
	case ARG_ARROW:
		render_put(r, "->");
		break;
	case ARG_SHAPE:
		render_shape(r, argument->dim, argument->dims);
		break;
	case ARG_RANKS:
		if (render_ok(r,
		            evaluate_ranks(
		                    call->shell, argument->ranks, &call->shell->interpreter->all, &set)))
			ranks_text(&set, r->out);
		break;
	case ARG_FILE:
	case ARG_WORD:
		render_word(r, argument->name);
		break;
	case ARG_REMOTE:
		render_tensor(r, argument->tensor);
		render_put(r, "@");
		render_formula(r, argument->formula, true);
		break;
	case ARG_PRINTABLE:
		if (argument_is_number(call, argument))
			render_formula(r, argument->formula, true);
		else
			render_tensor(r, argument->tensor);
		break;
	default:
		if (argument->tensor)
			render_tensor(r, argument->tensor);
		else if (argument->formula && argument->formula->moment)
			render_formula(r, argument->formula, true);
		else if (argument->formula && render_ok(r, evaluate(r->eval, argument->formula, &value)))
			value_written(call->shell, value, r->out);
		else if (argument->name)
			render_name(r, argument->name);
	}
}

/* The value of a free key (`mesh dp=2`) is a word, unless it evaluates to a number. */
static void render_option(struct rendering *r, const struct key_value *option)
{
	struct value value;
	text_add(r->out, " %.*s=", WHOLE(option->key));
	if (!option->formula ||
	        (!option->row &&
	                (evaluate(r->eval, option->formula, &value) != ST_OK || value.kind != VALUE_NUMBER)))
		render_word(r, option->word);
	else
		render_formula(r, option->formula, true);
}

/* Writes the line's `on S` or `in G`; if it has none and the row takes one, that of `use` or of
 * the blocks around it. */
static void render_clause(struct rendering *r, enum setting_of which, struct name *clause, bool takes)
{
	const struct scope_setting *setting = &r->eval->shell->interpreter->now.scope->setting[which];
	name_id name = takes ? setting_at(setting, r->eval->rank) : 0;
	r->eval->varies |= takes && setting->each;
	if (!clause && !name)
		return;
	render_put(r, which == SETTING_STREAM ? " on " : " in ");
	if (clause)
		render_name(r, clause);
	else
		render_put(r, names_text(r->eval->shell->world->names, name));
}

static void render_purpose(struct rendering *r, struct statement *statement)
{
	name_id word;
	if (!statement->purpose)
		return;
	render_put(r, " kind=");
	if (render_ok(r, evaluate_written(r->eval, statement->purpose, &word)))
		render_put(r, names_text(r->eval->shell->world->names, word));
}

static void render_command(struct rendering *r, struct call *call)
{
	struct statement *statement = call->statement;
	for (int i = 0; i < statement->results; i++) {
		if (statement->result[i].dropped)
			render_put(r, "_");
		else
			render_tensor(r, statement->result[i].tensor);
		render_put(r, i + 1 < statement->results ? " " : statement->adds ? " += " : " = ");
	}
	if (statement->row)
		render_put(r, statement->row->name);
	for (int i = 0; i < statement->arguments; i++) {
		render_put(r, i || statement->row ? " " : "");
		render_argument(r, call, &statement->argument[i]);
	}
	for (int i = 0; i < statement->options; i++)
		render_option(r, &statement->option[i]);
	render_purpose(r, statement);
	const struct command *row = statement->row;
	render_clause(r, SETTING_GROUP, statement->clauses.group, row && row->group_ok);
	render_clause(r, SETTING_STREAM, statement->clauses.stream, row && row->stream_ok);
}

static void render_making(struct rendering *r, struct call *call)
{
	const struct making *making = call->statement->making;
	const struct kernel *source = making->source;
	render_clause(r, SETTING_STREAM, call->statement->clauses.stream, true);
	if (r->out->count)
		render_put(r, " ");
	render_put(r, "tensor");
	for (int i = 0; i < making->names; i++) {
		render_put(r, " ");
		render_name(r, making->made[i].name);
		render_shape(r, making->made[i].dim, making->made[i].dims);
	}
	if (making->space != SPACE_DEVICE)
		text_add(r->out, " %s", space_name(making->space));
	if (making->dtype_given)
		text_add(r->out, " %s", dtype_name(making->dtype));
	render_purpose(r, call->statement);
	if (!source && !making->file)
		return;
	render_put(r, " = ");
	if (making->file) {
		render_put(r, "load ");
		render_word(r, making->file);
	} else if (making->value) {
		render_formula(r, making->value, false);
	} else {
		render_put(r, source->name);
		for (int i = 0; i < making->options; i++)
			render_option(r, &making->option[i]);
	}
}

static void render_call(struct rendering *r, struct statement *statement)
{
	struct value value;
	render_name(r, statement->word);
	for (int i = 0; i < statement->arguments; i++) {
		render_put(r, " ");
		if (!render_ok(r, argument_value(r->eval, &statement->argument[i], &value)))
			return;
		const char *text = names_text(r->eval->shell->world->names, value.name);
		/* quote a text that the parser would not read as one word */
		if (value.kind == VALUE_NUMBER || !*text || strpbrk(text, " \t\n\"\\$#;{}"))
			value_written(r->eval->shell, value, r->out);
		else
			render_put(r, text);
	}
}

void interpreter_render(struct shell *shell, struct statement *statement, const struct ranks *set, int rank,
        struct text *out, bool *varies)
{
	struct call call = {.shell = shell, .statement = statement, .set = set};
	struct eval eval = eval_on(&call, rank);
	struct text text = {0};
	struct rendering r = {.eval = &eval, .out = &text};
	int fault = call.shell->interpreter->now.fault_rank;
	shell->steering.looks++;
	switch (statement->kind) {
	case STATEMENT_CALL:
		render_call(&r, statement);
		break;
	case STATEMENT_TENSOR:
		render_making(&r, &call);
		break;
	case STATEMENT_EXPECT:
		render_put(&r, "expect ");
		render_formula(&r, statement->formula, false);
		break;
	default:
		render_command(&r, &call);
	}
	shell->steering.looks--;
	call.shell->interpreter->now.fault_rank = fault;
	const char *line = text_string(&text);
	if (r.status == ST_OK)
		text_add(out, "%s", line + (*line == ' '));
	else
		text_put(out, statement->source.at, statement->source.length);
	*varies |= eval.varies;
	text_release(&text);
}

void call_line(const struct call *call, int rank, struct text *out)
{
	bool varies = false;
	if (call->statement->clauses.ranks) {
		text_put(out, "@", 1);
		ranks_text(call->set, out);
		text_put(out, " ", 1);
	}
	interpreter_render(call->shell, call->statement, call->set, rank, out, &varies);
}

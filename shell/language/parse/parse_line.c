/* parse_line.c -- parses a line that begins with no keyword; messages for its mistakes.
 *
 *     line = [ TENSOR { TENSOR } ( "=" | "+=" ) ]
 *            ( WORD { argument | clause } [ block ] | TENSOR )
 *
 * The first word, or the first after the `=`, decides:
 *
 *     allreduce g in tp      a row of that name               STATEMENT_COMMAND
 *     y = matmul x w         the same, `y` its result         STATEMENT_COMMAND
 *     v = x[0:4]             no row, one word, a tensor       STATEMENT_VIEW
 *     y += x                 short for y = add y x            STATEMENT_COMMAND
 *     forward x              no row: perhaps a def's name     STATEMENT_CALL
 *     y = $act x             a variable                       STATEMENT_CHOSEN
 *
 * Each function for a mistake returns ST_OK if the line has another mistake. */
#include "shell/language/parse/parse.h"

static enum status no_command(const struct word *first)
{
	char word[WORD_SHOWN];
	word_text(slice_of(first), word);
	const char *hint = hint_word(word), *near = command_near(word);
	if (hint)
		return fail(ST_NAME, "here: %s", hint);
	if (near)
		return fail(ST_NAME, "no command or kernel '%s'; did you mean '%s'?", word, near);
	return fail(ST_NAME, "no command or kernel '%s' (help shows them)", word);
}

static bool word_has_hint(const struct word *first)
{
	char word[WORD_SHOWN];
	word_text(slice_of(first), word);
	return hint_word(word) || command_near(word);
}

static enum status parse_command(
        struct parser *parser, struct statement *statement, const struct command *row)
{
	statement->kind = STATEMENT_COMMAND;
	statement->row = row;
	enum status status = bind_command(parser, statement);
	if (status != ST_OK)
		return status;
	if (is_listed("source model strategy program hunt fix lesson next again solution tour",
	            slice_of_string(row->name)))
		parser->tree->sources = true;
	const struct argument_row *wanted = argument_row(row, ARG_BLOCK);
	bool there = *parser->at == '{';
	if (there && !wanted)
		return fail(ST_SYNTAX, "%s takes no block: %s", row->name, command_usage(row));
	if (wanted && !there && !(wanted->flags & ARG_OPTIONAL))
		return fail(ST_SYNTAX, "%s needs a block on its line: %s", row->name, command_usage(row));
	return there ? parse_block(parser, &statement->block) : ST_OK;
}

static enum status parse_view(struct parser *parser, struct statement *statement)
{
	enum status status = parse_clauses(parser, statement, 0);
	if (status != ST_OK)
		return status;
	struct argument *argument = tree_alloc(parser->tree, 2 * sizeof *argument);
	struct argument *from = &argument[statement->adds];
	const struct word *word = parser->words;
	statement->kind = STATEMENT_VIEW;
	statement->argument = argument;
	statement->arguments = 1 + statement->adds;
	from->kind = ARG_TENSOR;
	from->written = slice_of(word);
	status = parse_tensor(parser, word->at, word->after, &from->tensor);
	if (status != ST_OK)
		return status;
	if (statement->results != 1)
		return fail(ST_ARGUMENT, "one name is expected left of '=' if a tensor is right of it");
	if (!statement->adds)
		return ST_OK;
	argument[0] = statement->result[0];
	argument[0].kind = ARG_TENSOR;
	statement->kind = STATEMENT_COMMAND;
	statement->adds = false;
	statement->row = command_find("add");
	return ST_OK;
}

/* Returns the number of words from `first` on that are not clauses, at most 2. */
static int count_plain(const struct parser *parser, size_t first)
{
	int count = 0;
	for (size_t i = first; i < parser->word_count && count < 2; i++) {
		const struct word *word = &parser->words[i];
		if (word_is(word, "on") || word_is(word, "in"))
			i++;
		else
			count += *word->at != '@';
	}
	return count;
}

static enum status line_calculates(const struct parser *parser)
{
	static const char *const signs[] = {"+", "-", "*", "/"},
	                         *const kernels[] = {"add", "sub", "mul", "div"};
	const struct word *words = parser->words, *first = &words[2], *last = &words[4];
	if (parser->word_count == 3 && first->after - first->at < 60 && !first->tensor &&
	        words->after[-1] == ']')
		return fail(ST_SYNTAX, "write: fill %.*s %.*s", WORD(words), WORD(first));
	if (parser->word_count != 5 || !(first->tensor || last->tensor))
		return ST_OK;
	bool both = first->tensor && last->tensor;
	const struct word *tensor = first->tensor ? first : last, *other = first->tensor ? last : first;
	for (int i = 0; i < 4; i++)
		if (word_is(&first[1], signs[i]) && (both || *signs[i] == '*'))
			return fail(ST_SYNTAX,
			        "a kernel's line is NAME = KERNEL IN ...: %.*s = %s %.*s %.*s; a variable's: "
			        "let %.*s = %.*s",
			        WORD(words), both ? kernels[i] : "scale", WORD(tensor), WORD(other),
			        WORD(words), (int)(last->after - first->at), first->at);
	return ST_OK;
}

/* Refuses a line without a command or a tensor right of `=`. The most reliable message wins. */
static enum status strange_right(struct parser *parser, size_t equal)
{
	enum status status;
	const struct word *words = parser->words, *first = &words[equal + 1],
	                  *end = words + parser->word_count;
	const char *to = parser->rest_end;
	struct formula *formula;

	if (hint_line(words->at, to))
		return ST_SYNTAX;
	if (equal == 1 && parser->word_count == 4 && first->tensor && first[1].tensor &&
	        !word_has_hint(first))
		return fail(ST_SYNTAX,
		        "no command or kernel '%.*s'; a product of two tensors: %.*s = matmul %.*s %.*s",
		        WORD(first), WORD(words), WORD(first), WORD(&first[1]));
	if (first->name && !(end - first > 1 && strchr("+-*/%<>=@", *first[1].at)))
		return no_command(first);
	for (const struct word *word = first + 1; word + 1 < end; word++)
		if (word_is(word, "@"))
			return fail(ST_SYNTAX, "write: %.*s = matmul %.*s %.*s", WORD(words), WORD(word - 1),
			        WORD(word + 1));
	if (equal == 1 && (status = line_calculates(parser)) != ST_OK)
		return status;
	if (parse_formula(parser, first->at, to, &formula) != ST_OK || equal != 1 || !words->name)
		return fail(ST_SYNTAX, "'%.*s': right of '=' a kernel, a command or a tensor was expected",
		        UP_TO(60, first->at, to));
	if (first->name || end - first > 1)
		return fail(ST_SYNTAX,
		        "a kernel's line is NAME = KERNEL IN ..., and a variable's: let %.*s = %.*s",
		        WORD(words), UP_TO(60, first->at, to));
	return fail(ST_SYNTAX, "to set a variable, write: let %.*s = %.*s", WORD(words),
	        UP_TO(60, first->at, to));
}

/* The line becomes a name whose parts are its text and the chosen words, so that evaluate_text
 * gives a rank's line. Other words keep their `$`:
 *
 *     $w $m on s$i    parts: formula w, text " $m on s$i"    on a rank: "F $m on s$i" */
enum status choose_later(struct parser *parser, struct statement *statement, const char *line,
        const struct word *chosen, size_t count)
{
	struct name *name = tree_alloc(parser->tree, sizeof *name), *part;
	const char *from = line, *to = trim_end(line, parser->at);
	enum status status = ST_OK;
	name->written = slice_between(line, to);
	name->part = tree_alloc(parser->tree, (to - line + 2) * sizeof *name->part);
	for (size_t i = 0; i < count && status == ST_OK; i++) {
		name->part[name->parts++].text = slice_between(from, chosen[i].at);
		status = parse_name(parser, chosen[i].at, chosen[i].after, &part);
		for (int k = 0; status == ST_OK && k < part->parts; k++)
			name->part[name->parts++] = part->part[k];
		from = chosen[i].after;
	}
	name->part[name->parts++].text = slice_between(from, to);
	name->line = true;
	statement->kind = STATEMENT_CHOSEN;
	statement->word = name;
	return status;
}

static bool is_chosen(const struct word *word)
{
	return word->name && memchr(word->at, '$', word->after - word->at);
}

/* words[equal] is the `=` or `+=`. A word with `$` is a chosen kernel if words follow, but no
 * operator. */
static enum status parse_assignment(struct parser *parser, struct statement *statement, size_t equal)
{
	const struct word *right = &parser->words[equal + 1];
	const char *sign = *parser->words[equal].at == '+' ? "+=" : "=";
	statement->adds = *sign == '+';
	if (equal + 1 >= parser->word_count)
		return fail(ST_SYNTAX, "right of '%s' a kernel or a tensor was expected", sign);
	if (equal == 0)
		return fail(ST_SYNTAX, "left of '%s' a name was expected", sign);
	enum status status = spacing_option(parser, equal);
	if (status != ST_OK)
		return status;
	const struct command *row = command_called(slice_of(right));
	int plain = row ? 0 : count_plain(parser, equal + 1);
	bool view = plain == 1 && right->tensor;
	if (!row && !view && is_chosen(right) && equal + 2 < parser->word_count &&
	        (plain > 1 || right[1].sign) && !is_operator(&right[1]))
		return choose_later(parser, statement, parser->words->at, right, 1);
	if (!row && !view)
		return strange_right(parser, equal);
	status = bind_results(parser, statement, equal);
	if (status != ST_OK)
		return status;
	if (row && !row->results_ok)
		return fail(ST_SYNTAX, "%s gives no result: %s", row->name, command_usage(row));
	words_drop(parser, equal + (row ? 2 : 1));
	return row ? parse_command(parser, statement, row) : parse_view(parser, statement);
}

static enum status strange_option(const struct parser *parser)
{
	const struct word *words = parser->words;
	bool options = false;
	for (size_t i = 1; i < parser->word_count; i++)
		options |= words[i].sign != NULL;
	if (!options || words->after - words->at >= WORD_SHOWN)
		return ST_OK;
	return word_has_hint(words)
	        ? no_command(words)
	        : fail(ST_SYNTAX, "no command '%.*s', and a call of a def takes values, not KEY=VALUE",
	                  WORD(words));
}

enum status parse_line(struct parser *parser, struct statement *statement)
{
	const struct word *words = parser->words;
	if (parser->word_count == 1 &&
	        is_listed("exit exit() :q :q! :wq :x quit() q bye logout sys.exit()", slice_of(words))) {
		statement->kind = STATEMENT_COMMAND;
		statement->row = command_find("quit");
		return ST_OK;
	}
	for (size_t i = 0; i < parser->word_count; i++)
		if (word_is(&words[i], "=") || word_is(&words[i], "+="))
			return parse_assignment(parser, statement, i);
	const struct command *row = command_called(slice_of(words));
	for (size_t i = 1; row && row->kernel && i < parser->word_count; i++)
		if (word_is(&words[i], "->") && command_beside_kernel(slice_of(words)))
			row = command_beside_kernel(slice_of(words));
	if (row) {
		words_drop(parser, 1);
		return parse_command(parser, statement, row);
	}
	if (!words->name && hint_line(words->at, parser->rest_end))
		return ST_SYNTAX;
	enum status status = spacing_line(parser);
	if (status == ST_OK)
		status = strange_option(parser);
	if (status != ST_OK)
		return status;
	if (!words->tensor)
		return fail(ST_SYNTAX, "'%.*s': a line begins with a command (help shows them)",
		        UP_TO(40, words->at, words->after));
	if (*parser->at == '{') /* while ... { */
		return no_command(words);
	if (is_chosen(words))
		return choose_later(parser, statement, words->at, words, 1);
	statement->kind = STATEMENT_CALL;
	bool replaced = word_is(words, "replaced");
	if (replaced && !parser->def)
		return fail(ST_SYNTAX,
		        "`replaced` is used only in a def: it calls the def that this one replaces");
	if (replaced)
		parser->def->replaces = true;
	status = bind_call(parser, statement, 1);
	if (status == ST_OK)
		status = parse_name(parser, words->at, words->after, &statement->word);
	if (status == ST_OK && !replaced && !parser->lenient) {
		statement->next_call = parser->tree->calls;
		parser->tree->calls = statement;
	}
	return status;
}

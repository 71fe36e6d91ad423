/* parse.c -- parses statements and blocks by recursive descent.
 *
 *     parse_statements    { statement ( newline | ";" ) }, up to "}" or the end
 *       parse_statement   "## title" | clauses block | clauses keyword ... | clauses line
 *         parse_keyword   the word decides: keyword.c has a function for each
 *         parse_line      the word is a command, or the first after "=": parse_line.c
 *       parse_block       "{" parse_statements "}"
 *
 * The first word of a statement (or the first after `=`) selects the command's row, and bind.c
 * binds the other words to the row's arguments. A first word that is no command calls a `def`;
 * that may come later, so it is checked when it runs. docs/help/grammar.txt is the grammar for
 * users.
 *
 * The parser does not use the world, so a whole file is checked before its first line runs, and
 * `make fuzz` can pass any text. */
#include "shell/language/parse/parse.h"

/* Counts from the last call, so that all calls for a file scan it once. */
int parser_line(struct parser *parser, const char *at)
{
	for (; parser->counted < at; parser->counted++)
		parser->line += *parser->counted == '\n';
	return parser->line;
}

/* [at, after): the statement without its block. Newlines inside brackets become blanks. */
void statement_source(struct parser *parser, struct statement *statement, const char *at, const char *after)
{
	enum { SOURCE_MAX = 400 };
	after = trim_end(at, after);
	after = after - at > SOURCE_MAX ? at + SOURCE_MAX : after;
	statement->source = slice_between(at, after);
	if (!memchr(at, '\n', statement->source.length))
		return;
	char *copy = tree_copy(parser->tree, at, statement->source.length);
	for (char *p = copy; (p = strchr(p, '\n'));)
		*p = ' ';
	statement->source.at = copy;
}

/* "## title", and the comment lines after it, as written */
static void parse_title(struct parser *parser, struct statement *statement)
{
	static const char blanks[] = " \t\r\f\v";
	const char *title = parser->at + 2 + strspn(parser->at + 2, blanks);
	const char *after = title + strcspn(title, "\n"), *at = after;
	while (*at) {
		const char *word = at + 1 + strspn(at + 1, blanks);
		if (*word != '#' || word[1] == '>' || is_title(word, parser->end) ||
		        !word[strcspn(word, "\n")])
			break;
		at = word + strcspn(word, "\n");
	}
	parser->at = at;
	statement->kind = STATEMENT_TITLE;
	statement->why = at > after ? slice_between(after + 1, at) : slice_between(after, after);
	while (after > title && is_blank(after[-1]))
		after--;
	statement->source = slice_between(title, after);
}

/* `fix 31 wait io on comm; allreduce g`: a command that takes the rest of its line as text */
static bool parse_verbatim(struct parser *parser, struct statement *statement)
{
	const char *name = parser->at, *after = name_end(name, parser->end);
	const char *at = skip_blanks(after, parser->end, false), *end = after + strcspn(after, "\n");
	const struct command *row = after > name ? command_called(slice_between(name, after)) : NULL;
	if (!row || !row->verbatim || *at == '=' || (at == after && at < end && *at != ';'))
		return false;
	at = at > end ? end : at;
	end = trim_end(at, end);
	struct argument *argument = tree_alloc(parser->tree, sizeof *argument);
	argument->kind = ARG_TEXT;
	argument->written = slice_between(at, end);
	statement->kind = STATEMENT_COMMAND;
	statement->row = row;
	statement->argument = argument;
	statement->arguments = at < end;
	parser->at = end;
	statement_source(parser, statement, name, end);
	return true;
}

/* Sets *made also after a failure, so that a lenient parser can store the failure there. */
static enum status parse_statement(struct parser *parser, struct statement **made)
{
	const char *line = parser->at;
	struct statement *statement = tree_alloc(parser->tree, sizeof *statement);
	bool known = false;
	*made = statement;
	statement->begin = line;
	statement->line = parser_line(parser, line);
	if (is_title(line, parser->end)) {
		parse_title(parser, statement);
		return ST_OK;
	}
	if (parse_verbatim(parser, statement))
		return ST_OK;
	enum status status = parse_words(parser);
	if (status == ST_OK)
		status = leading_clauses(parser, &statement->clauses);
	if (status != ST_OK)
		return status;
	if (!parser->word_count && *parser->at == '{') {
		statement->kind = STATEMENT_BLOCK;
		statement_source(parser, statement, line, parser->at);
		return parse_block(parser, &statement->block);
	}
	if (!parser->word_count)
		return fail(ST_SYNTAX, "a command or a block was expected after '%.*s'",
		        UP_TO(40, line, parser->at));
	status = parse_keyword(parser, statement, &known);
	if (status != ST_OK || known)
		return status;
	const char *begin = parser->words->at;
	status = parse_line(parser, statement);
	if (status == ST_OK)
		statement_source(parser, statement, line,
		        statement->block ? begin + strcspn(begin, "{\n") : parser->at);
	return status;
}

/* Skips a statement that cannot be parsed, with the blocks that it opens. The # of a#b begins no
 * comment. */
static enum status statement_skip(struct parser *parser)
{
	const char *at = parser->at, *end = parser->end;
	bool word_start = true;
	int depth = 0;
	while (at < end && (depth || (*at != '\n' && *at != ';' && *at != '}'))) {
		char c = *at;
		if (c == '#' && word_start) {
			at = skip_blanks(at, end, depth > 0);
			continue;
		}
		if (c == '"') {
			const char *quote = at;
			at = quote_end(at, end);
			if (!at)
				return fail(ST_INCOMPLETE, "a quote is still open: %.20s", quote);
			word_start = false;
			continue;
		}
		depth += c == '{' ? 1 : c == '}' ? -1 : 0;
		at++;
		word_start = is_blank(c) || strchr("\n;{}", c);
	}
	parser->at = at;
	return depth ? fail(ST_INCOMPLETE, "'}' is still missing") : ST_OK;
}

static enum status broken_statement(
        struct parser *parser, struct statement *statement, const char *start, enum status status)
{
	*statement = (struct statement){.kind = STATEMENT_BROKEN,
	        .begin = start,
	        .line = statement->line,
	        .broken = status,
	        .message = tree_copy(parser->tree, fail_text(), strlen(fail_text()))};
	parser->at = start;
	return statement_skip(parser);
}

static enum status end_of_statement(struct parser *parser)
{
	parser->at = skip_blanks(parser->at, parser->end, false);
	if (at_line_end(parser->at, parser->end) && *parser->at != '{')
		return ST_OK;
	int length = (int)strcspn(parser->at, " \t\n;}");
	return fail(ST_SYNTAX, "'%.*s' cannot follow here: a new line or ';' was expected",
	        length > 40 ? 40 : length, parser->at);
}

/* A lenient parser replaces a statement that fails, unless the text is incomplete. */
enum status parse_statements(struct parser *parser, struct block *block, bool braces)
{
	struct statement **last = &block->first;
	for (;;) {
		const char *blank = skip_blanks(parser->at, parser->end, false);
		bool line_over = blank >= parser->end || *blank == '\n';
		if (parser->one_line && !braces && block->first && line_over) {
			parser->at = blank;
			return ST_OK;
		}
		parser->at = skip_to_statement(parser->at, parser->end);
		if (parser->at >= parser->end)
			return braces
			        ? fail(ST_INCOMPLETE, "'}' is still missing: the block of line %d is open",
			                  block->line)
			        : ST_OK;
		if (*parser->at == ';') {
			parser->at++;
			continue;
		}
		if (*parser->at == '}') {
			if (!braces)
				return fail(ST_SYNTAX, "'}' closes nothing");
			parser->at++;
			return ST_OK;
		}
		const char *start = parser->at;
		int depth = parser->depth;
		struct statement *statement = NULL;
		enum status status = parse_statement(parser, &statement);
		if (status == ST_OK)
			status = end_of_statement(parser);
		parser->depth = depth;
		if (status != ST_OK && status != ST_INCOMPLETE &&
		        meant_line(start, start + strcspn(start, ";\n")))
			status = ST_SYNTAX;
		if (statement && status != ST_OK && parser->lenient && status != ST_INCOMPLETE)
			status = broken_statement(parser, statement, start, status);
		if (status != ST_OK)
			return status;
		*last = statement;
		last = &statement->next;
	}
}

/* NESTING_MAX limits blocks and brackets together, so that the recursion fits the stack. */
enum status parse_block(struct parser *parser, struct block **made)
{
	parser->at = skip_blanks(parser->at, parser->end, false);
	if (*parser->at != '{')
		return fail(ST_SYNTAX, "a block was expected here, opened on this line: { ... }");
	if (++parser->depth > NESTING_MAX)
		return fail(ST_LIMIT, "brackets and braces nest deeper than %d", NESTING_MAX);
	parser->at++;
	struct block *block = tree_alloc(parser->tree, sizeof *block);
	*made = block;
	block->line = parser_line(parser, parser->at);
	enum status status = parse_statements(parser, block, true);
	parser->depth--;
	return status;
}

/* keyword.c -- statements that are not commands; `tensor` is in keyword_tensor.c.
 *
 *     let NAME = expr                 if expr { } [ else { } | else if ... ]       repeat expr { }
 *     for NAME in from:to[:step] { }  for NAME in word { word } { }         def NAME { NAME } { }
 *     expect expr                     expect error [ "text" ] { }           refuse expr "text"
 *     expect verify [iterations=N]
 *     option NAME=DEFAULT [of="a b"] [for="x y"] [least=N] [with="other=a"] [unless="axis"] "text"
 *
 * They have no rows, because an expression of theirs may have blanks, or a block of theirs may run
 * any number of times. Each function begins after the keyword. */
#include "shell/language/parse/parse.h"

typedef enum status parse_one(struct parser *parser, struct statement *statement);

enum status rest_formula(struct parser *parser, const char *what, struct formula **formula)
{
	const char *at = skip_blanks(parser->rest, parser->rest_end, false);
	return at < parser->rest_end ? parse_formula(parser, at, parser->rest_end, formula)
	                             : fail(ST_SYNTAX, "%s needs an expression", what);
}

static enum status formula_block(
        struct parser *parser, struct statement *statement, const char *what, const char *example)
{
	enum status status = rest_formula(parser, what, &statement->formula);
	bool block = *skip_blanks(parser->rest_end, parser->end, false) == '{';
	if (status == ST_SYNTAX && parser->word_count && !block)
		return fail(ST_SYNTAX, "%s needs a block on its line: %s { ... }", what, example);
	return status == ST_OK ? parse_block(parser, &statement->block) : status;
}

enum status fresh_name(
        struct parser *parser, const char *what, const char *at, const char *after, struct name **name)
{
	int length = (int)(after - at < 40 ? after - at : 40);
	if (at == after)
		return fail(ST_SYNTAX, "%s needs a name", what);
	if (name_end(at, after) != after)
		return fail(ST_SYNTAX, "%s: '%.*s' is not a name: letters, digits and _ make one", what,
		        length, at);
	if (name_is_reserved(slice_between(at, after)))
		return fail(ST_NAME, "%s: '%.*s' is a reserved word", what, length, at);
	return parse_name(parser, at, after, name);
}

static enum status parse_let(struct parser *parser, struct statement *statement)
{
	const struct word *word = parser->words;
	const char *at = parser->word_count ? word->at : parser->rest_end;
	const char *after = parser->word_count ? word->stop : at;
	enum status status = fresh_name(parser, "let", at, after, &statement->word);
	if (status != ST_OK)
		return status;
	parser->rest = skip_blanks(after, parser->rest_end, false);
	if (*parser->rest != '=' || parser->rest[1] == '=')
		return fail(ST_SYNTAX, "let %.*s: '=' was expected, as in: let %.*s = 4", (int)(after - at),
		        at, (int)(after - at), at);
	parser->rest++;
	return rest_formula(parser, "let NAME =", &statement->formula);
}

/* `else if` is an `if` in an implicit block; it counts as one level deeper. */
static enum status parse_if(struct parser *parser, struct statement *statement)
{
	enum status status = formula_block(parser, statement, "if", "if rank == 0");
	if (status != ST_OK)
		return status;
	const char *word = skip_blanks(parser->at, parser->end, false);
	if (strncmp(word, "else", 4) != 0 || is_name_char(word[4]))
		return ST_OK;
	const char *next = parser->at = skip_blanks(word + 4, parser->end, false);
	if (strncmp(next, "if", 2) != 0 || is_name_char(next[2]))
		return parse_block(parser, &statement->otherwise);
	if (++parser->depth > NESTING_MAX)
		return fail(ST_LIMIT, "more than %d branches of an `if`", NESTING_MAX);
	parser->at += 2;
	struct statement *inner = tree_alloc(parser->tree, sizeof *inner);
	statement->otherwise = tree_alloc(parser->tree, sizeof *statement->otherwise);
	statement->otherwise->first = inner;
	inner->kind = STATEMENT_IF;
	inner->line = statement->line;
	inner->source = slice_between(word, next + 2);
	status = parse_words(parser);
	return status == ST_OK ? parse_if(parser, inner) : status;
}

static enum status parse_repeat(struct parser *parser, struct statement *statement)
{
	return formula_block(parser, statement, "repeat", "repeat 4");
}

static enum status parse_range(
        struct parser *parser, struct statement *statement, const char *at, const char *after)
{
	const char *colon = find_outside(at, after, ":"), *second = find_outside(colon + 1, after, ":");
	if (colon == at || (second ? second : after) == colon + 1 || second + 1 == after)
		return fail(ST_SYNTAX, "for: a range is from:to or from:to:step, not '%.*s'",
		        UP_TO(40, at, after));
	enum status status = parse_formula(parser, at, colon, &statement->formula);
	if (status == ST_OK)
		status = parse_formula(parser, colon + 1, second ? second : after, &statement->to);
	if (status == ST_OK && second)
		status = parse_formula(parser, second + 1, after, &statement->step);
	return status;
}

static enum status parse_for(struct parser *parser, struct statement *statement)
{
	const struct word *words = parser->words;
	if (parser->word_count < 3 || !word_is(&words[1], "in"))
		return fail(ST_SYNTAX, "for needs: for NAME in 0:4 { ... }, or: for NAME in w1 w2 { ... }");
	enum status status = fresh_name(parser, "for", words[0].at, words[0].after, &statement->word);
	if (status != ST_OK)
		return status;
	if (parser->word_count == 3 && find_outside(words[2].at, words[2].after, ":"))
		status = parse_range(parser, statement, words[2].at, words[2].after);
	else
		status = bind_call(parser, statement, 2);
	return status == ST_OK ? parse_block(parser, &statement->block) : status;
}

/* Refuses a command's name: otherwise a line's meaning would depend on the files that ran
 * before. */
static enum status parse_def(struct parser *parser, struct statement *statement)
{
	enum { PARAMETERS_OF_DEF_MAX = 32 };
	const struct word *words = parser->words;
	enum status status;
	if (!parser->word_count)
		return fail(ST_SYNTAX, "def needs a name: def forward x w { ... }");
	if (parser->word_count > PARAMETERS_OF_DEF_MAX)
		return fail(ST_LIMIT, "a def has at most %d parameters", PARAMETERS_OF_DEF_MAX);
	statement->parameter = tree_alloc(parser->tree, parser->word_count * sizeof *statement->parameter);
	for (size_t i = 0; i < parser->word_count; i++) {
		struct name *name;
		status = fresh_name(parser, "def", words[i].at, words[i].after, &name);
		if (status == ST_OK && !name->constant)
			status = fail(ST_SYNTAX, "def: its names are plain words, without $");
		if (status != ST_OK)
			return status;
		if (i)
			statement->parameter[statement->parameters++] =
			        slice_between(words[i].at, words[i].after);
		else
			statement->word = name;
	}
	struct slice_of_text name = statement->word->written;
	if (command_called(name))
		return fail(ST_NAME, "def %.*s: that is a command; take another name", WHOLE(name));
	statement->next_call = parser->tree->defs;
	parser->tree->defs = statement;
	struct statement *outer = parser->def;
	const char *from = words->at;
	parser->def = statement;
	status = parse_block(parser, &statement->block);
	statement->why = slice_between(from, parser->at);
	parser->def = outer;
	return status;
}

static enum status parse_expect_error(struct parser *parser, struct statement *statement)
{
	statement->kind = STATEMENT_EXPECT_ERROR;
	const struct word *word = parser->words;
	bool given = parser->word_count && *word->at == '"';
	if (given) {
		enum status status = parse_name(parser, word->at, word->after, &statement->word);
		if (status == ST_OK && !statement->word->constant)
			status = fail(ST_SYNTAX,
			        "expect error: words in quotes and a block were expected, as in: expect "
			        "error \"no tensor\" { print x }");
		if (status != ST_OK)
			return status;
	}
	if (parser->word_count > given)
		parser->at = word[given].at;
	bool lenient = parser->lenient;
	parser->lenient = true;
	enum status status = parse_block(parser, &statement->block);
	parser->lenient = lenient;
	return status;
}

/* `expect error` is not an expression if a blank, a quote or a `{` follows. */
static enum status parse_expect(struct parser *parser, struct statement *statement)
{
	struct word *word = parser->words;
	const char *stop = parser->word_count ? word->stop : parser->rest_end;
	if (parser->word_count && text_is(word->at, stop, "error") &&
	        (is_blank(*stop) || *stop == '{' || *stop == '"')) {
		if (word->name)
			words_drop(parser, 1);
		else
			word->at = stop; /* error"words" */
		return parse_expect_error(parser, statement);
	}
	bool alone = parser->word_count && (parser->word_count == 1 || word[1].sign);
	if (alone && text_is(word->at, word->after, "verify")) {
		enum status status = parse_line(parser, statement);
		statement->kind = STATEMENT_EXPECT_VERIFY;
		return status;
	}
	return rest_formula(parser, "expect", &statement->formula);
}

static const char option_usage[] = "option NAME=DEFAULT [of=\"a b\"] [for=\"x y\"] [least=1] "
                                   "[with=\"other=a\"] [unless=\"axis\"] \"a sentence\"";

static enum status option_word(struct parser *parser, struct option_line *line, const struct word *word)
{
	const struct {
		const char *key, **value;
	} texts[] = {{"of", &line->words}, {"for", &line->parts}, {"with", &line->with},
	        {"unless", &line->unless}};
	bool least = word->sign && text_is(word->at, word->sign, "least");
	const char *at = word->sign ? word->sign + 1 : word->at;
	size_t length = word->after - at;
	bool text = length >= 2 && *at == '"';
	int used = 0;
	if (least) {
		line->has_least = true;
		enum status status = number_read(at, &line->least, &used);
		return status == ST_OK && (size_t)used != length
		        ? fail(ST_SYNTAX, "option: '%.*s': a number was expected", WORD(word))
		        : status;
	}
	for (size_t i = 0; i < sizeof texts / sizeof *texts && text && word->sign; i++)
		if (text_is(word->at, word->sign, texts[i].key)) {
			*texts[i].value = tree_copy(parser->tree, at + 1, length - 2);
			return ST_OK;
		}
	if (text && !word->sign) {
		line->about = (struct slice_of_text){at + 1, (uint32_t)length - 2};
		return ST_OK;
	}
	return fail(ST_SYNTAX, "option: '%.*s' was not expected: %s", UP_TO(40, word->at, word->after),
	        option_usage);
}

static enum status parse_option(struct parser *parser, struct statement *statement)
{
	const struct word *words = parser->words;
	if (parser->def || parser->depth)
		return fail(ST_SYNTAX, "an `option` cannot be in a block: it belongs to the whole file");
	if (!parser->word_count || !words->sign || words->sign + 1 == words->after)
		return fail(ST_SYNTAX, "option needs NAME=DEFAULT: %s", option_usage);
	struct option_line *line = tree_alloc(parser->tree, sizeof *line);
	statement->given = line;
	line->name = slice_between(words->at, words->sign);
	line->value = slice_between(words->sign + 1, words->after);
	enum status status = fresh_name(parser, "option", words->at, words->sign, &statement->word);
	for (size_t i = 1; i < parser->word_count && status == ST_OK; i++)
		status = option_word(parser, line, &words[i]);
	if (status != ST_OK)
		return status;
	if (!line->about.length)
		return fail(ST_SYNTAX, "option %.*s needs a sentence that describes it: %s",
		        WHOLE(line->name), option_usage);
	const char *value = line->value.at, *after = value + line->value.length;
	struct number number;
	int used = 0;
	if (line->words && !line->parts && !line->has_least && !is_listed(line->words, line->value))
		return none_of("option", slice_between(words->at, words->after), line->value, line->words);
	if (!line->words || (line->has_least && !is_listed(line->words, line->value)) ||
	        (number_read(value, &number, &used) == ST_OK && value + used == after))
		return parse_formula(parser, value, after, &line->formula);
	return ST_OK;
}

static enum status parse_refuse(struct parser *parser, struct statement *statement)
{
	const struct word *words = parser->words, *text = words + parser->word_count - 1;
	if (parser->word_count < 2 || *text->at != '"')
		return fail(ST_SYNTAX,
		        "refuse needs a condition and a text with the reason: refuse batch %% size(dp) != 0 "
		        "\"...\"");
	enum status status = parse_name(parser, text->at, text->after, &statement->word);
	return status == ST_OK ? parse_formula(parser, words->at, text->at, &statement->formula) : status;
}

/* Sets *known if the first word is a keyword. */
enum status parse_keyword(struct parser *parser, struct statement *statement, bool *known)
{
	static const struct {
		const char *word;
		enum statement_kind kind;
		parse_one *parse;
	} keywords[] = {{"tensor", STATEMENT_TENSOR, parse_tensor_line}, {"let", STATEMENT_LET, parse_let},
	        {"if", STATEMENT_IF, parse_if}, {"repeat", STATEMENT_REPEAT, parse_repeat},
	        {"for", STATEMENT_FOR, parse_for}, {"def", STATEMENT_DEF, parse_def},
	        {"expect", STATEMENT_EXPECT, parse_expect}, {"option", STATEMENT_OPTION, parse_option},
	        {"refuse", STATEMENT_REFUSE, parse_refuse}};
	const char *from = parser->words->at, *end = parser->rest_end, *to = from;
	if (word_is(parser->words, "else"))
		return fail(ST_SYNTAX, "`else` goes on the line of the '}' it belongs to");
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
		if (!word_is(parser->words, keywords[i].word))
			continue;
		*known = true;
		words_drop(parser, 1);
		statement->kind = (uint8_t)keywords[i].kind;
		enum status status = keywords[i].parse(parser, statement);
		if (status == ST_OK && (statement->clauses.stream || statement->clauses.group) &&
		        statement->kind != STATEMENT_TENSOR)
			status = fail(ST_SYNTAX,
			        "%s takes no `on` or `in` before it; a block does: on S { ... }",
			        keywords[i].word);
		while (to < end && *to != '\n' && *to != '{')
			to++;
		statement_source(parser, statement, from, to);
		return status;
	}
	return ST_OK;
}

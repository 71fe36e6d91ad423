/* clause.c -- the words of a line; its clauses `@RANKS`, `on STREAM`, `in GROUP`.
 *
 * Clauses stand anywhere in a line and before a block, each once. They are taken out before the other words
 * are given to the arguments of a command, so no row has to know of them. */
#include "shell/language/parse/parse.h"
#include "base/memory.h"

#include <string.h>

static enum status add_word(struct parser *parser, const char *at, const char *after)
{
	if (parser->word_count == WORDS_MAX)
		return fail(ST_LIMIT, "a line has more than %d words", WORDS_MAX);
	MEM_GROW(&parser->words, parser->word_count, &parser->word_room);
	parser->words[parser->word_count++] = (struct word){at, after, option_sign(at, after), 0};
	return ST_OK;
}

enum status parse_words(struct parser *parser)
{
	parser->word_count = 0;
	for (;;) {
		parser->at = skip_blanks(parser->at, parser->end, false);
		if (at_line_end(parser->at, parser->end))
			return ST_OK;
		const char *after;
		enum status status = scan_word(parser->at, parser->end, &after);
		if (status == ST_OK)
			status = add_word(parser, parser->at, after);
		if (status != ST_OK)
			return status;
		parser->at = after;
	}
}

static enum status twice(const char *what)
{
	return fail(ST_SYNTAX, "'%s' stands twice on this line", what);
}

static enum status stream_or_group(struct parser *parser, const struct word *key, const struct word *word,
        const char *line_end, struct name **name)
{
	const char *what = *key->at == 'o' ? "on" : "in";
	if (*name)
		return twice(what);
	if (!word || word->at >= line_end)
		return fail(ST_SYNTAX, "'%s' wants a %s behind it", what, *what == 'o' ? "stream" : "group");
	if (name_end(word->at, word->after) != word->after)
		return fail(ST_SYNTAX, "%s %.*s: the name of a %s was expected", what,
		        UP_TO(40, word->at, word->after), *what == 'o' ? "stream" : "group");
	return parse_name(parser, word->at, word->after, name);
}

/* Steps over words[*i] when it is one, and over the name behind `on` and `in`. A word `on` is thereby never
 * an argument, but for the rows that say otherwise (bind_command). */
enum status parse_clause(struct parser *parser, struct clauses *clauses, size_t *i, bool *is_clause)
{
	const struct word *word = &parser->words[*i];
	bool on = word_is(word, "on"), in = word_is(word, "in");
	*is_clause = on || in || *word->at == '@';
	if (!*is_clause)
		return ST_OK;
	++*i;
	if (*word->at == '@') {
		if (clauses->ranks)
			return twice("@");
		return parse_ranks(parser, word->at + 1, word->after, &clauses->ranks);
	}
	const struct word *next = *i < parser->word_count ? &parser->words[(*i)++] : NULL;
	return stream_or_group(parser, word, next, parser->end, on ? &clauses->stream : &clauses->group);
}

/* `@1 on comm { ... }`, `@0 print x`: read before it is known what stands behind them. `on` and `in` are
 * clauses only with a blank behind: `once = 3` is a line like any other. */
enum status leading_clauses(struct parser *parser, struct clauses *clauses)
{
	for (;;) {
		const char *at = parser->at, *after;
		bool named = parser->end - at > 2 && (memcmp(at, "on", 2) == 0 || memcmp(at, "in", 2) == 0) &&
		        is_blank(at[2]);
		if (at_line_end(at, parser->end) || (*at != '@' && !named))
			return ST_OK;
		parser->word_count = 0;
		size_t i = 0;
		bool is_clause;
		enum status status = ST_OK;
		for (int words = named ? 2 : 1; words > 0 && status == ST_OK; words--) {
			parser->at = skip_blanks(parser->at, parser->end, false);
			if (at_line_end(parser->at, parser->end))
				break;
			status = scan_word(parser->at, parser->end, &after);
			if (status == ST_OK)
				status = add_word(parser, parser->at, after);
			if (status == ST_OK)
				parser->at = after;
		}
		if (status == ST_OK)
			status = parse_clause(parser, clauses, &i, &is_clause);
		if (status != ST_OK)
			return status;
		parser->at = skip_blanks(parser->at, parser->end, false);
	}
}

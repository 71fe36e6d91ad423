/* clause.c -- a statement's words, and its clauses `@RANKS`, `on STREAM`, `in GROUP`.
 *
 *     @1 y = matmul x w[0:4] on comm seed=1        words: at, after, stop (of the name), sign
 *     ^  ^ ^ ^      ^ ^      ^       ^
 *     clauses: before a block or a line, or anywhere in a line (parse_clauses)
 *
 * All words are read before the statement's kind is known. Clauses are removed before words are
 * bound to arguments. */
#include "shell/language/parse/parse.h"
#include "base/memory.h"

#include <stdlib.h>

static struct word word_read(const char *at, const char *after)
{
	const char *stop = name_end(at, after), *sign = NULL;
	bool name = stop == after;
	if (!name && stop > at && (*stop == '=' || *stop == '.'))
		sign = option_sign(at, after);
	return (struct word){.at = at,
	        .after = after,
	        .stop = stop,
	        .sign = sign,
	        .name = name,
	        .tensor = name || (stop > at && is_slice(stop, after))};
}

enum status parse_words(struct parser *parser)
{
	parser->word_count = 0;
	parser->rest = parser->rest_end = parser->at;
	for (;;) {
		parser->at = skip_blanks(parser->at, parser->end, false);
		if (at_line_end(parser->at, parser->end))
			return ST_OK;
		if (parser->word_count == WORDS_MAX)
			return fail(ST_LIMIT, "a line has more than %d words", WORDS_MAX);
		const char *after;
		enum status status = scan_word(parser->at, parser->end, &after);
		if (status != ST_OK)
			return status;
		*MEM_ADD(&parser->words, &parser->word_count) = word_read(parser->at, after);
		parser->at = parser->rest_end = after;
	}
}

void words_drop(struct parser *parser, size_t count)
{
	if (!count)
		return;
	parser->rest = parser->words[count - 1].after;
	parser->word_count -= count;
	memmove(parser->words, parser->words + count, parser->word_count * sizeof *parser->words);
}

static enum status parse_clause(struct parser *parser, struct clauses *clauses, size_t *i)
{
	const struct word *word = &parser->words[(*i)++];
	bool on = *word->at == 'o', ranks = *word->at == '@';
	const char *what = on ? "on" : ranks ? "@" : "in", *thing = on ? "stream" : "group";
	struct name **name = on ? &clauses->stream : &clauses->group;
	if (ranks ? clauses->ranks != NULL : *name != NULL)
		return fail(ST_SYNTAX, "'%s' is given twice on this line", what);
	if (ranks)
		return parse_ranks(parser, word->at + 1, word->after, &clauses->ranks);
	if (*i == parser->word_count)
		return fail(ST_SYNTAX, "'%s' needs a %s after it", what, thing);
	word = &parser->words[(*i)++];
	if (!word->name)
		return fail(ST_SYNTAX, "%s %.*s: the name of a %s was expected", what,
		        UP_TO(40, word->at, word->after), thing);
	return parse_name(parser, word->at, word->after, name);
}

/* `on` and `in` begin a clause only if a blank follows. */
enum status leading_clauses(struct parser *parser, struct clauses *clauses)
{
	size_t i = 0;
	enum status status = ST_OK;
	while (status == ST_OK && i < parser->word_count &&
	        (*parser->words[i].at == '@' ||
	                ((word_is(&parser->words[i], "on") || word_is(&parser->words[i], "in")) &&
	                        is_blank(*parser->words[i].after))))
		status = parse_clause(parser, clauses, &i);
	if (status == ST_OK)
		words_drop(parser, i);
	return status;
}

/* A last word `on` is an argument if the command takes no stream (`timeline on`). */
enum status parse_clauses(struct parser *parser, struct statement *statement, size_t first)
{
	const struct command *row = statement->row;
	size_t kept = first;
	for (size_t i = first; i < parser->word_count;) {
		const struct word *word = &parser->words[i];
		bool last = i + 1 == parser->word_count;
		bool on = word_is(word, "on") && !(last && row && !row->stream_ok);
		bool in = word_is(word, "in") && !(last && row && !row->group_ok);
		if (!on && !in && *word->at != '@') {
			parser->words[kept++] = parser->words[i++];
			continue;
		}
		enum status status = parse_clause(parser, &statement->clauses, &i);
		if (status != ST_OK)
			return status;
	}
	parser->word_count = kept;
	return ST_OK;
}

/* ---- sets of ranks, the text after an @
 *
 *     ranks   = "all" | range { "," range } | axis "=" expr { "," axis "=" expr } | "(" expr ")"
 *
 *     @0-3,5      RANKS_REF_LIST       known now
 *     @tp=0,dp=1  RANKS_REF_ASKED      the ranks at these places of a mesh of the line's world
 *     @(rank<n)   RANKS_REF_ASKED      evaluated on each rank
 *     @$set       RANKS_REF_NAME       text, parsed as one of the others when the line runs */

static enum status ranks_mistake(const char *at, const char *after)
{
	return fail(ST_RANK, "'@%.*s' is not a set of ranks: @all @0 @0-3 @1,3 @tp=0 @(rank %% 2 == 0)",
	        UP_TO(40, at, after));
}

static int count_commas(const char *at, const char *after)
{
	int count = 1;
	for (; at < after; at++)
		count += *at == ',';
	return count;
}

/* Reads digits at *p. A rank above RANKS_MAX becomes RANKS_MAX, which the run refuses. */
static bool read_rank(const char **p, int *rank)
{
	char *stop;
	if (**p < '0' || **p > '9')
		return false;
	long value = strtol(*p, &stop, 10);
	*rank = value > RANKS_MAX ? RANKS_MAX : (int)value;
	*p = stop;
	return true;
}

static enum status parse_range_list(
        struct parser *parser, const char *at, const char *after, struct ranks_ref *ranks)
{
	ranks->kind = RANKS_REF_LIST;
	ranks->range = tree_alloc(parser->tree, count_commas(at, after) * sizeof *ranks->range);
	for (const char *p = at;; p++) {
		struct ranks_range *range = &ranks->range[ranks->count++];
		if (p >= after || !read_rank(&p, &range->from))
			return ranks_mistake(at, after);
		range->to = range->from;
		if (p < after && *p == '-' && (++p == after || !read_rank(&p, &range->to)))
			return ranks_mistake(at, after);
		if (range->to < range->from)
			return fail(ST_RANK, "@%.*s: %d-%d counts down", UP_TO(40, at, after), range->from,
			        range->to);
		if (p == after)
			return ST_OK;
		if (*p != ',')
			return ranks_mistake(at, after);
	}
}

/* tp=0,dp=$i: a rank must be at all these places. The run looks the axes up. */
static enum status parse_axes(
        struct parser *parser, const char *at, const char *after, struct ranks_ref *ranks)
{
	ranks->kind = RANKS_REF_ASKED;
	ranks->axis = tree_alloc(parser->tree, count_commas(at, after) * sizeof *ranks->axis);
	for (const char *p = at; p < after;) {
		const char *comma = find_outside(p, after, ",");
		const char *stop = comma ? comma : after, *sign = option_sign(p, stop);
		if (!sign || sign + 1 == stop)
			return ranks_mistake(at, after);
		struct ranks_axis *axis = &ranks->axis[ranks->count++];
		enum status status = parse_name(parser, p, sign, &axis->name);
		if (status == ST_OK)
			status = parse_formula(parser, sign + 1, stop, &axis->value);
		if (status != ST_OK)
			return status;
		p = comma ? comma + 1 : after;
		if (comma && p == after)
			return ranks_mistake(at, after);
	}
	return ST_OK;
}

enum status parse_ranks(struct parser *parser, const char *at, const char *after, struct ranks_ref **made)
{
	struct ranks_ref *ranks = tree_alloc(parser->tree, sizeof *ranks);
	ranks->written = slice_between(at, after);
	*made = ranks;
	if (text_is(at, after, "all")) {
		ranks->kind = RANKS_REF_ALL;
		return ST_OK;
	}
	if (at < after && *at == '(') {
		ranks->kind = RANKS_REF_ASKED;
		return parse_formula(parser, at, after, &ranks->formula);
	}
	if (memchr(at, '$', after - at)) {
		ranks->kind = RANKS_REF_NAME;
		return parse_name(parser, at, after, &ranks->name);
	}
	if (at < after && is_name_start(*at))
		return parse_axes(parser, at, after, ranks);
	return parse_range_list(parser, at, after, ranks);
}

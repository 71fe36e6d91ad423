/* parse_ranks.c -- a set of ranks, the text after an @.
 *
 *     ranks   = "all" | range { "," range } | axis "=" expr { "," axis "=" expr } | "(" expr ")"
 *
 *     @0-3,5      RANKS_REF_LIST       known now
 *     @tp=0,dp=1  RANKS_REF_ASKED      the ranks at these places of a mesh of the line's world
 *     @(rank<n)   RANKS_REF_ASKED      evaluated on each rank
 *     @$set       RANKS_REF_NAME       text, read as one of the others when the line runs */
#include "shell/language/parse/parse.h"

#include <stdlib.h>
#include <string.h>

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

/* Digits at *p. A rank above RANKS_MAX becomes RANKS_MAX, and is refused when the line runs. */
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

/* Only numbers: a set with variables is an expression, @(rank < n). */
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

/* tp=0,dp=$i: all must hold. The axis, a group of `mesh`, is looked up when the line runs. */
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

/* The first character decides: a bracket, a digit, a letter. With a `$` the text is a name, read
 * when the line runs (tree_ranks). */
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

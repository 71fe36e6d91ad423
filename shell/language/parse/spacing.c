/* spacing.c -- missing blanks around '=' and '->', and blanks inside KEY = VALUE: suggests the
 * line
 *
 *     y=matmul x w            y = matmul x w        the first word looks like KEY=VALUE
 *     tensor x[4]=1           tensor x[4] = 1
 *     copy h->x on io         copy h -> x on io
 *     allreduce y op = sum    op=sum                a command's option, so `=` assigns nothing
 *
 * The parser reads a line with added blanks before it is suggested. If that still fails, its
 * failure is reported instead, so that no advice leads to the next mistake. */
#include "shell/language/parse/parse.h"

#include <string.h>

/* Returns the '=' of an assignment outside brackets and quotes: not ==, <=, >=, !=; NULL if
 * none. */
static const char *assignment_sign(const char *at, const char *after)
{
	for (const char *p = at; (p = find_outside(p, after, "=")); p++) {
		bool doubled = p + 1 < after && p[1] == '=';
		if (!doubled && p > at && !strchr("=<>!", p[-1]))
			return p;
		p += doubled;
	}
	return NULL;
}

static enum status spacing_suggest(const char *at, const char *sign, const char *after)
{
	const char *left = trim_end(at, sign - (sign[-1] == '+')),
	           *right = skip_blanks(sign + 1, after, true);
	struct text line = {0};
	struct tree *tree = NULL;
	text_add(&line, "%.*s %s %.*s", (int)(left - at), at, sign[-1] == '+' ? "+=" : "=",
	        (int)(after - right), right);
	enum status status = tree_parse(&tree, text_string(&line), line.count, NULL, 1);
	if (status == ST_OK) {
		tree_release(tree);
		status = fail(ST_SYNTAX, "'%s' between blanks assigns: %s", sign[-1] == '+' ? "+=" : "=",
		        text_string(&line));
	}
	text_release(&line);
	return status;
}

enum status spacing_sign(const char *at, const char *after)
{
	const char *sign = after - at > 1000 ? NULL : assignment_sign(at, after);
	if (!sign || sign + 1 == after)
		return ST_OK;
	const char *left = sign - (sign[-1] == '+');
	/* a line with blanks already would be its own suggestion */
	bool spaced = left > at && is_blank(left[-1]) && is_blank(sign[1]);
	return spaced ? ST_OK : spacing_suggest(at, sign, after);
}

/* True for `y=matmul x w` and `y =matmul x w`. In `frob x algo=ring` the sign is an option's,
 * unless a command follows it. */
static bool sign_assigns(const struct parser *parser, const char *sign)
{
	const struct word *words = parser->words;
	const char *right = sign + 1;
	if (sign < words->after || parser->word_count == 1 || sign == words[1].at ||
	        (sign == words[1].at + 1 && *words[1].at == '+'))
		return true; /* y=... y =... y +=... */
	return command_called(slice_between(right, name_end(right, parser->rest_end))) != NULL;
}

enum status spacing_line(const struct parser *parser)
{
	const char *at = parser->words->at, *after = parser->rest_end;
	if (!memchr(at, '=', after - at))
		return ST_OK;
	const char *sign = assignment_sign(at, after);
	return sign && sign_assigns(parser, sign) ? spacing_sign(at, after) : ST_OK;
}

enum status spacing_option(const struct parser *parser, size_t equal)
{
	const struct command *row = command_called(slice_of(parser->words));
	const struct word *key = &parser->words[equal - 1];
	return row && equal > 1 && option_row(row, key->at, key->after)
	        ? fail(ST_SYNTAX, "KEY=VALUE has no blanks: %.*s=%.*s", WORD(key), WORD(&key[2]))
	        : ST_OK;
}

enum status spacing_arrow(const struct command *row, const char *at, const char *after)
{
	const char *arrow = memmem(at, after - at, "->", 2);
	if (!arrow || after - at > 200)
		return ST_OK;
	const char *left = trim_end(at, arrow), *right = skip_blanks(arrow + 2, after, true);
	if ((left < arrow || left == at) && (right > arrow + 2 || right == after))
		return ST_OK;
	return fail(ST_SYNTAX, "'->' needs blanks around it: %s %.*s%s-> %.*s", row->name, (int)(left - at),
	        at, left > at ? " " : "", (int)(after - right), right);
}

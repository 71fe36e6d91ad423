/* spacing.c -- blanks that are missing around '=' and '->', and blanks that tear KEY = VALUE apart: says the
 * line as it should be
 *
 *     y=matmul x w            y = matmul x w        a word that looks like KEY=VALUE begins the line
 *     tensor x[4]=1           tensor x[4] = 1
 *     copy h->x on io         copy h -> x on io
 *     allreduce y op = sum    op=sum                a command's option, so `=` assigns nothing
 *
 * A line with blanks at its '=' is said only after the parser has read it so: what is still wrong with it is
 * said instead, and no advice leads to the next mistake. */
#include "shell/language/parse/parse.h"

#include <string.h>

/* The '=' of an assignment outside brackets and quotes: not ==, <=, >=, !=. NULL: none */
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

/* "tensor x[4] = 1" of "tensor x[4]=1"; what is still wrong with it then is said instead */
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
	/* with blanks already, the line as it should be is the line as it is, and would be said for ever */
	bool spaced = left > at && is_blank(left[-1]) && is_blank(sign[1]);
	return spaced ? ST_OK : spacing_suggest(at, sign, after);
}

/* `y=matmul x w` and `y =matmul x w` do. In `frob x algo=ring` the sign belongs to an option, unless a
 * command stands right behind it. */
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

/* The line is shown with blanks at its first arrow, its other words as they are */
enum status spacing_arrow(const struct command *row, const char *at, const char *after)
{
	const char *arrow = memmem(at, after - at, "->", 2);
	if (!arrow || after - at > 200)
		return ST_OK;
	const char *left = trim_end(at, arrow), *right = skip_blanks(arrow + 2, after, true);
	if ((left < arrow || left == at) && (right > arrow + 2 || right == after))
		return ST_OK; /* it does, or there is nothing to set apart */
	return fail(ST_SYNTAX, "'->' needs blanks around it: %s %.*s%s-> %.*s", row->name, (int)(left - at),
	        at, left > at ? " " : "", (int)(after - right), right);
}

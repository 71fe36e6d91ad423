/* mistakes.c -- messages for a word that no argument of a command takes, for an unknown value, and
 * for missing or extra blanks */
#include "shell/language/parse/parse.h"

bool is_operator(const struct word *word)
{
	if (!strchr("%*/+-=!<>aon", *word->at) || word->after - word->at > 3)
		return false;
	return is_listed("% * / // + - == != < <= > >= and or not", slice_of(word));
}

/* "allreduce: 'op=sun' is none of: sum max min avg prod; did you mean 'op=sum'?" */
enum status none_of(
        const char *command, struct slice_of_text written, struct slice_of_text value, const char *words)
{
	int length = (int)(written.length < 60 ? written.length : 60), count;
	const char *near = text_nearest(words, value.at, value.length, &count);
	if (near)
		return fail(ST_ARGUMENT, "%s: '%.*s' is none of: %s; did you mean '%.*s%.*s'?", command,
		        length, written.at, words, (int)(written.length - value.length), written.at, count,
		        near);
	return fail(ST_ARGUMENT, "%s: '%.*s' is none of: %s", command, length, written.at, words);
}

/* Both corrections are made of the words on its two sides, after a KEY= if there is one:
 *
 *     send x to=rank + 1      left to=rank, right 1:      write to=rank+1, or to=(rank + 1) */
enum status lonely_operator(const struct parser *parser, size_t i)
{
	const struct word *words = parser->words;
	const struct word *left = i ? &words[i - 1] : NULL,
	                  *right = i + 1 < parser->word_count ? &words[i + 1] : NULL;
	int length = (int)(words[i].after - words[i].at);
	if (!left || !right || left->after - left->at > 60 || right->after - right->at > 60)
		return fail(ST_SYNTAX,
		        "'%.*s' is a separate word here: write an expression without blanks, or in brackets",
		        length, words[i].at);
	const char *from = left->sign ? left->sign + 1 : left->at;
	int key = (int)(from - left->at), a = (int)(left->after - from), b = (int)(right->after - right->at);
	return fail(ST_SYNTAX, "'%.*s' is a separate word here: write %.*s%.*s%.*s, or %.*s(%.*s %.*s %.*s)",
	        length, words[i].at, (int)(left->after - left->at), left->at, length, words[i].at, b,
	        right->at, key, left->at, a, from, length, words[i].at, b, right->at);
}

enum status plus_apart(const struct word *word)
{
	size_t length = word->after - word->at;
	const char *plus = memchr(word->at, '+', length);
	if (!plus || memchr(word->at, '/', length))
		return ST_OK;
	bool inside = plus > word->at && plus + 1 < word->after;
	if (inside && (word->sign || memchr(word->at, '.', length)) && !memchr(plus, '=', word->after - plus))
		return ST_OK;
	return fail(ST_SYNTAX, "'%.*s': the + needs blanks around it: %.*s%s+%s%.*s", WORD(word),
	        UP_TO(40, word->at, plus), plus > word->at ? " " : "", plus + 1 < word->after ? " " : "",
	        UP_TO(40, plus + 1, word->after));
}

enum status word_surplus(const struct parser *parser, const struct statement *statement, size_t i)
{
	const struct word *word = &parser->words[i];
	if (is_operator(word))
		return lonely_operator(parser, i);
	if (word_is(word, "help"))
		return fail(ST_ARGUMENT, "write: help %s", statement->row->name);
	for (int k = 0; k < ARGUMENT_ROWS_MAX; k++) {
		const struct argument_row *row = &statement->row->argument[k];
		int count;
		const char *near = row->kind == ARG_WORD && row->words
		        ? text_nearest(row->words, word->at, (size_t)(word->after - word->at), &count)
		        : NULL;
		if (near)
			return fail(ST_ARGUMENT, "%s: '%.*s' was not expected; did you mean '%.*s'? %s",
			        statement->row->name, UP_TO(40, word->at, word->after), count, near,
			        command_usage(statement->row));
	}
	return fail(ST_ARGUMENT, "%s: '%.*s' was not expected: %s", statement->row->name,
	        UP_TO(40, word->at, word->after), command_usage(statement->row));
}

enum status word_missing(const struct statement *statement, const struct argument_row *row)
{
	const char *name = row->name ? row->name : "an argument";
	return fail(
	        ST_ARGUMENT, "%s needs %s: %s", statement->row->name, name, command_usage(statement->row));
}

static enum status spacing_arrow(const struct command *row, const char *at, const char *after)
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

/* Word i does not fit the row; i may be the number of words: the line ended too early. */
enum status word_wrong(const struct parser *parser, const struct statement *statement,
        const struct argument_row *row, size_t i)
{
	const struct word *words = parser->words;
	size_t count = parser->word_count;
	if (i >= count)
		return word_missing(statement, row);
	if (is_operator(&words[i]))
		return lonely_operator(parser, i);
	struct slice_of_text word = slice_of(&words[i]);
	if (row->kind == ARG_WORD && row->words)
		return none_of(statement->row->name, word, word, row->words);
	enum status status = spacing_arrow(statement->row, words->at, words[count - 1].after);
	if (status != ST_OK)
		return status;
	return fail(ST_ARGUMENT, "%s needs %s instead of '%.*s': %s", statement->row->name,
	        row->name ? row->name : "something else", (int)(word.length < 40 ? word.length : 40), word.at,
	        command_usage(statement->row));
}

enum status option_unknown(const char *who, struct slice_of_text key, const char *list, const char *usage)
{
	int count;
	key.length = key.length < 60 ? key.length : 60;
	const char *near = text_nearest(list, key.at, key.length, &count);
	if (!*list)
		return fail(ST_ARGUMENT, "%s has no options, and '%.*s=' is one%s%s", who, WHOLE(key),
		        usage ? ": " : "", usage ? usage : "");
	if (near)
		return fail(ST_ARGUMENT, "%s has no option '%.*s'; did you mean '%.*s'?", who, WHOLE(key),
		        count, near);
	return fail(ST_ARGUMENT, "%s has no option '%.*s' (options: %s)", who, WHOLE(key), list);
}

enum status no_option(const struct command *row, const char *at, const char *sign)
{
	char list[300] = "";
	for (int i = 0; i < OPTION_ROWS_MAX && row->option[i].name; i++) {
		strncat(list, i ? " " : "", sizeof list - strlen(list) - 1);
		strncat(list, row->option[i].name, sizeof list - strlen(list) - 1);
	}
	return option_unknown(row->name, slice_between(at, sign), list, command_usage(row));
}

/* Missing and extra blanks
 *
 *     y=matmul x w            y = matmul x w
 *     tensor x[4]=1           tensor x[4] = 1
 *     copy h->x on io         copy h -> x on io
 *     allreduce y op = sum    op=sum                a command's option, so `=` assigns nothing
 *
 * A line with added blanks is parsed before it is suggested; if that fails, its failure is
 * reported instead. */

/* Returns the '=' of an assignment outside brackets and quotes; NULL if none. */
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
	/* a line that has the blanks already would be its own suggestion */
	bool spaced = left > at && is_blank(left[-1]) && is_blank(sign[1]);
	return spaced ? ST_OK : spacing_suggest(at, sign, after);
}

/* The sign in `frob x algo=ring` is an option's; it would assign if a command followed. */
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

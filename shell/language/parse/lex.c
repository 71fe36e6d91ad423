/* lex.c -- text to words.
 *
 *     y = matmul x[0:n - 1] "two words" ; print y      # why
 *     ^ ^ ^      ^          ^           ^ ^     ^      ^
 *     a word ends at a blank outside brackets and quotes    ; ends the line, # the rest of it
 *
 * There is no list of tokens made ahead: which words a line has hangs on its command (`repeat n - 1 {`
 * takes one expression with blanks in it, `print n - 1` three words), so the parser asks for a word or for
 * the rest of the line as its grammar goes along. Every question is answered from a position and the end of
 * the text, and remembers nothing. */
#include "shell/language/parse/lex.h"
#include "shell/language/parse/function.h"

const char *skip_blanks(const char *at, const char *end, bool lines)
{
	for (;;) {
		while (at < end && (is_blank(*at) || (lines && *at == '\n')))
			at++;
		if (at < end && at[0] == '\\' && at + 1 < end && at[1] == '\n') {
			at += 2;
			continue;
		}
		if (at >= end || *at != '#')
			return at;
		while (at < end && *at != '\n')
			at++;
		if (!lines)
			return at;
	}
}

bool is_title(const char *at, const char *end)
{
	return end - at > 2 && at[0] == '#' && at[1] == '#' && is_blank(at[2]);
}

const char *skip_to_statement(const char *at, const char *end)
{
	for (;;) {
		while (at < end && (is_blank(*at) || *at == '\n'))
			at++;
		if (at < end && *at != '#' && *at != '\\')
			return at;
		const char *next = at == end || is_title(at, end) ? at : skip_blanks(at, end, false);
		if (next == at)
			return at;
		at = next;
	}
}

bool at_line_end(const char *at, const char *end)
{
	return at >= end || *at == '\n' || *at == ';' || *at == '{' || *at == '}';
}

/* At the opening quote. A backslash takes the next character with it, so `\"` does not close. Gives
 * ST_INCOMPLETE at the end of the text: at the prompt another line is asked for then. */
static enum status scan_quotes(const char *at, const char *end, const char **after)
{
	for (at++; at < end && *at != '"'; at++)
		if (*at == '\\' && at + 1 < end)
			at++;
	if (at >= end)
		return fail(ST_INCOMPLETE, "a quote is still open");
	*after = at + 1;
	return ST_OK;
}

/* The brackets open at a place of a word */
struct brackets {
	char closer[NESTING_MAX];
	int count;
};

/* Opens or closes one bracket. What is open is kept as the closers that are waited for, the innermost last,
 * so that `(x]` can be told by what was expected. */
static enum status bracket(struct brackets *open, char c)
{
	if (c == '(' || c == '[') {
		if (open->count == NESTING_MAX)
			return fail(ST_LIMIT, "brackets nest deeper than %d", NESTING_MAX);
		open->closer[open->count++] = c == '(' ? ')' : ']';
		return ST_OK;
	}
	if (!open->count)
		return fail(ST_SYNTAX, "'%c' closes nothing", c);
	if (open->closer[open->count - 1] != c)
		return fail(ST_SYNTAX, "'%c' where '%c' was expected", c, open->closer[open->count - 1]);
	open->count--;
	return ST_OK;
}

/* Over one word, or with `rest` over all words up to the end of the statement. Inside brackets a newline is
 * a blank, and a comment may stand at the end of each line. *after is behind the last character that is no
 * blank. */
static enum status scan(const char *at, const char *end, bool rest, const char **after)
{
	struct brackets open;
	enum status status = ST_OK;
	const char *last = at;

	open.count = 0;
	while (at < end && status == ST_OK) {
		char c = *at;
		if (is_name_char(c) && c != '#') {
			last = ++at;
			continue;
		}
		if (c == '"') {
			status = scan_quotes(at, end, &at);
			last = at;
			continue;
		}
		if (!open.count && (c == '\n' || c == ';' || c == '{' || c == '}' || (!rest && is_blank(c))))
			break;
		if (c == ';' || c == '{' || c == '}')
			return fail(ST_SYNTAX, "'%c' is missing before '%c'", open.closer[open.count - 1], c);
		if (c == '#' && at > last && (is_blank(at[-1]) || at[-1] == '\n')) {
			if (!open.count)
				break;
			at = skip_blanks(at, end, true);
			continue;
		}
		if (c == '(' || c == ')' || c == '[' || c == ']')
			status = bracket(&open, c);
		at++;
		if (!is_blank(c) && c != '\n')
			last = at;
	}
	if (status == ST_OK && open.count)
		status = fail(ST_INCOMPLETE, "'%c' is still missing", open.closer[open.count - 1]);
	*after = last;
	return status;
}

enum status scan_word(const char *at, const char *end, const char **after)
{
	return scan(at, end, false, after);
}

enum status scan_rest(const char *at, const char *end, const char **after)
{
	return scan(at, end, true, after);
}

/* Counts braces only: the lines between them were not understood, or are not to be. A brace in a quote or a
 * comment does not count; a # begins a comment only where a word could begin (a#b is a name). */
enum status scan_braces(const char *at, const char *end, const char **after)
{
	int depth = 0;
	bool word_start = true;
	while (at < end) {
		char c = *at;
		if (c == '#' && word_start) {
			at = skip_blanks(at, end, true);
			continue;
		}
		if (c == '"') {
			enum status status = scan_quotes(at, end, &at);
			if (status != ST_OK)
				return status;
			word_start = false;
			continue;
		}
		depth += c == '{' ? 1 : c == '}' ? -1 : 0;
		at++;
		if (depth == 0) {
			*after = at;
			return ST_OK;
		}
		word_start = is_blank(c) || strchr("\n;{}", c) != NULL;
	}
	return fail(ST_INCOMPLETE, "'}' is still missing");
}

/* KEY=VALUE, where KEY is a name and may have dots. `a==b` is a comparison, not a key. */
const char *option_sign(const char *at, const char *after)
{
	const char *p = at;
	if (p >= after || !is_name_start(*p))
		return NULL;
	while (p < after && (is_name_char(*p) || *p == '.'))
		p++;
	return p < after && *p == '=' && !(p + 1 < after && p[1] == '=') ? p : NULL;
}

bool slice_is(struct slice_of_text slice, const char *what)
{
	return text_is(slice.at, slice.at + slice.length, what);
}

/* The lists of rows (`words`), of types and of reserved words are texts with blanks between; they have a
 * dozen words at most, so they are looked through from the front. */
bool is_listed(const char *words, const char *at, const char *after)
{
	size_t length = (size_t)(after - at);
	for (const char *p = words; p && *p; p += *p == ' ') {
		const char *word = p;
		while (*p && *p != ' ')
			p++;
		if ((size_t)(p - word) == length && memcmp(word, at, length) == 0)
			return true;
	}
	return false;
}

bool name_is_reserved(const char *at, size_t length)
{
	if (is_listed("tensor let if else repeat for def expect option refuse replaced on in and or not rank "
	              "world inf",
	            at, at + length))
		return true;
	const struct function_row *row = function_find(at, length);
	return row && row->metric && !row->least; /* `overlap` is a metric only before a bracket */
}

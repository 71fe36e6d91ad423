/* lex.c -- splits a text into words.
 *
 *     y = matmul x[0:n - 1] "two words" ; print y      # why
 *     ^ ^ ^      ^          ^           ^ ^     ^      ^
 *     a word ends at a blank outside brackets and quotes    ; ends the line, # the rest of it
 *
 * The parser asks for a word or for the remaining line, so there is no list of tokens: `repeat n -
 * 1 {` has one expression with blanks, `print n - 1` three words. */
#include "shell/language/parse/lex.h"
#include "shell/language/parse/tree.h"

#include <stdio.h>

bool is_title(const char *at, const char *end)
{
	return end - at > 2 && at[0] == '#' && at[1] == '#' && is_blank(at[2]);
}

static inline const char *text_skip(const char *at, const char *end, bool lines, bool titles)
{
	for (;;) {
		while (at < end && (is_blank(*at) || (lines && *at == '\n')))
			at++;
		if (at < end && at[0] == '\\' && at + 1 < end && at[1] == '\n') {
			at += 2;
			continue;
		}
		if (at >= end || *at != '#' || (titles && is_title(at, end)))
			return at;
		while (at < end && *at != '\n')
			at++;
		if (!lines)
			return at;
	}
}

const char *skip_blanks(const char *at, const char *end, bool lines)
{
	return text_skip(at, end, lines, false);
}

const char *trim_end(const char *at, const char *after)
{
	while (after > at && (is_blank(after[-1]) || after[-1] == '\n'))
		after--;
	return after;
}

const char *skip_to_statement(const char *at, const char *end)
{
	return text_skip(at, end, true, true);
}

bool at_line_end(const char *at, const char *end)
{
	return at >= end || *at == '\n' || *at == ';' || *at == '{' || *at == '}';
}

const char *quote_end(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\' && at + 1 < end;
	return at < end ? at + 1 : NULL;
}

static const struct {
	uint32_t from, to;
	const char *name, *instead;
} strange[] = {
        {0xa0, 0xa0, "a no-break space", "write a blank"},
        {0xab, 0xab, "a quotation mark", "write \""},
        {0xad, 0xad, "a soft hyphen", "take it out"},
        {0xbb, 0xbb, "a quotation mark", "write \""},
        {0xd7, 0xd7, "a multiplication sign", "write *"},
        {0xf7, 0xf7, "a division sign", "write /"},
        {0x2000, 0x200a, "a typographic space", "write a blank"},
        {0x200b, 0x200f, "an invisible character", "take it out"},
        {0x2010, 0x2015, "a typographic dash", "write -"},
        {0x2018, 0x201b, "a curly quote", "write \""},
        {0x201c, 0x201f, "a curly quote", "write \""},
        {0x2026, 0x2026, "an ellipsis", "write ..."},
        {0x2028, 0x2029, "a line separator", "begin a new line"},
        {0x202f, 0x202f, "a narrow no-break space", "write a blank"},
        {0x205f, 0x205f, "a typographic space", "write a blank"},
        {0x2060, 0x2060, "an invisible character", "take it out"},
        {0x2192, 0x2192, "an arrow", "write ->"},
        {0x2212, 0x2212, "a minus sign", "write -"},
        {0x2260, 0x2260, "a sign for not equal", "write !="},
        {0x2264, 0x2264, "a sign for at most", "write <="},
        {0x2265, 0x2265, "a sign for at least", "write >="},
        {0x3000, 0x3000, "an ideographic space", "write a blank"},
        {0xfeff, 0xfeff, "an invisible character", "take it out"},
};

/* "'-' after 'x' is a typographic dash (U+2013): write -". The word before it is shown, because
 * the character may be invisible. */
static enum status confusable_refused(
        const char *word, const char *at, int bytes, uint32_t code, const char *name, const char *instead)
{
	const char *from = at - word < 20 ? word : at - 20;
	while (((unsigned char)*from & 0xc0) == 0x80)
		from++;
	if (from == at)
		return fail(ST_SYNTAX, "'%.*s' is %s (U+%04X): %s", bytes, at, name, (unsigned)code, instead);
	return fail(ST_SYNTAX, "'%.*s' after '%.*s' is %s (U+%04X): %s", bytes, at, (int)(at - from), from,
	        name, (unsigned)code, instead);
}

/* Refuses the characters of `strange`, and full-width forms of ASCII (U+FF01 to U+FF5E). All
 * others are letters. */
static enum status confusable_character(const char *word, const char **at)
{
	char instead[] = "write ?";
	const char *from = *at;
	uint32_t code = utf8_next(at);
	int bytes = (int)(*at - from);
	for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
		if (code >= strange[i].from && code <= strange[i].to)
			return confusable_refused(
			        word, from, bytes, code, strange[i].name, strange[i].instead);
	if (code < 0xff01 || code > 0xff5e)
		return ST_OK;
	instead[6] = (char)(code - 0xff01 + '!');
	return confusable_refused(word, from, bytes, code, "a full-width character", instead);
}

enum status scan_word(const char *at, const char *end, const char **after)
{
	char closer[NESTING_MAX];
	const char *word = at;
	int open = 0;
	while (at < end) {
		char c = *at;
		if (is_name_char(c) && c != '#') { /* nearly all */
			enum status status = ST_OK;
			if ((unsigned char)c < 0x80)
				at++;
			else
				status = confusable_character(word, &at);
			if (status != ST_OK)
				return status;
			continue;
		}
		if (c == '"') {
			at = quote_end(at, end);
			if (!at)
				return fail(ST_INCOMPLETE, "a quote is still open");
			continue;
		}
		if (!open && (is_blank(c) || at_line_end(at, end)))
			break;
		if (c == ';' || c == '{' || c == '}')
			return fail(ST_SYNTAX, "'%c' is missing before '%c'", closer[open - 1], c);
		if (c == '#' && open && (is_blank(at[-1]) || at[-1] == '\n')) {
			at = skip_blanks(at, end, true);
			continue;
		}
		at++;
		if (c == '(' || c == '[') {
			if (open == NESTING_MAX)
				return fail(ST_LIMIT, "brackets nest deeper than %d", NESTING_MAX);
			closer[open++] = c == '(' ? ')' : ']';
		} else if (c == ')' || c == ']') {
			if (!open)
				return fail(ST_SYNTAX, "'%c' closes nothing", c);
			if (closer[--open] != c)
				return fail(
				        ST_SYNTAX, "'%c' was found where '%c' was expected", c, closer[open]);
		}
	}
	*after = at;
	return open ? fail(ST_INCOMPLETE, "'%c' is still missing", closer[open - 1]) : ST_OK;
}

bool is_transposed(const char *at, const char *end)
{
	return at + 1 < end && at[0] == '.' && at[1] == 'T';
}

/* KEY may have dots. `a==b` is a comparison. */
const char *option_sign(const char *at, const char *after)
{
	const char *p = at;
	if (p >= after || !is_name_start(*p))
		return NULL;
	while (p < after && (is_name_char(*p) || *p == '.'))
		p++;
	return p < after && *p == '=' && !(p + 1 < after && p[1] == '=') ? p : NULL;
}

struct slice_of_text slice_of_string(const char *string)
{
	return (struct slice_of_text){string, (uint32_t)strlen(string)};
}

bool slices_equal(struct slice_of_text a, struct slice_of_text b)
{
	return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

void word_text(struct slice_of_text written, char *word)
{
	snprintf(word, WORD_SHOWN, "%.*s", WHOLE(written));
}

bool is_listed(const char *words, struct slice_of_text word)
{
	return text_place(words, word.at, word.length) >= 0;
}

bool name_is_reserved(struct slice_of_text name)
{
	static const char words[] = "tensor let if else repeat for def expect option refuse replaced on in "
	                            "and or not rank world inf";
	const struct function_row *row = function_find(name);
	return (name.length < sizeof "replaced" && is_listed(words, name)) || (row && function_is_word(row));
}

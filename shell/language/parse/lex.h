/* lex.h -- splits a text into words. A word ends at a blank outside brackets and quotes; `;`, a
 * newline, `{`, `}` and a comment end it too. All positions are in a NUL-terminated text, so the
 * character at `end` may be read. */
#ifndef RANKSH_LEX_H
#define RANKSH_LEX_H

#include "shell/language/parse/rows.h"

#include <string.h>

static inline bool is_name_start(char c) /* a-z A-Z _ and bytes of UTF-8 */
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static inline bool is_name_char(char c) /* the same, digits and # */
{
	return is_name_start(c) || (c >= '0' && c <= '9') || c == '#';
}

static inline bool is_blank(char c) /* not a newline */
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static inline bool text_is(const char *at, const char *after, const char *what)
{
	size_t length = (size_t)(after - at);
	if (length && *at != *what)
		return false;
	return strlen(what) == length && memcmp(at, what, length) == 0;
}

/* Returns the position after blanks (newlines too if `lines`), joined lines and comments. */
const char *skip_blanks(const char *at, const char *end, bool lines);
/* Returns the end of [at, after) without trailing blanks and newlines. */
const char *trim_end(const char *at, const char *after);
/* As skip_blanks with `lines`, but stops at the title of a step. */
const char *skip_to_statement(const char *at, const char *end);
/* Returns true at "## title", which begins a step of a program (run/player.h). */
bool is_title(const char *at, const char *end);
bool at_line_end(const char *at, const char *end);
/* Finds the end of the word at `at`. Fails with ST_INCOMPLETE if a bracket or quote is open at
 * `end`, with ST_SYNTAX if brackets do not match or a character only looks like an ASCII one, and
 * with ST_LIMIT if brackets nest too deep. */
enum status scan_word(const char *at, const char *end, const char **after);
/* Returns the position after the text whose opening quote is at `at`; NULL if it stays open. */
const char *quote_end(const char *at, const char *end);
bool is_transposed(const char *at, const char *end); /* the text at `at` begins with ".T" */
/* Returns the = of KEY=VALUE; NULL if [at, after) has another form. */
const char *option_sign(const char *at, const char *after);
static inline bool slice_is(struct slice_of_text slice, const char *what)
{
	return text_is(slice.at, slice.at + slice.length, what);
}
struct slice_of_text slice_of_string(const char *string);
bool slices_equal(struct slice_of_text a, struct slice_of_text b);
/* Copies `written` to word[WORD_SHOWN] with a NUL, cut to the length that a message shows. */
enum { WORD_SHOWN = 64 };
void word_text(struct slice_of_text written, char *word);
bool is_listed(const char *words, struct slice_of_text word); /* words: "a b c", or NULL */
/* Returns true for a word of the language or a metric: no variable, def or tensor may have this
 * name. */
bool name_is_reserved(struct slice_of_text name);

#endif

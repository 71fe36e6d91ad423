/* lex.h -- text to words. A word ends at a blank outside brackets and quotes; `;`, a newline, `{`, `}` and
 * a comment end it too.
 *
 * Pure; positions point into a NUL-terminated text, so one character behind `end` may always be looked at.
 * `end` is the first character not to be read. */
#ifndef RANKSH_LEX_H
#define RANKSH_LEX_H

#include "shell/language/parse/rows.h"

#include <string.h>

/* The smallest questions are asked of every character: they are inline */
static inline bool is_name_start(char c) /* a-z A-Z _ and bytes of UTF-8 */
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static inline bool is_name_char(char c) /* and digits and # */
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
		return false; /* nearly always: before anything is counted */
	return strlen(what) == length && memcmp(at, what, length) == 0;
}

/* A backslash at the end of a line joins it to the next: it is a blank here.
 * Behind blanks (newlines too if `lines`) and comments. */
const char *skip_blanks(const char *at, const char *end, bool lines);
/* [at, after) without the blanks and newlines at its end: where those begin */
const char *trim_end(const char *at, const char *after);
/* Behind blanks, newlines too, but it stops at a step's title as well as at a statement. */
const char *skip_to_statement(const char *at, const char *end);
/* "## title", where a statement could begin: a step of a program begins (run/player.h). */
bool is_title(const char *at, const char *end);
/* True where a statement's words end: newline ; { } or the end. */
bool at_line_end(const char *at, const char *end);
/* The end of the word at `at`: ST_INCOMPLETE when a bracket or quote is open at `end`, ST_SYNTAX when it can
 * never be closed. */
enum status scan_word(const char *at, const char *end, const char **after);
/* Behind the text whose opening quote is at `at`; NULL: it stays open. */
const char *quote_end(const char *at, const char *end);
/* Steps over the letter at *at of a word, which is not ASCII. ST_SYNTAX, worded: it was pasted in place of
 * another character (a curly quote, a no-break space). */
enum status confusable_character(const char *word, const char **at);
bool is_transposed(const char *at, const char *end); /* ".T" stands at `at` */
/* Position of the = of KEY=VALUE, or NULL: not an option. */
const char *option_sign(const char *at, const char *after);
bool slice_is(struct slice_of_text slice, const char *what);
struct slice_of_text slice_of_string(const char *string);
bool slices_equal(struct slice_of_text a, struct slice_of_text b);
/* The first word of a line as a string, as much of it as a message shows */
enum { WORD_SHOWN = 64 };
void word_text(struct slice_of_text written, char *word);
bool is_listed(const char *words, struct slice_of_text word); /* words: "a b c", or NULL */
/* A word of the language, or a metric: no name for new things. */
bool name_is_reserved(struct slice_of_text name);

#endif

/* text.h -- a growing text. A zeroed struct is an empty one. */
#ifndef RANKSH_TEXT_H
#define RANKSH_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *bytes;  /* NUL-terminated once anything was added; use text_string() */
	size_t count; /* without the NUL */
	size_t room;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vadd(struct text *text, const char *format, va_list arguments);
void text_put(struct text *text, const char *bytes, size_t count);
void text_repeat(struct text *text, const char *what, long times);
void text_clear(struct text *text); /* keeps the memory */
void text_release(struct text *text);
const char *text_string(const struct text *text); /* never NULL */

/* Columns that a UTF-8 string takes on a screen: code points, escape sequences not counted. */
size_t text_columns(const char *utf8);
/* Bytes of the escape sequence or the character (UTF-8) at `at`; *columns: what it takes on the screen */
size_t text_step(const char *at, const char *end, int *columns);
/* The next line at *at, without its newline, *length bytes; *at moves behind it. NULL at `end`. */
const char *text_line(const char **at, const char *end, size_t *length);
/* Words (split at single blanks) on lines of at most `width` columns, each begun with `indent` blanks and
 * ended. */
void text_wrapped(struct text *text, const char *words, int indent, int width);
/* The code point at *at, which moves behind it; 0 at the end. What is not UTF-8 is a '?'. */
uint32_t utf8_next(const char **at);
/* Would a terminal obey it: all control characters but newline and tab, also those from 0x80 to 0x9f */
bool utf8_obeyed(uint32_t point);
/* In place: each of these, and each byte that is no UTF-8, becomes a '?'. It gets no longer. NULL is allowed. */
void text_make_safe(char *words);
/* Adds a code point as UTF-8. */
void text_put_point(struct text *text, uint32_t point);
/* So many of the bytes, from the first on, are valid UTF-8 without NUL: all, or up to the first that is not */
size_t text_valid(const char *bytes, size_t count);
/* Returns "saved as UTF-16: save it as UTF-8" if the text begins with the byte order mark of UTF-16, as Windows PowerShell's `>`
 * writes it, or with ASCII characters of two bytes; else NULL. */
const char *text_saved_as(const char *bytes, size_t count);
/* Returns the same of a text that is read by lines; there, also what to do if a CR within a line shows that lines end in CR alone,
 * as on old Macs. CR LF is an end of line. */
const char *text_lines_saved_as(const char *bytes, size_t count);
/* The place of the word among `words`, which stand between blanks, from 0; -1: it is none of them. words NULL: there
 * are none */
int text_place(const char *words, const char *word, size_t length);
/* Edit distance (insert, delete, replace, swap), for "did you mean". */
int text_distance(const char *a, const char *b);
/* Is `name` fewer than *least letters away from `word`? Then *least becomes its distance. A search for the nearest of
 * many names begins with the first distance that is too far. */
bool text_nearer(const char *word, const char *name, int *least);
/* The first distance that is too far: a name may differ from the word in two letters, from one of up to four letters in one. */
int text_too_far(const char *word);

/* The one of `words` (between blanks) that `word` may have meant: at most two letters away, one when it is
 * short. NULL: none */
const char *text_nearest(const char *words, const char *word, size_t length, int *near_length);

#endif

/* text.h -- a growing text; a zeroed struct is empty */
#ifndef RANKSH_TEXT_H
#define RANKSH_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *bytes;  /* ends in NUL if not empty; use text_string() */
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

/* Returns the columns of a UTF-8 string: one for each code point, none for `ESC [` sequences; the
 * text of other sequences (OSC 8) counts. */
size_t text_columns(const char *utf8);
/* Returns the number of bytes of the character or `ESC [` sequence at `at`; *columns: its
 * width. */
size_t text_step(const char *at, const char *end, int *columns);
/* Returns the line at *at, *length bytes without newline, and advances *at; NULL at `end`. */
const char *text_line(const char **at, const char *end, size_t *length);
/* FOR_LINES runs its body for each line of a text, with line.at and line.length set. */
struct text_lines {
	const char *next, *end, *at;
	size_t length;
};
#define FOR_LINES(line, bytes, count)                                              \
	for (struct text_lines line = {.next = (bytes), .end = (bytes) + (count)}; \
	        (line.at = text_line(&line.next, line.end, &line.length));)
/* Appends words (split at single blanks) in lines of at most `width` columns, each with an
 * indent and a newline. */
void text_wrapped(struct text *text, const char *words, int indent, int width);
/* Appends the lines, wrapped at blanks to `columns` (< 1: unchanged). Returns the number of
 * rows. */
int fold_lines(const char *lines, size_t count, int columns, struct text *folded);
/* Returns the code point at *at and advances; 0 at the end, '?' for invalid UTF-8 (as
 * text_valid). */
uint32_t utf8_next(const char **at);
/* Returns true for control characters except newline and tab, also 0x80 to 0x9f. */
bool utf8_obeyed(uint32_t point);
/* Replaces each control character and invalid sequence by '?' in place. NULL is allowed. */
void text_make_safe(char *words);
void text_put_point(struct text *text, uint32_t point);
/* Returns the length of the longest prefix that is valid UTF-8 and has no NUL. */
size_t text_valid(const char *bytes, size_t count);
/* Returns "saved as UTF-16: save it as UTF-8" for a text with UTF-16's byte order mark, as Windows
 * PowerShell's `>` writes it, or with two-byte ASCII; else NULL. */
const char *text_saved_as(const char *bytes, size_t count);
/* The same for a text that is read by lines. Also returns advice for valid UTF-8 without NUL in
 * which all lines end in CR alone, as on old Macs. */
const char *text_lines_saved_as(const char *bytes, size_t count);
/* Returns the word's index, from 0, in `words` (separated by single blanks; may be NULL); -1 if it
 * is not there. */
int text_place(const char *words, const char *word, size_t length);
/* Returns the edit distance (insert, delete, replace, swap) of the first 64 bytes, in bytes, for
 * "did you mean". */
int text_distance(const char *a, const char *b);
/* Returns true if `name` is nearer to `word` than *least, and sets *least to its distance. Begin
 * with *least = text_too_far(word). */
bool text_nearer(const char *word, const char *name, int *least);
/* Returns the least distance that is too far: 3, or 2 for words of up to four columns. */
int text_too_far(const char *word);

/* Returns the word of `words` that `word` may have meant, a pointer into `words` with its length
 * in *near_length; NULL if none, and *near_length is unchanged. */
const char *text_nearest(const char *words, const char *word, size_t length, int *near_length);

#endif

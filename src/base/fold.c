/* fold.c -- wraps lines at blanks, with a deeper indent
 *
 *      |     memory: the whole model on every rank: parameters, optimi|zer; activations
 *      |     memory: the whole model on every rank: parameters,       |
 *      |       optimizer; activations                                 |
 *
 * A word wider than a line stays whole: it may be a path to copy. */
#include "base/fold.h"

#include <string.h>

enum { FURTHER = 2 };

/* Returns the end of the row that begins at `at` in column `used`: a blank after the first word,
 * or `end`. */
static const char *stop_of(const char *at, const char *end, int used, int columns)
{
	const char *blank = NULL;
	bool words = false;
	int wide;
	for (const char *p = at; p < end; p += text_step(p, end, &wide), used += wide) {
		if (*p == ' ' && words) {
			if (used > columns)
				return blank ? blank : p;
			blank = p;
		}
		words = words || *p != ' ';
	}
	return used > columns && blank ? blank : end;
}

/* Continuations are indented deeper, unless the line begins in the right half. */
static int fold_line(const char *at, const char *end, int columns, struct text *folded)
{
	int indent = 0, rows = 1, wide;
	while (at + indent < end && at[indent] == ' ')
		indent++;
	indent = indent < columns / 2 ? indent + FURTHER : FURTHER;
	for (int used = 0; at < end; used = indent) {
		const char *stop = stop_of(at, end, used, columns);
		text_put(folded, at, stop - at);
		for (; at < stop; used += wide)
			at += text_step(at, stop, &wide);
		rows += used > columns ? (used - 1) / columns : 0;
		for (at = stop; at < end && *at == ' '; at++)
			;
		if (at < end) {
			text_put(folded, "\n", 1);
			text_repeat(folded, " ", indent);
			rows++;
		}
	}
	return rows;
}

/* Folds each line; does not add a missing last newline. */
int fold_lines(const char *lines, size_t count, int columns, struct text *folded)
{
	const char *end = lines + count;
	int rows = 0;
	for (const char *at = lines; at < end;) {
		const char *newline = memchr(at, '\n', end - at), *stop = newline ? newline : end;
		if (columns < 1)
			text_put(folded, at, stop - at);
		else
			rows += fold_line(at, stop, columns, folded);
		if (newline)
			text_put(folded, "\n", 1);
		at = stop + (newline != NULL);
	}
	return rows;
}

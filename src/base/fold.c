/* fold.c -- wraps lines at blanks, with a deeper indent
 *
 *      |     memory: the whole model on every rank: parameters, optimi|zer; activations
 *      |     memory: the whole model on every rank: parameters,       |
 *      |       optimizer; activations                                 |
 *
 * A word wider than a line stays whole: it may be a path to copy. */
#include "base/text.h"

#include <string.h>

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

/* Puts the line, which begins in column `used`, in rows; further ones are indented. */
static int fold_line(const char *at, const char *end, int used, int indent, int columns, struct text *folded)
{
	int rows = 1, wide;
	for (; at < end; used = indent) {
		const char *stop = stop_of(at, end, used, columns);
		text_put(folded, at, stop - at);
		for (; at < stop; used += wide)
			at += text_step(at, stop, &wide);
		rows += used > columns && columns > 0 ? (used - 1) / columns : 0;
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

/* Does not add a missing last newline. A line that begins in the right half is indented anew. */
int fold_lines(const char *lines, size_t count, int columns, struct text *folded)
{
	enum { FURTHER = 2 };
	int rows = 0;
	FOR_LINES (line, lines, count) {
		const char *stop = line.at + line.length;
		int indent = 0;
		while (line.at + indent < stop && line.at[indent] == ' ')
			indent++;
		indent = indent < columns / 2 ? indent + FURTHER : FURTHER;
		if (columns < 1)
			text_put(folded, line.at, line.length);
		else
			rows += fold_line(line.at, stop, 0, indent, columns, folded);
		text_put(folded, "\n", line.next > stop);
	}
	return rows;
}

void text_wrapped(struct text *text, const char *words, int indent, int width)
{
	text_repeat(text, " ", *words ? indent : 0);
	fold_line(words, words + strlen(words), indent, indent, width, text);
	text_put(text, "\n", 1);
}

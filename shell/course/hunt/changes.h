/* changes.h -- the ways to make one line of a program wrong, derived from its text alone; pure
 *
 *     wait compute on comm;  reduce_gradients g on comm      the line
 *     reduce_gradients g on comm                             a wait left out
 *     wait comm on compute;  reduce_gradients g on comm      the wait is reversed
 *     wait compute on comm;  reduce_gradients g              a stream left out
 *
 * judge.h finds out whether a change is observable. */
#ifndef RANKSH_CHANGES_OF_TEXT_H
#define RANKSH_CHANGES_OF_TEXT_H

#include "base/text.h"

enum { CHANGE_MENDS = 2 };
struct text_change {
	int line;         /* first wrong line of the changed text, from 1 */
	const char *what; /* "a wait left out" */
	bool computes;    /* in a `let` or a block's head, not in a command */
	bool slows;       /* probably costs only time or memory */
	size_t from, to;  /* range of bytes in the right text */
	char *with;       /* the replacement for these bytes; owned */
	/* mend[i]: the right text for line `line + i`; NULL after the last; owned */
	char *mend[CHANGE_MENDS];
};
struct changed_lines {
	struct text_change *change;
	size_t count;
};
/* Adds all changes, in line order. */
void changes_find(struct changed_lines *changes, const char *text, size_t count);
void changes_release(struct changed_lines *changes);
/* Adds the changed text to `out`. */
void change_apply(const struct text_change *change, const char *text, size_t count, struct text *out);
/* Adds the text with line `number` (from 1) replaced. Returns false if there is no such line. */
bool line_replace(const char *text, size_t count, int number, const char *line, struct text *out);
/* Returns line `number` (from 1) and sets *length, without its newline; NULL if none. */
const char *line_of_text(const char *text, size_t count, int number, size_t *length);

#endif

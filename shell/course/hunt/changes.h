/* changes.h -- the ways in which one line of a program can be made wrong, found from its text
 * alone
 *
 *     wait compute on comm;  reduce_gradients g on comm      the line
 *     reduce_gradients g on comm                             a wait left out
 *     wait comm on compute;  reduce_gradients g on comm      the wait is reversed
 *     wait compute on comm;  reduce_gradients g              a stream left out
 *
 * A pure function of the text: it knows words, not their effect. judge.h finds out by running
 * whether a change is observable. */
#ifndef RANKSH_CHANGES_OF_TEXT_H
#define RANKSH_CHANGES_OF_TEXT_H

#include "base/text.h"

enum { CHANGE_MENDS = 2 };
struct text_change {
	int line;         /* first wrong line of the changed text, from 1 */
	const char *what; /* "a wait left out" */
	bool computes;    /* in a `let` or the head of a block, not in a command */
	bool slows;       /* probably costs time or memory and keeps the numbers */
	size_t from, to;  /* these bytes of the right text */
	char *with;       /* ... are replaced by this; owned */
	/* mend[i] is the right text of line `line + i`; NULL after the last; owned */
	char *mend[CHANGE_MENDS];
};
struct changed_lines {
	struct text_change *change;
	size_t count;
};
/* Adds all changes of the text, in the order of its lines. */
void changes_find(struct changed_lines *changes, const char *text, size_t count);
void changes_release(struct changed_lines *changes);
/* Adds the text with the change to `out`. */
void change_apply(const struct text_change *change, const char *text, size_t count, struct text *out);
/* Adds the text with another line `number`, from 1. Returns false if it has no such line. */
bool line_replace(const char *text, size_t count, int number, const char *line, struct text *out);
/* Returns line `number` of the text, from 1, of *length bytes without newline; NULL if none. */
const char *line_of_text(const char *text, size_t count, int number, size_t *length);

#endif

/* changes.h -- the ways in which one line of a program can be made wrong, found by its looks alone
 *
 *     wait compute on comm;  reduce_gradients g on comm      the line
 *     reduce_gradients g on comm                             a wait left out
 *     wait comm on compute;  reduce_gradients g on comm      it waits the other way round
 *     wait compute on comm;  reduce_gradients g              a stream left out
 *
 * A pure function of the text: it knows words and not what they do. Whether a change can be told at all is played
 * (judge.h). */
#ifndef RANKSH_CHANGES_OF_TEXT_H
#define RANKSH_CHANGES_OF_TEXT_H

#include "base/text.h"

enum { CHANGE_MENDS = 2 };
struct text_change {
	int line;         /* of the changed text, from 1: the first that is not right */
	const char *what; /* "a wait left out" */
	bool computes;    /* of a `let`, or the head of a block: no command */
	bool slows;       /* by its looks it may cost time or memory, and leave the numbers as they are */
	size_t from, to;  /* these bytes of the right text, */
	char *with;       /* ... and what stands there in the changed one; owned */
	/* mend[i]: what makes line `line + i` of the changed text right again; NULL behind the last; owned */
	char *mend[CHANGE_MENDS];
};
struct changed_lines {
	struct text_change *change;
	size_t count;
};
/* Adds those of the text, in its order. */
void changes_find(struct changed_lines *changes, const char *text, size_t count);
void changes_release(struct changed_lines *changes);
/* The text with the change */
void change_apply(const struct text_change *change, const char *text, size_t count, struct text *out);
/* The text with another line of that number, from 1. False: it has none */
bool line_replace(const char *text, size_t count, int number, const char *line, struct text *out);
/* Line `number` of the text, from 1, without its end; NULL: it has none */
const char *line_of_text(const char *text, size_t count, int number, size_t *length);

#endif

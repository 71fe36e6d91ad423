/* changes.h -- the ways to make one line of a program wrong, derived from its text alone; pure
 *
 *     wait compute on comm;  reduce_gradients g on comm      the line
 *     reduce_gradients g on comm                             a wait left out
 *     wait comm on compute;  reduce_gradients g on comm      the wait is reversed
 *     wait compute on comm;  reduce_gradients g              a stream left out
 *
 * judge.c finds out whether a change is observable. */
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
void changes_find(struct changed_lines *changes, const char *text, size_t count);
void changes_release(struct changed_lines *changes);
void change_apply(const struct text_change *change, const char *text, size_t count, struct text *out);
/* Adds the text with line `number` (from 1) replaced. Returns false if there is no such line. */
bool line_replace(const char *text, size_t count, int number, const char *line, struct text *out);
/* Returns line `number` (from 1) and sets *length, without its newline; NULL if none. */
const char *line_of_text(const char *text, size_t count, int number, size_t *length);

/* ---- pieces.c: splits a line into statements by its characters
 *
 *     line      wait compute on comm;  for i in 1:n { allreduce g$i on comm }     # remark
 *     pieces    |--------1---------|   |-----2------| |---------3----------| */

enum { PIECES_MAX = 24, WORD_MAX = 24 };
struct line_piece {
	const char *at, *end;
	bool opens;  /* a `{` follows: it is a block's head */
	char before; /* what ended the previous piece: ';' '{' '}', or 0 */
};
struct split_line {
	const char *text, *end; /* the whole text */
	const char *at, *stop;  /* the line, without newline and comment */
	const char *next;       /* where the next line begins; `end`: this is the last one */
	int number;
	struct line_piece piece[PIECES_MAX];
	int pieces;
	bool braces;
	struct changed_lines *changes;
};
/* Splits the line at `at`. Returns false at the end of the text. */
bool line_split(struct split_line *line, const char *at, int number);
/* Sets word[WORD_MAX] to the piece's first word, or the next after `y =` or `@0`. */
void piece_word(const struct line_piece *piece, char *word);
/* Returns true for commands that only declare or print. */
bool word_is_left(const char *word);
bool word_is_one_of(const char *words, const char *word);
/* Returns the end without the white space before it. */
const char *piece_trimmed(const char *at, const char *end);

#endif

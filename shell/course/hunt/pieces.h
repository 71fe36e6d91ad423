/* pieces.h -- private to hunt/: splits a line into statements by its characters
 *
 *     line      wait compute on comm;  for i in 1:n { allreduce g$i on comm }     # remark
 *     pieces    |--------1---------|   |-----2------| |---------3----------|
 *
 * A piece ends at `;`, a brace or a comment. */
#ifndef RANKSH_HUNT_PIECES_H
#define RANKSH_HUNT_PIECES_H

#include "shell/course/hunt/changes.h"

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
/* Splits the line at `at`, which has that number. Returns false at the end of the text. */
bool line_split(struct split_line *line, const char *at, int number);
/* Sets word[WORD_MAX] to the command: the piece's first word, or the next after `y =` or `@0`. */
void piece_word(const struct line_piece *piece, char *word);
/* Returns true for commands that only declare or print: they are not changed. */
bool word_is_left(const char *word);
bool word_is_one_of(const char *words, const char *word);
/* Returns the end of [at, end) without the white space before it. */
const char *piece_trimmed(const char *at, const char *end);

#endif

/* pieces.h -- private to hunt/: a line cut into its statements, as far as its looks tell
 *
 *     line      wait compute on comm;  for i in 1:n { allreduce g$i on comm }     # remark
 *     pieces    |--------1---------|   |-----2------| |---------3----------|
 *
 * A piece ends at `;`, at a brace or at a comment. */
#ifndef RANKSH_HUNT_PIECES_H
#define RANKSH_HUNT_PIECES_H

#include "shell/course/hunt/changes.h"

enum { PIECES_MAX = 24, WORD_MAX = 24 };
struct line_piece {
	const char *at, *end;
	bool opens;  /* a `{` follows: the head of a block */
	char before; /* what ended the one before: ';' '{' '}', or 0 */
};
struct looked_at {
	const char *text, *end; /* all of it */
	const char *at, *stop;  /* the line, without its newline and its comment */
	int number;
	struct line_piece piece[PIECES_MAX];
	int pieces;
	bool braces;
	struct changed_lines *changes;
};
/* The line at `at`, which has that number; false: the text is over. */
bool line_look(struct looked_at *line, const char *at, int number);
/* The word that says what a piece does: the first one, or behind `y =` and `@0` the one that follows. word: [WORD_MAX] */
void piece_word(const struct line_piece *piece, char *word);
/* Lines that say what is there, or only show something */
bool word_is_left(const char *word);
bool word_is_one_of(const char *words, const char *word);

#endif

/* board.h -- a class's board as cells or as a table; pure */
#ifndef RANKSH_CLASS_BOARD_H
#define RANKSH_CLASS_BOARD_H

#include "shell/course/class/learners.h"
#include "trace/trace.h"

struct class_board {
	const struct roll *roll;
	const struct learners *learners;
	int (*tasks)(int lesson); /* returns a lesson's number of tasks; 0: no such lesson */
	const char *clock;        /* "14:02" */
	const char *trouble;      /* why the folder cannot be read; NULL: no error */
	bool keys;                /* there is a keyboard: the last row names its keys */
	int first;                /* index of the top learner, clamped by board_draw */
};
/* Draws the board. height 0: as many rows as needed for all learners. */
void board_draw(struct class_board *board, int width, int height, struct picture *picture);
/* Adds a title row and a row per learner and task. A leading = + - @ gets a ' before it. */
void board_csv(const struct learners *learners, struct text *out);

#endif

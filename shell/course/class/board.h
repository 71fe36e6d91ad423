/* board.h -- a class on a screen, and as a table; pure */
#ifndef RANKSH_CLASS_BOARD_H
#define RANKSH_CLASS_BOARD_H

#include "shell/course/class/learners.h"
#include "trace/trace.h"

struct class_board {
	const struct roll *roll;
	const struct learners *learners;
	int (*tasks)(int lesson); /* returns the number of tasks of a lesson; 0: no such lesson */
	const char *clock;        /* "14:02" */
	const char *trouble;      /* why the folder cannot be read; NULL: it can */
	bool keys;                /* there is a keyboard: its keys are named */
	int first;                /* index of the top learner; board_draw clamps it */
};
/* Draws the board. height 0: as many rows as needed, so that all learners are shown. */
void board_draw(struct class_board *board, int width, int height, struct picture *picture);
/* Adds a row of titles, then a row for each learner and task. A cell that a spreadsheet would read
 * as a formula begins with a '. */
void board_csv(const struct learners *learners, struct text *out);

#endif

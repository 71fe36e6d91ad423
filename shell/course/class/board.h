/* board.h -- a class on a screen, and as a table; pure */
#ifndef RANKSH_CLASS_BOARD_H
#define RANKSH_CLASS_BOARD_H

#include "shell/course/class/learners.h"
#include "trace/trace.h"

struct class_board {
	const struct roll *roll;
	const struct learners *learners;
	int (*tasks)(int lesson); /* how many a lesson has; 0: there is no such lesson */
	const char *clock;        /* "14:02" */
	const char *trouble;      /* the folder cannot be read: why; NULL */
	bool keys;                /* are there any? Then they are named */
	int first;                /* learner; board_draw keeps it within what there is */
};
/* height 0: as high as it takes, and all are shown. */
void board_draw(struct class_board *board, int width, int height, struct picture *picture);
/* One row a learner and task, behind a row of titles. What a table would take for a formula begins with a '. */
void board_csv(const struct learners *learners, struct text *out);

#endif

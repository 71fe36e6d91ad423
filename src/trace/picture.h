/* picture.h -- private to trace/: one lane as a row of cells */
#ifndef RANKSH_TRACE_PICTURE_H
#define RANKSH_TRACE_PICTURE_H

#include "trace/lanes.h"

/* One lane's spans painted into cells [column, column + cells) of a row; `selected` is shown
 * reversed */
struct bar_row {
	const struct trace *trace;
	struct window window;
	int row, column, cells;
	bool host, begun; /* begun: the lane has worked before the window */
	op_id selected;
	int now; /* the cell of now, if the window goes on after it; -1: none */
	/* of the whole picture: 0 unknown whether there are several, 1 no, 2 yes */
	int *microbatches;
};

/* The content of a cell: a cause, or one of these */
enum {
	THING_WORK = CAUSE_COUNT,
	THING_LEAD /* before the stream's first operation */,
	THING_ASIDE /* work beside the critical path, shown if nothing else is there */,
	THINGS
};
struct shown {
	uint8_t thing;
	bool dim;
	bool thin;    /* work with less than half of the cell's time */
	bool crowded; /* several bars without a cell of their own */
	op_id op;
	int ops; /* operations with only this cell */
};
/* Fills shown[0 .. where->cells-1]. */
void cells_of(const struct bar_row *where, const struct spans *spans, struct shown *shown);
/* Returns the cell of a time within the window. */
int cells_at(struct window window, int cells, int64_t time);
/* True if two operations of a stream, b after a, are one bar. */
bool cells_same_bar(const struct bar_row *where, op_id a, op_id b);

/* bars.c: true if the kernel's phase names its bar: one micro-batch of several. */
bool bars_by_phase(const struct bar_row *where, const struct record *record);
void bars_paint(const struct bar_row *where, const struct spans *spans, struct picture *picture);

#endif

/* picture.h -- private to trace/: one lane as a row of cells */
#ifndef RANKSH_TRACE_PICTURE_H
#define RANKSH_TRACE_PICTURE_H

#include "trace/lanes.h"

/* One lane's spans painted into cells [column, column + cells) of a row. `selected` is shown reversed. */
struct bar_row {
	const struct trace *trace;
	struct window window;
	int row, column, cells;
	bool host, begun /* worked before the window */;
	op_id selected;
	int now;           /* the cell of now, where the window goes on behind it; -1: none */
	int *microbatches; /* of the whole picture: 0 it is not known yet whether there are several, 1 no, 2 yes */
};

/* What a cell stands for: a cause, or one of these */
enum {
	THING_WORK = CAUSE_COUNT,
	THING_LEAD /* before the stream's first operation */,
	THING_ASIDE /* work that is not on the critical path: shown where nothing else is */,
	THINGS
};
struct shown {
	uint8_t thing;
	bool dim;
	bool thin;    /* work that has less than half of the cell's time */
	bool crowded; /* for several bars, of which none has a cell of its own */
	op_id op;
	int ops; /* operations that have this cell and no other */
};
/* shown[0 .. where->cells-1] */
void cells_of(const struct bar_row *where, const struct spans *spans, struct shown *shown);
/* The cell in which a time of the window lies */
int cells_at(struct window window, int cells, int64_t time);
/* Two operations of a stream, b behind a: is it one bar? */
bool cells_same_bar(const struct bar_row *where, op_id a, op_id b);

/* bars.c: does the kernel's phase name its bar? Of a micro-batch among several. */
bool bars_by_phase(const struct bar_row *where, const struct record *record);
void bars_paint(const struct bar_row *where, const struct spans *spans, struct picture *picture);

/* now.c: what ends behind `now` is marked as projected, and what is under way cut there. passes: what is projected before it is
 * over. */
void spans_cut(const struct trace *trace, struct spans *spans, int64_t now, bool passes);
/* Nobody knew then what would be waited for behind it. */
void spans_unseen(struct spans *spans, int64_t as_of);

#endif

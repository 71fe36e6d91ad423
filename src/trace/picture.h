/* picture.h -- private to trace/: one lane as a row of cells, and the legend */
#ifndef RANKSH_TRACE_PICTURE_H
#define RANKSH_TRACE_PICTURE_H

#include "trace/lanes.h"

/* The place of one lane in a picture: cells [column, column + cells) of a row. `selected` is drawn
 * reversed. */
struct bar_row {
	const struct trace *trace;
	struct window window;
	int row, column, cells;
	bool host, begun; /* begun: the lane has worked before the window */
	op_id selected;
	int now; /* the cell of the present, if the window contains it; -1: none */
	/* does the whole picture have several micro-batches? 0: unknown, 1: no, 2: yes */
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

/* bars.c: true if the kernel's bar has the name of its phase, because there are several
 * micro-batches. */
bool bars_by_phase(const struct bar_row *where, const struct record *record);
void bars_paint(const struct bar_row *where, const struct spans *spans, struct picture *picture);

/* ---- legend.c: the words for the letters; each is printed once, at its first row */

/* "e waited for io" on lane compute of rows that begin with rank 0; words are cut if longer */
struct legend_entry {
	char letter[4], lane[20], words[64];
	int row, rank; /* the first row with it, and that row's first rank */
	bool told;
};
struct legend {
	struct legend_entry *entry;
	size_t count;
	int width; /* columns of the longest entry, after legend_close */
};

void legend_release(struct legend *legend);
/* Adds the words for one lane's spans, longest cause first, if they are new. rank: the lane's
 * first rank; begun: the lane has worked before the window; unlike: the row's ranks wait for
 * different ranks, and the words are for the first one */
void legend_add(struct legend *legend, const struct trace *trace, int row, int rank, int stream, bool begun,
        bool unlike, const struct spans *spans);
/* Adds other words, such as "now 3.24 ms". */
void legend_say(struct legend *legend, const char *words);
/* Call it after the last entry. An entry names its lane if its letter has several meanings. */
void legend_close(struct legend *legend);
/* Stores the entries of this row or above that fit into `width` columns (at least one) and were
 * not stored before. Returns false if there is none. */
bool legend_line(struct legend *legend, int row, int width, struct text *line);

#endif

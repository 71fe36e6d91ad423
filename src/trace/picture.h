/* picture.h -- private to trace/: writing cells, and one lane as a row of them */
#ifndef RANKSH_TRACE_PICTURE_H
#define RANKSH_TRACE_PICTURE_H

#include "trace/lanes.h"

/* All cells blank. */
void picture_make(struct picture *picture, int width, int height);
struct cell *picture_cell(struct picture *picture, int row, int column); /* NULL outside */
/* Writes UTF-8 text from a column on, cut at `limit` columns. */
void picture_write(
        struct picture *picture, int row, int column, int limit, enum colour colour, const char *utf8);

/* One lane's spans painted into cells [column, column + cells) of a row. `selected` is shown reversed. */
struct bar_row {
	const struct trace *trace;
	struct window window;
	int row, column, cells;
	bool host, begun /* worked before the window */;
	op_id selected;
};
void bars_paint(const struct bar_row *where, const struct spans *spans, struct picture *picture);

#endif

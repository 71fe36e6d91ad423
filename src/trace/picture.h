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
};
void bars_paint(const struct bar_row *where, const struct spans *spans, struct picture *picture);

#endif

/* memory_over.c -- device memory over time, by kind, from the allocator's log and the host's clock
 *
 *         ms    0          2         4
 *     0-3 compute ███ F0 ███ ██ B0 ██      the lanes of all ranks, and below, on the same ruler,
 *    ranks 0-3    at most 1.5 MB, at 3.20 ms (^)
 *      all           ▂▄▆█     1.5 MB       rows scaled by the peak of all; a cell has its maximum
 *      activations   ▁▂▄▆     1 MB
 *
 * The host allocates a block when it queues the work and frees it at `free`, long before the
 * device reaches either. Reserved memory, the segments, grows on demand and shrinks with `mem
 * trim`. */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "trace/lanes.h"
#include "trace/table.h"

#include <string.h>

enum {
	ROWS_OF_ALL = 3,
	SETS_MOST = 8,
	SERIES = MEMORY_KINDS + 2,
	ALL = MEMORY_KINDS + 1,
	MARGIN = 3,
	BYTES = 12
};

/* Maximum of each cell: by kind, reserved (MEMORY_RESERVED), and all kinds together */
struct memory_curve {
	int cells;
	int64_t *most[SERIES];
	int64_t peak[SERIES];
	int64_t peak_at;
	int peak_cell;
};

static void curve_hold(
        struct memory_curve *curve, struct window window, const int64_t *now, int64_t from, int64_t to)
{
	if (from >= window.to || to < window.from)
		return;
	int64_t length = window.to - window.from, begin = from < window.from ? 0 : from - window.from;
	int64_t end = (to > window.to ? window.to : to) - window.from;
	int first = (int)((double)begin / (double)length * curve->cells),
	    last = (int)((double)end / (double)length * curve->cells);
	last = last >= curve->cells ? curve->cells - 1 : last;
	for (int s = 0; s < SERIES; s++) {
		for (int cell = first; cell <= last; cell++)
			if (now[s] > curve->most[s][cell])
				curve->most[s][cell] = now[s];
		if (now[s] <= curve->peak[s])
			continue;
		curve->peak[s] = now[s];
		if (s == ALL) {
			curve->peak_at = from > window.from ? from : window.from;
			curve->peak_cell = first;
		}
	}
}

static void draw_curve(const struct trace *trace, int rank, struct window window, struct memory_curve *curve)
{
	size_t count;
	const struct memory_change *change = world_memory_changes(trace->world, rank, &count);
	int64_t now[SERIES] = {0}, at = 0;
	for (size_t i = 0; i < count; i++) {
		int64_t then = trace_clock_after(trace, change[i].after);
		if (then == TIME_UNKNOWN)
			break;
		if (then > at)
			curve_hold(curve, window, now, at, then);
		at = then > at ? then : at;
		now[change[i].kind] += change[i].bytes;
		now[ALL] += change[i].kind == MEMORY_RESERVED ? 0 : change[i].bytes;
		curve_hold(curve, window, now, at, at); /* also changes of zero length */
	}
	curve_hold(curve, window, now, at, window.to);
}

static void put_cell(int64_t value, int64_t peak, int row, int rows, struct text *out)
{
	static const char *const eighths[] = {" ", "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83",
	        "\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"};
	double height = peak > 0 ? (double)value / (double)peak * rows * 8 - row * 8 : 0;
	int level = height >= 8 ? 8 : height <= 0 ? 0 : (int)(height + 0.5);
	text_add(out, "%s", eighths[row == 0 && value > 0 && level == 0 ? 1 : level]);
}

static void put_series(const struct memory_curve *curve, int series, int rows, const char *name, int column,
        struct text *out)
{
	for (int row = rows - 1; row >= 0; row--) {
		text_add(out, "   %-*s ", column, row == rows - 1 ? name : "");
		int cells = curve->cells;
		while (row < rows - 1 && cells && !curve->most[series][cells - 1])
			cells--;
		for (int cell = 0; cell < cells; cell++)
			put_cell(curve->most[series][cell], curve->peak[ALL], row, rows, out);
		if (row == rows - 1)
			text_add(out, "  %s", bytes_words(curve->peak[series]).text);
		text_add(out, "\n");
	}
}

static void put_curve(const struct trace *trace, const struct memory_curve *curve, int column,
        const char *kind_name(int kind), struct text *out)
{
	text_add(out, "at most %s, at %s (^), reserved %s of %s\n", bytes_words(curve->peak[ALL]).text,
	        time_words(curve->peak_at).text, bytes_words(curve->peak[MEMORY_RESERVED]).text,
	        bytes_words((int64_t)trace->world->machine->memory).text);
	put_series(curve, ALL, ROWS_OF_ALL, "all", column, out);
	text_add(out, "   %*s ^\n", column + curve->peak_cell, "");
	for (int kind = 0; kind < MEMORY_KINDS; kind++)
		if (curve->peak[kind] > 0)
			put_series(curve, kind, 1, kind_name(kind), column, out);
}

struct ruler {
	int column, cells;
};

/* Prints the lanes, moved right if kinds of memory have longer names. */
static enum status put_lanes(
        const struct trace *trace, struct timeline_options *options, struct ruler *ruler, struct text *out)
{
	enum { LANES_MOST = 16 };
	struct timeline_places places = {0};
	struct picture picture = {0};
	struct text lines = {0};
	int shift = 0, width = options->width;
	enum status status = ST_OK;
	options->merge = true;
	options->rows = LANES_MOST;
	options->places = &places;
	for (int pass = 0; pass < 2 && status == ST_OK; pass++) {
		picture_release(&picture);
		options->width = width - shift;
		status = timeline_picture(trace, options, &picture);
		shift = (int)most_of(ruler->column + MARGIN + 1 - places.first_column, 0);
	}
	if (status == ST_OK) {
		picture_text(&picture, false, &lines);
		for (const char *at = text_string(&lines); *at;) {
			size_t count = strcspn(at, "\n") + 1;
			text_repeat(out, " ", shift);
			text_put(out, at, count);
			at += count;
		}
		if (picture.lanes > LANES_MOST)
			text_add(out, "   ... and %d more lanes\n", picture.lanes - LANES_MOST);
		*ruler = (struct ruler){places.first_column + shift - MARGIN - 1, places.cells};
	}
	text_release(&lines);
	picture_release(&picture);
	timeline_places_release(&places);
	return status;
}

enum status trace_memory_over(const struct trace *trace, int section, int width, int64_t now,
        const char *kind_name(int kind), struct text *out)
{
	struct window window = trace_time(trace, section);
	struct ruler ruler = {0};
	struct timeline_options options = {
	        .window = window, .width = width - BYTES, .now = now, .ranks = trace->ranks};
	struct blocks blocks = {0};
	struct text rows = {0};
	enum status status = ST_OK;
	if (trace_says_nothing(trace, section, out))
		return ST_OK;
	for (int kind = 0; kind < MEMORY_KINDS; kind++)
		ruler.column = (int)most_of(ruler.column, (int64_t)text_columns(kind_name(kind)));
	text_add(out, "device memory from %s to %s, by the host's allocations and frees\n",
	        time_words(window.from).text, time_words(window.to).text);
	status = put_lanes(trace, &options, &ruler, out);
	for (int rank = 0; rank < trace->world->n && status == ST_OK; rank++) {
		if (!trace_tells(trace, rank))
			continue;
		size_t count;
		world_memory_changes(trace->world, rank, &count);
		text_clear(&rows);
		struct memory_curve curve = {.cells = ruler.cells};
		int64_t *values = mem_alloc((size_t)SERIES * (size_t)ruler.cells * sizeof *values);
		for (int s = 0; s < SERIES; s++)
			curve.most[s] = values + (size_t)s * (size_t)ruler.cells;
		draw_curve(trace, rank, window, &curve);
		put_curve(trace, &curve, ruler.column, kind_name, &rows);
		mem_free(values);
		blocks_add(&blocks, rank, &rows);
		status = trace_step(trace, count);
	}
	blocks_print(&blocks, SETS_MOST, out);
	text_release(&rows);
	return status;
}

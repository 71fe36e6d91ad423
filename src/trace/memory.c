/* memory.c -- device memory now and over time
 *
 *      ranks 0-3: 1.2 MB allocated (at most 1.5 MB), 2 MB reserved of 256 MB
 *         default  2 MB    |█ x ███|█ w ███|········|█|······|  768 kB free
 *         graph g  2 MB    |█ y ███|··························|  1.5 MB kept */
#include "trace/lanes.h"
#include "trace/table.h"
#include "base/arithmetic.h"
#include "base/memory.h"

#include <string.h>

enum { BAR_MOST = 48, BAR_LEAST = 8, SEGMENTS_MOST = 12, OWNERS_MOST = 5, RANKS_SHOWN = 16 };

static void put_block(
        const struct trace *trace, const struct memory_block *block, int cells, struct text *bar)
{
	const char *name = names_text(trace->world->names, block->owner);
	int room = cells - 1, columns = text_columns(name);

	if (cells <= 0)
		return;
	text_add(bar, "|");
	if (block->free) {
		text_repeat(bar, "\xc2\xb7", room);
	} else if (columns && columns + 2 <= room) {
		int left = (room - columns - 2) / 2;
		text_repeat(bar, "\xe2\x96\x88", left);
		text_add(bar, " %s ", name);
		text_repeat(bar, "\xe2\x96\x88", room - left - columns - 2);
	} else if (columns && columns <= room && room <= columns + 1) {
		text_add(bar, "%s", name);
		text_repeat(bar, "\xe2\x96\x88", room - columns);
	} else {
		text_repeat(bar, "\xe2\x96\x88", room);
	}
}

/* Appends a segment's blocks to scale; a block smaller than a cell is not shown. Returns its free
 * bytes. */
static int64_t put_bar(const struct trace *trace, const struct heap *heap, const struct segment *segment,
        int cells, struct text *bar)
{
	int64_t free_bytes = 0;
	for (size_t i = 0; i < heap->count; i++) {
		const struct memory_block *block = &heap->blocks[i];
		int64_t from = block->address - segment->address, to = from + block->bytes;
		if (from < 0 || from >= segment->bytes)
			continue;
		int first = from / (double)segment->bytes * cells, last = to / (double)segment->bytes * cells;
		put_block(trace, block, last - first, bar);
		free_bytes += block->free ? block->bytes : 0;
	}
	text_add(bar, "|");
	return free_bytes;
}

static void put_segments(
        const struct trace *trace, const struct heap *heap, int rank, int cells, struct table *table)
{
	for (size_t i = 0; i < heap->segment_count && i < SEGMENTS_MOST; i++) {
		const struct segment *segment = &heap->segments[i];
		uint32_t graph = pool_graph(segment->pool);
		if (graph)
			table_cell(table, "graph %s",
			        names_text(trace->world->names, world_graph_name(trace->world, graph)));
		else
			table_cells(table, trace_lane_name(trace, rank, pool_stream(segment->pool)));
		table_bytes(table, segment->bytes);
		int64_t free_bytes = put_bar(trace, heap, segment, cells, &table->cells);
		table_end(table);
		if (free_bytes)
			text_add(&table->cells, "%s %s", bytes_words(free_bytes).text,
			        graph ? "kept" : "free");
		table_end(table);
		table_row(table);
	}
}

/* Fragmentation is the part of the free memory outside the largest free block. */
static void put_counts(const struct trace *trace, int rank, const struct heap *heap, struct text *out)
{
	int64_t host = world_heap(trace->world, rank, SPACE_HOST)->allocated,
	        pinned = world_heap(trace->world, rank, SPACE_PINNED)->allocated,
	        disk = world_heap(trace->world, rank, SPACE_DISK)->allocated,
	        largest = heap_largest_free(heap), total_free = 0;

	for (size_t i = 0; i < heap->count; i++)
		total_free +=
		        heap->blocks[i].free && !pool_graph(heap->blocks[i].pool) ? heap->blocks[i].bytes : 0;
	text_add(out, "%s allocated (at most %s), %s reserved", bytes_words(heap->allocated).text,
	        bytes_words(heap->peak_allocated).text, bytes_words(heap->reserved).text);
	if (heap_of_graphs(heap))
		text_add(out, " (%s by graphs)", bytes_words(heap_of_graphs(heap)).text);
	text_add(out, " of %s", bytes_words((int64_t)trace->world->machine->memory).text);
	if (total_free)
		text_add(out, "\n   free in segments %s, largest block %s, fragmentation %.0f%%",
		        bytes_words(total_free).text, bytes_words(largest).text,
		        100 - 100 * (double)largest / total_free);
	if (host || pinned || disk)
		text_add(out, "\n   host %s, pinned %s", bytes_words(host).text, bytes_words(pinned).text);
	if (disk)
		text_add(out, ", disk %s", bytes_words(disk).text);
	text_add(out, "\n");
}

static void put_owners(const struct trace *trace, const struct heap *heap, struct text *out)
{
	const struct memory_block *block[OWNERS_MOST];
	int count = heap_largest(heap, block, OWNERS_MOST);

	for (int i = 0; i < count; i++) {
		const char *name = names_text(trace->world->names, block[i]->owner);
		text_add(out, "%s%s %s", i ? ", " : "   largest: ", *name ? name : "(unnamed)",
		        bytes_words(block[i]->bytes).text);
	}
	text_add(out, "%s", count ? "\n" : "");
}

static void put_rank(const struct trace *trace, int rank, int width, struct text *picture)
{
	struct table table = {.align = "lrl"};
	int cells = width - 40 > BAR_MOST ? BAR_MOST : width - 40 < BAR_LEAST ? BAR_LEAST : width - 40;
	const struct heap *heap = world_heap(trace->world, rank, SPACE_DEVICE);

	put_counts(trace, rank, heap, picture);
	put_segments(trace, heap, rank, cells, &table);
	table_print(&table, width, picture);
	if (heap->segment_count > SEGMENTS_MOST)
		text_add(picture, "   ... and %zu more\n", heap->segment_count - SEGMENTS_MOST);
	put_owners(trace, heap, picture);
}

void trace_memory(const struct trace *trace, int width, struct text *out)
{
	struct blocks blocks = {0};
	struct text picture = {0};

	for (int rank = 0; rank < trace->world->n; rank++) {
		if (!trace_tells(trace, rank))
			continue;
		text_clear(&picture);
		put_rank(trace, rank, width, &picture);
		blocks_add(&blocks, rank, &picture);
	}
	blocks_print(&blocks, RANKS_SHOWN, out);
	text_release(&picture);
}

/* ---- over time, by kind, from the allocator's log and the host's clock
 *
 *         ms    0          2         4
 *     0-3 compute ███ F0 ███ ██ B0 ██      the lanes of all ranks, and below, on the same ruler,
 *    ranks 0-3    at most 1.5 MB, at 3.20 ms (^)
 *      all           ▂▄▆█     1.5 MB       rows scaled by the peak of all; a cell has its maximum
 *      activations   ▁▂▄▆     1 MB
 *
 * The host allocates a block when it queues the work and frees it at `free`, long before the
 * device reaches either. */

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

static void put_series(const struct memory_curve *curve, int series, int rows, const char *name, int column,
        struct text *out)
{
	static const char *const eighths[] = {" ", "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83",
	        "\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"};
	int64_t peak = curve->peak[ALL];
	for (int row = rows - 1; row >= 0; row--) {
		text_add(out, "   %-*s ", column, row == rows - 1 ? name : "");
		int cells = curve->cells;
		while (row < rows - 1 && cells && !curve->most[series][cells - 1])
			cells--;
		for (int cell = 0; cell < cells; cell++) {
			int64_t value = curve->most[series][cell];
			double height = peak > 0 ? (double)value / (double)peak * rows * 8 - row * 8 : 0;
			int level = height >= 8 ? 8 : height <= 0 ? 0 : (int)(height + 0.5);
			text_add(out, "%s", eighths[row == 0 && value > 0 && level == 0 ? 1 : level]);
		}
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

/* timeline.c -- every rank's host and streams on one clock
 *
 *      ms          0         0.5        1.0        1.5        2.0   now 2.02
 *      0-3 host    lsssssssssssssssssssssssssssssssssssssssssss|  s waited 2.00 ms in `print`
 *          default .█████████████████ matmul y ████████████████| */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "trace/lanes.h"
#include "trace/picture.h"
#include "trace/plot.h"
#include "trace/sets.h"

#include <string.h>

enum { WIDTH_MIN = 20, WIDTH_MAX = 4000, LEGEND_MOST = 34, LEGEND_FROM = 100, LEGEND_ROWS = 12 };

/* Columns of a lane's row, each part as wide as its widest text. legend 0: none beside the lanes
 *
 *      | margin | rank | name |f cells ................ e| legend |
 *                              ^ first_column            ^ the end mark */
struct layout_of_rows {
	int margin, rank, name, cells, legend, first_column;
};

struct drawing {
	const struct trace *trace;
	const struct timeline_options *options;
	struct window window;
	struct sets sets;
	struct legend legend;
	struct text text;
	struct layout_of_rows at;
	int width;
	int64_t clock;
	int now; /* the clock's cell, if the window goes on after it; -1: none */
	int microbatches;
};

static void measure_lane(struct drawing *d, int row)
{
	const struct shown_lane *shown = &d->sets.shown[row];
	const struct alike *alike = &d->sets.set[shown->alike];
	int stream = alike->lane[shown->lane];
	text_clear(&d->text);
	ranks_brief(&alike->ranks, d->width / 6, &d->text);
	int rank = text_columns(text_string(&d->text));
	int name = text_columns(trace_lane_name(d->trace, alike->first, stream));
	d->at.rank = (int)most_of(rank, d->at.rank);
	d->at.name = (int)most_of(name, d->at.name);
	legend_add(&d->legend, d->trace, row, alike->first, stream, shown->begun, alike->whom[shown->lane],
	        &shown->spans);
}

/* Divides the width. The legend's width changes in steps, so that the picture does not move. */
static void lay_out(struct drawing *d)
{
	static const int steps[] = {0, 10, 20, 27, LEGEND_MOST};
	struct layout_of_rows *at = &d->at;
	int wanted = (int)least_of(d->legend.width, LEGEND_MOST);

	at->margin = d->width >= 60 ? 3 : 0;
	at->rank = (int)least_of(at->rank, d->width / 6);
	at->name = (int)least_of(at->name, d->width / 5);
	at->first_column = at->margin + at->rank + 1 + at->name + 1;
	for (size_t i = 0; d->width >= LEGEND_FROM && i < sizeof steps / sizeof *steps; i++)
		if (at->legend < wanted)
			at->legend = steps[i];
	at->cells = (int)most_of(d->width - at->first_column - 1 - (at->legend ? at->legend + 2 : 0), 4);
	d->now = d->clock >= d->window.from && d->clock < d->window.to
	        ? cells_at(d->window, at->cells, d->clock)
	        : -1;
}

static void tick_text(int64_t ns, int64_t unit, int64_t step, struct text *out)
{
	int digits = 0;
	if (ns == 0)
		unit = step = 1;
	for (int64_t part = unit; part > 1 && step % part != 0; part /= 10)
		digits++;
	text_add(out, "%.*f", digits, ns / (double)unit);
}

/* If labels would be long, they are relative to the first tick: "16439.40   +0.05   +0.10" */
static void put_tick(struct drawing *d, int64_t tick, int64_t base, int64_t unit, int64_t step)
{
	enum { LONG = 7 };
	text_clear(&d->text);
	tick_text(base, unit, step, &d->text);
	if (base == tick || text_columns(text_string(&d->text)) < LONG)
		base = 0;
	text_clear(&d->text);
	text_add(&d->text, "%s", base ? "+" : "");
	tick_text(tick - base, unit, step, &d->text);
}

static int64_t unit_of(struct window window)
{
	int64_t length = window.to - window.from;
	return length >= 10000000000 ? 1000000000 : length >= 20000 ? 1000000 : length >= 20 ? 1000 : 1;
}

static const char *ruler_unit(int64_t unit)
{
	return unit == 1 ? "ns" : unit == 1000 ? "us" : unit == 1000000 ? "ms" : "s";
}

static void put_now(struct drawing *d, int64_t unit, bool named)
{
	int digits = 2;
	int64_t cell = (d->window.to - d->window.from) / d->width;
	for (int64_t part = unit / 100; part > 1 && part > cell && digits < 5; part /= 10)
		digits++;
	text_add(&d->text, "now %.*f", digits, d->clock / (double)unit);
	if (named)
		text_add(&d->text, " %s", ruler_unit(unit));
}

/* The first row, for a window from 0.7 to 2.6 ms with a step of 0.5 ms:
 *
 *      ms            1.0        1.5        2.0        2.5   now 2.60
 *
 * (If now is within it: a mark at its column.) Ticks are multiples of the step, so they move with
 * the picture when it scrolls. */
static void draw_ruler(struct drawing *d, struct picture *picture)
{
	const struct layout_of_rows *at = &d->at;
	int64_t length = d->window.to - d->window.from;
	int64_t step = (int64_t)nice_step((double)(length / at->cells * 7), 1); /* room for labels */
	int64_t unit = unit_of(d->window);
	int free_from = 0;

	picture_write(picture, 0, at->margin, at->first_column, COLOUR_HEAD, ruler_unit(unit));
	int64_t base = (d->window.from + step - 1) / step * step;
	for (int64_t tick = base; tick <= d->window.to; tick += step) {
		int cell = (tick - d->window.from) * (double)at->cells / length;
		put_tick(d, tick, base, unit, step);
		int columns = text_columns(text_string(&d->text));
		if (cell < free_from || cell + columns > at->cells + (at->legend ? 2 : 1) ||
		        (d->now >= 0 && d->now >= cell - 1 && d->now <= cell + columns))
			continue;
		picture_write(
		        picture, 0, at->first_column + cell, columns, COLOUR_HEAD, text_string(&d->text));
		free_from = cell + columns + 2;
	}
	if (d->now >= 0)
		picture_write(picture, 0, at->first_column + d->now, 1, COLOUR_HEAD, "\xe2\x96\xbc");
	if (d->clock < 0 || !at->legend)
		return;
	text_clear(&d->text);
	put_now(d, unit, false);
	picture_write(
	        picture, 0, at->first_column + at->cells + 3, at->legend, COLOUR_NOTE, text_string(&d->text));
}

static void draw_lane(struct drawing *d, int row, struct picture *picture)
{
	const struct layout_of_rows *at = &d->at;
	const struct shown_lane *shown = &d->sets.shown[row];
	const struct alike *alike = &d->sets.set[shown->alike];
	int stream = alike->lane[shown->lane];
	struct bar_row where = {.trace = d->trace,
	        .window = d->window,
	        .row = row + 1,
	        .column = at->first_column,
	        .cells = at->cells,
	        .host = stream == STREAM_HOST,
	        .selected = d->options->selected,
	        .now = d->now,
	        .microbatches = &d->microbatches,
	        .begun = shown->begun};

	if (shown->lane == 0 || row == 0) {
		text_clear(&d->text);
		ranks_brief(&alike->ranks, d->width / 6, &d->text);
		picture_write(picture, row + 1, at->margin, at->rank, COLOUR_HEAD, text_string(&d->text));
	}
	picture_write(picture, row + 1, at->margin + at->rank + 1, at->name, COLOUR_PLAIN,
	        trace_lane_name(d->trace, alike->first, stream));
	bars_paint(&where, &shown->spans, picture);
	if (d->now < 0 && backend_over_by(d->trace->backend, d->options->now) >= d->options->window.to)
		picture_write(picture, row + 1, at->first_column + at->cells, 1, COLOUR_NOTE, "|");
	if (at->legend) {
		legend_line(&d->legend, row, at->legend, &d->text);
		picture_write(picture, row + 1, at->first_column + at->cells + 3, at->legend, COLOUR_NOTE,
		        text_string(&d->text));
	}
}

/* Draws the rest of the legend, with the time of now if no legend is beside the lanes. */
static void draw_below(struct drawing *d, int rows, struct picture *picture)
{
	int width = d->width - d->at.margin, row = 1 + rows;
	struct text line = {0};
	if (!d->at.legend && d->clock >= 0) {
		text_clear(&d->text);
		put_now(d, unit_of(d->window), true);
		legend_say(&d->legend, text_string(&d->text));
	}
	while (row < picture->height && legend_line(&d->legend, rows, width, &line))
		picture_write(picture, row++, d->at.margin, width, COLOUR_NOTE, text_string(&line));
	picture->height = row;
	text_release(&line);
}

void timeline_places_release(struct timeline_places *places)
{
	if (places->sets)
		sets_release(places->sets);
	mem_free(places->sets);
	mem_free(places->shown);
	*places = (struct timeline_places){0};
}

int timeline_row_of(const struct timeline_places *places, int rank, int stream)
{
	const struct sets *sets = places->sets;
	int row = 0;
	for (size_t i = 0; sets && i < sets->count; row += sets->set[i++].lanes)
		for (int k = 0; ranks_has(&sets->set[i].ranks, rank) && k < sets->set[i].lanes; k++)
			if (sets->set[i].lane[k] == stream)
				return row + k;
	return -1;
}

static void store_places(struct drawing *d, struct timeline_places *places)
{
	timeline_places_release(places);
	places->shown = mem_alloc(d->sets.shown_count * sizeof *places->shown);
	places->shown_count = d->sets.shown_count;
	places->first_column = d->at.first_column;
	places->cells = d->at.cells;
	for (size_t i = 0; i < d->sets.shown_count; i++) {
		struct shown_lane *shown = &d->sets.shown[i];
		const struct alike *alike = &d->sets.set[shown->alike];
		places->shown[i] = (struct lane_place){alike->first, alike->lane[shown->lane]};
		spans_release(&shown->spans);
	}
	places->sets = mem_alloc(sizeof *places->sets);
	*places->sets = d->sets;
	d->sets = (struct sets){0};
}

static enum status timeline_draw(struct drawing *d, struct picture *picture)
{
	enum status status = sets_find(d->trace, d->options, d->window, &d->sets);
	if (status != ST_OK)
		return status;
	int rows = d->sets.shown_count;
	for (int row = 0; row < rows; row++)
		measure_lane(d, row);
	if (d->options->path) {
		legend_say(&d->legend, "in full: the critical path");
		legend_say(&d->legend, "\xe2\x94\x80 other work");
	}
	legend_close(&d->legend);
	lay_out(d);
	picture_make(picture, d->width,
	        1 + rows + (d->options->legend_rows ? d->options->legend_rows : LEGEND_ROWS));
	picture->lanes = d->sets.rows;
	draw_ruler(d, picture);
	for (int row = 0; row < rows; row++)
		draw_lane(d, row, picture);
	draw_below(d, rows, picture);
	return ST_OK;
}

enum status timeline_picture(
        const struct trace *trace, const struct timeline_options *options, struct picture *picture)
{
	int width = (int)most_of(least_of(options->width, WIDTH_MAX), WIDTH_MIN);
	struct drawing d = {.trace = trace,
	        .options = options,
	        .window = options->window,
	        .clock = options->as_of ? options->as_of : options->now,
	        .width = width};
	if (d.window.to - d.window.from < width)
		d.window.to = d.window.from + width;

	*picture = (struct picture){0};
	enum status status = timeline_draw(&d, picture);
	if (status == ST_OK && options->places)
		store_places(&d, options->places);
	legend_release(&d.legend);
	text_release(&d.text);
	sets_release(&d.sets);
	return status;
}

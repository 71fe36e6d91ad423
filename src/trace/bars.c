/* bars.c -- one lane as a row of cells: bars of work with their names inside, letters for what held it up
 *
 *      spans   wait p |   matmul y   | matmul y2 | issue |queued
 *      cells   pppp     ██ matmul y ██▐███████████  l      ░░░░░
 *
 * A cell shows what most of its time went to; idle time shows only where there was nothing else, so that a
 * short operation between two pauses does not vanish. */
#include "trace/picture.h"
#include "base/memory.h"
#include "trace/trace.h"

#include <string.h>

static const char letters[CAUSE_COUNT] = {
#define X(symbol, letter, name) [CAUSE_##symbol] = letter,
        CAUSES(X)
#undef X
};

enum { WORK = CAUSE_COUNT, LEAD /* before the stream's first operation */, THINGS };
struct shown {
	uint8_t thing;
	bool dim;
	op_id op;
};

static enum colour colour_of(const struct record *record)
{
	static const uint8_t phases[] = {['F'] = COLOUR_FORWARD,
	        ['R'] = COLOUR_FORWARD,
	        ['B'] = COLOUR_BACKWARD,
	        ['W'] = COLOUR_WEIGHT,
	        ['O'] = COLOUR_OPTIMIZER,
	        ['C'] = COLOUR_COMM,
	        ['D'] = COLOUR_COPY};
	size_t phase = (unsigned char)record->colour;

	if (phase < sizeof phases && phases[phase])
		return phases[phase];
	switch (record->kind) {
	case OP_KERNEL:
		return COLOUR_KERNEL;
	case OP_COPY:
		return COLOUR_COPY;
	case OP_COLLECTIVE:
	case OP_P2P:
	case OP_ONE_SIDED:
		return COLOUR_COMM;
	default:
		return COLOUR_HOSTWORK;
	}
}

/* First nanosecond of cell i of `cells` */
static int64_t cell_from(struct window window, int cells, int i)
{
	int64_t length = window.to - window.from;
	return window.from + length / cells * i + length % cells * i / cells;
}

/* What counts most in the cell from a to b:
 *
 *      spans   ███ relu ███|eeeeeeee|█ add █|           relu 40, e 30, add 30: work has 70 of the cell
 *      cell    a -------------------------- b           it stands for relu, which has most of the work
 *
 * Launches are short and are what a host does: on its lane they
 * count double. *first: the span that reaches into this cell, moved on to the one that reaches into the next;
 * so a row is one walk along its spans, however many cells it has. Which operation the cell stands for is the
 * one that has most of the winning thing's time in it. */
static struct shown dominant(
        const struct spans *spans, size_t *first, int64_t a, int64_t b, bool host, bool *begun)
{
	int64_t amount[THINGS] = {0}, most[THINGS] = {0};
	struct shown candidate[THINGS] = {{0}};
	size_t i = *first;

	for (; i < spans->count && spans->span[i].from < b; i++) {
		const struct span *span = &spans->span[i];
		int64_t from = span->from > a ? span->from : a, to = span->to < b ? span->to : b;
		if (to > from) {
			bool lead = !host && !*begun && span->cause <= CAUSE_MEMORY;
			int thing = span->kind == SPAN_WORK ? WORK : lead ? LEAD : span->cause;
			amount[thing] += (to - from) * (host && thing == CAUSE_LAUNCH ? 2 : 1);
			if (to - from > most[thing]) {
				most[thing] = to - from;
				candidate[thing] = (struct shown){thing, span->projected, span->op};
			}
		}
		*begun = *begun || span->kind == SPAN_WORK;
		if (span->to > b)
			break;
	}
	*first = i;
	int best = WORK;
	for (int thing = 0; thing < THINGS; thing++)
		if (thing != CAUSE_DONE && amount[thing] > amount[best])
			best = thing;
	if (!amount[best])
		best = CAUSE_DONE;
	candidate[best].thing = best;
	return candidate[best];
}

/* The micro-batch of an operation makes one bar of it and its neighbours: F3 is a matmul and a relu. */
static bool same_bar(const struct trace *trace, const struct shown *a, const struct shown *b)
{
	if (a->thing != WORK || b->thing != WORK || a->dim != b->dim)
		return false;
	if (a->op == b->op)
		return true;
	const struct record *x = op_record(trace->world, a->op), *y = op_record(trace->world, b->op);
	if (!x->phase || x->phase != y->phase || x->microbatch < 0 || x->kind != y->kind)
		return false;
	/* all between them on the stream too: iterations have phases of the same names */
	op_id at = a->op;
	while (at && at != b->op && op_record(trace->world, at)->phase == x->phase)
		at = trace->world->ops[at].next_stream;
	return at == b->op;
}

/* The longest of "matmul y", "matmul" (or "F3") that leaves a piece of bar on both sides. */
static void label_of(const struct trace *trace, const struct shown *bar, int cells, struct text *label)
{
	const struct record *record = op_record(trace->world, bar->op);
	const struct names *names = trace->world->names;

	text_clear(label);
	if (record->phase && record->microbatch >= 0) {
		text_add(label, "%s", names_text(names, record->phase));
		if ((int)text_columns(text_string(label)) > cells)
			text_clear(label);
		return;
	}
	op_label(trace->world, bar->op, label);
	if ((int)text_columns(text_string(label)) + 4 <= cells || !record->title)
		return;
	text_clear(label);
	text_add(label, "%s", names_text(names, record->title));
	if ((int)text_columns(text_string(label)) + 2 > cells)
		text_clear(label);
}

/* Cells from .. to-1 in one colour, the label in the middle of them, reversed out of the bar with a blank on
 * either side where there is room. `touches`: another bar ends right before this one, so its first cell is a
 * half block: two operations back to back stay two. */
static void paint_bar(const struct bar_row *where, const struct shown *shown, int from, int to, bool touches,
        struct text *label, struct picture *picture)
{
	const struct trace *trace = where->trace;
	enum colour colour = colour_of(op_record(trace->world, shown[from].op));

	for (int i = from; i < to; i++) {
		struct cell *cell = picture_cell(picture, where->row, where->column + i);
		bool edge = i == from && touches && to - from > 1;
		cell->glyph = shown[i].dim ? (edge ? ' ' : 0x2591) : (edge ? 0x2590 : 0x2588);
		cell->colour = shown[i].dim ? COLOUR_QUEUED : colour;
		cell->dim = shown[i].dim;
		cell->reverse = where->selected && shown[i].op == where->selected;
	}
	label_of(trace, &shown[from], to - from, label);
	int columns = text_columns(text_string(label));
	if (!columns)
		return;
	bool room = columns + 2 <= to - from;
	int start = from + (to - from - columns) / 2;
	for (int i = start - room; i < start + columns + room; i++) {
		struct cell *cell = picture_cell(picture, where->row, where->column + i);
		cell->glyph = ' ';
		cell->reverse = !shown[from].dim;
	}
	picture_write(picture, where->row, where->column + start, columns,
	        shown[from].dim ? COLOUR_QUEUED : colour, text_string(label));
}

static void paint_letter(
        const struct bar_row *where, const struct shown *shown, int i, struct picture *picture)
{
	struct cell *cell = picture_cell(picture, where->row, where->column + i);

	if (shown->thing == CAUSE_DONE)
		return;
	bool quiet = shown->thing == LEAD || shown->thing == CAUSE_LAUNCH || shown->thing == CAUSE_HOST;
	cell->glyph = shown->thing == LEAD ? '.' : letters[shown->thing];
	cell->colour = quiet ? COLOUR_NOTE : COLOUR_STALL;
	cell->dim = shown->dim;
	cell->reverse = where->selected && shown->op == where->selected;
}

void bars_paint(const struct bar_row *where, const struct spans *spans, struct picture *picture)
{
	struct shown *shown = mem_alloc(where->cells * sizeof *shown);
	struct text label = {0};
	bool begun = where->begun;
	size_t first = 0;

	for (int i = 0; i < where->cells; i++) {
		shown[i] = dominant(spans, &first, cell_from(where->window, where->cells, i),
		        cell_from(where->window, where->cells, i + 1), where->host, &begun);
		picture->ops[where->row * (size_t)picture->width + where->column + i] = shown[i].op;
	}
	for (int i = 0, to; i < where->cells; i = to) {
		for (to = i + 1; to < where->cells && same_bar(where->trace, &shown[i], &shown[to]);)
			to++;
		if (shown[i].thing == WORK)
			paint_bar(where, shown, i, to, i > 0 && shown[i - 1].thing == WORK, &label, picture);
		else
			paint_letter(where, &shown[i], i, picture);
	}

	text_release(&label);
	mem_free(shown);
}

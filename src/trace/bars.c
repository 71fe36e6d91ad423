/* bars.c -- one lane painted: bars of work with names inside, letters for delays
 *
 *      cells   pp█████████████████▐███▐x16█l░░░░      from cells.c
 *      row     pp███ matmul y ████▐ F3 x16 l░░░░      names as far as they fit, crowds counted
 *
 * A kernel has the colour of its phase; copies, collectives and transfers have their own. */
#include "trace/picture.h"
#include "base/memory.h"
#include "trace/lanes.h"
#include "trace/trace.h"

#include <stdio.h>

enum glyph {
	FULL = 0x2588,
	QUEUED = 0x2591,
	THIN = 0x258e,
	THIN_QUEUED = 0x250a,
	BEGIN = 0x2590 /* first cell of a bar that follows a bar */,
	ASIDE = 0x2500,
	ASIDE_QUEUED = 0x2504,
	NOW = 0x2502
};

/* True if there is a micro-batch after number 0. Computed once for each picture. */
static bool several_microbatches(const struct bar_row *where)
{
	const struct world *world = where->trace->world;
	for (size_t i = 1; i <= world->record_count && !*where->microbatches; i++)
		if (world->records[i].microbatch > 0)
			*where->microbatches = 2;
	if (!*where->microbatches)
		*where->microbatches = 1;
	return *where->microbatches == 2;
}

bool bars_by_phase(const struct bar_row *where, const struct record *record)
{
	return record->kind == OP_KERNEL && record->phase && record->microbatch >= 0 &&
	        (record->microbatch > 0 || several_microbatches(where));
}

/* Writes the longest of "matmul y", "matmul" (or "F3") that leaves some bar on both sides. */
static void label_of(const struct bar_row *where, op_id id, int cells, struct text *label)
{
	const struct world *world = where->trace->world;
	const struct record *record = op_record(world, id);

	text_clear(label);
	if (bars_by_phase(where, record)) {
		text_add(label, "%s", names_text(world->names, record->phase));
		if ((int)text_columns(text_string(label)) > cells)
			text_clear(label);
		return;
	}
	op_label(world, id, label);
	if ((int)text_columns(text_string(label)) + 4 <= cells || !record->title)
		return;
	text_clear(label);
	/* in a phase the result names the layer */
	text_add(label, "%s",
	        names_text(world->names, record->phase && record->object ? record->object : record->title));
	if ((int)text_columns(text_string(label)) + 2 > cells)
		text_clear(label);
}

/* Writes the longest of "F3 x16", "x16" and "16" that fits, else "+". */
static void count_of(const struct bar_row *where, name_id phase, int ops, int cells, struct text *label)
{
	char digits[16];
	int length = snprintf(digits, sizeof digits, "%d", ops);

	text_clear(label);
	if (phase)
		text_add(label, "%s x%s", names_text(where->trace->world->names, phase), digits);
	if (phase && (int)text_columns(text_string(label)) + 2 <= cells)
		return;
	text_clear(label);
	text_add(label, "%s%s", length < cells ? "x" : "", length <= cells ? digits : "+");
}

static uint32_t glyph_of(const struct shown *shown, bool edge)
{
	if (shown->thing == THING_ASIDE)
		return shown->dim ? ASIDE_QUEUED : ASIDE;
	if (shown->thin)
		return shown->dim ? THIN_QUEUED : THIN;
	if (shown->dim)
		return edge ? ' ' : QUEUED;
	return edge ? BEGIN : FULL;
}

/* Paints cells from .. to-1, the label centred, reversed, with a blank on each side if it fits.
 * `touches`: another bar ends right before, so the first cell is a half block. */
static void paint_bar(const struct bar_row *where, const struct shown *shown, int from, int to, bool touches,
        const char *label, struct picture *picture)
{
	int columns = text_columns(label);
	bool room = columns + 2 <= to - from;
	int start = from + (to - from - columns) / 2;

	for (int i = from; i < to; i++) {
		struct cell *cell = picture_cell(picture, where->row, where->column + i);
		bool edge = i == from && touches && to - from > 1;
		bool aside = shown[i].thing == THING_ASIDE;
		enum colour colour = shown[i].dim || aside
		        ? COLOUR_QUEUED
		        : trace_colour(op_record(where->trace->world, shown[i].op));
		*cell = (struct cell){.glyph = glyph_of(&shown[i], edge),
		        .colour = colour,
		        .dim = shown[i].dim,
		        .reverse = where->selected && shown[i].op == where->selected};
		if (!columns || i < start - room || i >= start + columns + room)
			continue;
		cell->glyph = ' ';
		cell->reverse = !shown[i].dim && !aside;
		if (i >= start && i < start + columns)
			cell->glyph = utf8_next(&label);
	}
}

static void paint_letter(
        const struct bar_row *where, const struct shown *shown, int i, struct picture *picture)
{
	struct cell *cell = picture_cell(picture, where->row, where->column + i);
	bool quiet = shown->thing == THING_LEAD || shown->thing == CAUSE_LAUNCH || shown->thing == CAUSE_HOST;

	if (i == where->now)
		*cell = (struct cell){.glyph = NOW, .colour = COLOUR_NOTE};
	if (i == where->now || shown->thing == CAUSE_DONE)
		return;
	cell->glyph = shown->thing == THING_LEAD ? '.' : trace_letters[shown->thing];
	cell->colour = quiet ? COLOUR_NOTE : COLOUR_STALL;
	cell->dim = shown->dim;
	cell->reverse = where->selected && shown->op == where->selected;
}

static bool same_shown(const struct bar_row *where, const struct shown *a, const struct shown *b)
{
	return a->thing == b->thing && (a->thing == THING_WORK || a->thing == THING_ASIDE) && !a->crowded &&
	        !b->crowded && cells_same_bar(where, a->op, b->op);
}

/* Consecutive bars without cells of their own, of one phase unless the crowd is narrow */
struct crowd {
	int to, ops;
	name_id phase; /* 0: none, or several */
};

static void crowd_at(const struct bar_row *where, const struct shown *shown, int i, struct crowd *crowd)
{
	enum { NARROW = 5 };
	const struct world *world = where->trace->world;
	bool crowded = false;
	int to = i;
	*crowd = (struct crowd){.to = i, .phase = op_record(world, shown[i].op)->phase};
	for (; to < where->cells && shown[to].thing == THING_WORK; to++) {
		const struct record *x = op_record(world, shown[i].op), *y = op_record(world, shown[to].op);
		bool wide = (to > 0 && same_shown(where, &shown[to - 1], &shown[to])) ||
		        (to + 1 < where->cells && same_shown(where, &shown[to], &shown[to + 1]));
		bool other = x->phase != y->phase || trace_colour(x) != trace_colour(y);
		if (wide || shown[i].dim != shown[to].dim || (other && to - i >= NARROW))
			break;
		crowd->phase = x->phase == y->phase ? crowd->phase : 0;
		crowd->ops += shown[to].ops;
		crowded |= shown[to].crowded;
	}
	if (crowded)
		crowd->to = to;
}

void bars_paint(const struct bar_row *where, const struct spans *spans, struct picture *picture)
{
	struct shown *shown = mem_alloc(where->cells * sizeof *shown);
	struct text label = {0};

	cells_of(where, spans, shown);
	for (int i = 0; i < where->cells; i++)
		picture->ops[where->row * (size_t)picture->width + where->column + i] = shown[i].op;
	bool counted = false;
	for (int i = 0, to; i < where->cells; i = to) {
		bool touches = i > 0 && shown[i - 1].thing == THING_WORK;
		struct crowd crowd;
		to = i + 1;
		if (shown[i].thing != THING_WORK && shown[i].thing != THING_ASIDE) {
			paint_letter(where, &shown[i], i, picture);
			continue;
		}
		crowd_at(where, shown, i, &crowd); /* empty for work beside the path */
		if (crowd.to > i) {
			bool apart = counted && touches;
			to = crowd.to;
			count_of(where, crowd.phase, crowd.ops, to - i - apart, &label);
			if (apart)
				paint_bar(where, shown, i, i + 1, false, to - i == 1 ? "+" : "", picture);
			if (to - i > apart)
				paint_bar(where, shown, i + apart, to, false, text_string(&label), picture);
			counted = true;
			continue;
		}
		while (to < where->cells && same_shown(where, &shown[i], &shown[to]))
			to++;
		/* beside the path some line stays on both sides */
		label_of(where, shown[i].op, shown[i].thing == THING_ASIDE ? to - i - 4 : to - i, &label);
		paint_bar(where, shown, i, to, touches, text_string(&label), picture);
		counted = false;
	}

	text_release(&label);
	mem_free(shown);
}

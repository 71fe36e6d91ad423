/* cells.c -- pictures as grids of cells, each a code point with a colour and the operation at it;
 * and the content of a lane's cells
 *
 *      spans   wait p |   matmul y   | matmul y2 | issue |queued
 *      cells   pppp     ██ matmul y ██▐███████████  l      ░░░░░
 *
 * A cell shows the content that took most of its time. But each operation must be seen, so one
 * that ends in a cell and was not shown yet comes first; several are counted. */
#include "base/arithmetic.h"
#include "trace/picture.h"
#include "trace/trace.h"
#include "base/memory.h"

#include <string.h>

static const short ansi[COLOUR_COUNT] = {
#define X(symbol, number) [COLOUR_##symbol] = number,
        COLOURS(X)
#undef X
};

void picture_make(struct picture *picture, int width, int height)
{
	size_t count = width * (size_t)height;

	*picture = (struct picture){.width = width, .height = height};
	picture->cells = mem_alloc(count * sizeof *picture->cells);
	picture->ops = mem_alloc(count * sizeof *picture->ops);
	for (size_t i = 0; i < count; i++)
		picture->cells[i].glyph = ' ';
}

void picture_release(struct picture *picture)
{
	mem_free(picture->cells);
	mem_free(picture->ops);
	*picture = (struct picture){0};
}

struct cell *picture_cell(struct picture *picture, int row, int column)
{
	if (row < 0 || row >= picture->height || column < 0 || column >= picture->width)
		return NULL;
	return &picture->cells[row * (size_t)picture->width + column];
}

void picture_write(
        struct picture *picture, int row, int column, int limit, enum colour colour, const char *utf8)
{
	uint32_t glyph;

	for (; limit > 0 && (glyph = utf8_next(&utf8)) != 0; limit--, column++) {
		struct cell *cell = picture_cell(picture, row, column);
		if (!cell)
			break;
		/* the last column shows that there was more */
		cell->glyph = limit == 1 && *utf8 ? 0x2026 : glyph;
		cell->colour = colour;
	}
}

void picture_text(const struct picture *picture, bool colour, struct text *out)
{
	static const struct cell none;

	for (int row = 0; row < picture->height; row++) {
		const struct cell *line = &picture->cells[row * (size_t)picture->width], *look = &none;
		int columns = picture->width;
		while (columns > 0 && line[columns - 1].glyph == ' ' && !line[columns - 1].reverse)
			columns--;
		for (int i = 0; i < columns; i++) {
			const struct cell *cell = &line[i];
			/* an escape only if the look changes */
			if (colour &&
			        (cell->colour != look->colour || cell->dim != look->dim ||
			                cell->reverse != look->reverse)) {
				/* each begins with 0, which resets earlier looks */
				text_add(out, "\033[0%s%s%s", cell->dim ? ";2" : "",
				        cell->reverse ? ";7" : "", cell->colour == COLOUR_HEAD ? ";1" : "");
				if (ansi[cell->colour] >= 0)
					text_add(out, ";38;5;%d", ansi[cell->colour]);
				text_add(out, "m");
			}
			look = cell;
			if (cell->glyph) /* 0: covered by the wide character before it */
				text_put_point(out, cell->glyph);
		}
		if (colour && (look->colour != COLOUR_PLAIN || look->dim || look->reverse))
			text_add(out, "\033[0m");
		text_add(out, "\n");
	}
}

/* A micro-batch's kernels make one bar if no other phase is between them on their stream, because
 * iterations repeat phase names. With a single micro-batch each kernel is its own bar. */
bool cells_same_bar(const struct bar_row *where, op_id a, op_id b)
{
	const struct world *world = where->trace->world;
	if (a == b)
		return true;
	const struct record *x = op_record(world, a), *y = op_record(world, b);
	if (!x->phase || x->phase != y->phase || x->kind != OP_KERNEL || y->kind != OP_KERNEL ||
	        !bars_by_phase(where, x))
		return false;
	op_id at = a;
	while (at && at != b &&
	        (op_record(world, at)->kind != OP_KERNEL || op_record(world, at)->phase == x->phase))
		at = world->ops[at].next_stream;
	return at == b;
}

/* The operations that end in a cell and have no cell yet */
struct unseen {
	struct shown shown; /* the one with most time here */
	int64_t most;
	op_id last;
	bool several;
	bool undone;
};

static void unseen_add(
        const struct bar_row *where, struct unseen *unseen, const struct span *span, int64_t ns)
{
	if (unseen->last != span->op) {
		unseen->several |=
		        unseen->last && (unseen->several || !cells_same_bar(where, unseen->last, span->op));
		unseen->shown.ops++;
	}
	unseen->last = span->op;
	unseen->undone |= span->projected;
	if (ns <= unseen->most)
		return;
	unseen->most = ns;
	unseen->shown.dim = span->projected;
	unseen->shown.op = span->op;
}

struct cell_time {
	int64_t amount[THINGS], most[THINGS];
	struct shown candidate[THINGS];
	struct unseen unseen;
};

/* Adds `ns` of the span to the cell, which ends at b. On the host's lane launches count double. */
static void cell_spend(const struct bar_row *where, struct cell_time *time, const struct span *span,
        int64_t ns, int64_t b, bool lead, const struct shown *before)
{
	int thing = span->aside           ? THING_ASIDE
	        : span->kind == SPAN_WORK ? THING_WORK
	        : lead                    ? THING_LEAD
	                                  : span->cause;
	time->amount[thing] += ns * (where->host && thing == CAUSE_LAUNCH ? 2 : 1);
	if (ns > time->most[thing]) {
		time->most[thing] = ns;
		time->candidate[thing] =
		        (struct shown){.thing = thing, .dim = span->projected, .op = span->op, .ops = 1};
	}
	/* seen: it goes on from the cell before, and is the first in this one */
	bool seen = thing == THING_WORK && !time->unseen.last && before->thing == THING_WORK &&
	        cells_same_bar(where, before->op, span->op);
	if (thing == THING_WORK && span->to <= b && !seen)
		unseen_add(where, &time->unseen, span, ns);
}

static struct shown most_of_time(const struct cell_time *time, int64_t length)
{
	int best = THING_WORK;
	for (int thing = 0; thing < THINGS; thing++)
		if (thing != CAUSE_DONE && thing != THING_ASIDE && time->amount[thing] > time->amount[best])
			best = thing;
	if (!time->amount[best])
		best = time->amount[THING_ASIDE] ? THING_ASIDE : CAUSE_DONE;
	struct shown shown = time->candidate[best];
	shown.thing = best;
	if (time->unseen.last) {
		shown = time->unseen.shown;
		shown.thing = THING_WORK;
		shown.crowded = time->unseen.several;
		shown.dim |= time->unseen.several && time->unseen.undone;
	}
	shown.thin = shown.thing == THING_WORK && time->amount[THING_WORK] * 2 < length;
	return shown;
}

/* The cell from a to b, after the one with `before`:
 *
 * spans   ███ relu ███|eeeeeeee|█ add █|     relu 40, e 30, add 30: work has 70 of the cell
 * cell    a -------------------------- b     shows relu, the longest work; both, if they end here
 *
 * *first: the span that reaches into this cell, advanced to the next cell's. */
static struct shown cell_of(const struct bar_row *where, const struct spans *spans, size_t *first, int64_t a,
        int64_t b, const struct shown *before, bool *begun)
{
	struct cell_time time = {0};
	size_t i = *first;
	for (; i < spans->count && spans->span[i].from < b; i++) {
		const struct span *span = &spans->span[i];
		int64_t from = most_of(span->from, a), to = least_of(span->to, b);
		bool lead = !where->host && !*begun && span->cause <= CAUSE_MEMORY;
		if (to > from)
			cell_spend(where, &time, span, to - from, b, lead, before);
		*begun = *begun || span->kind == SPAN_WORK;
		if (span->to > b)
			break;
	}
	*first = i;
	return most_of_time(&time, b - a);
}

static int64_t cell_from(struct window window, int cells, int i)
{
	int64_t length = window.to - window.from;
	return window.from + length / cells * i + length % cells * i / cells;
}

int cells_at(struct window window, int cells, int64_t time)
{
	int i = (int)((double)(time - window.from) * cells / (double)(window.to - window.from));
	while (i > 0 && cell_from(window, cells, i) > time)
		i--;
	while (i + 1 < cells && cell_from(window, cells, i + 1) <= time)
		i++;
	return i;
}

void cells_of(const struct bar_row *where, const struct spans *spans, struct shown *shown)
{
	struct shown none = {.thing = CAUSE_DONE};
	bool begun = where->begun;
	size_t first = 0;
	for (int i = 0; i < where->cells; i++)
		shown[i] = cell_of(where, spans, &first, cell_from(where->window, where->cells, i),
		        cell_from(where->window, where->cells, i + 1), i ? &shown[i - 1] : &none, &begun);
}

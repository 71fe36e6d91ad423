/* picture.c -- cells: made, written, and turned into lines of text
 *
 * A picture is a grid of cells, each a code point with a colour, and the operation at each cell,
 * for a pointer to query. Text beyond an edge is cut, so callers need not measure first. */
#include "trace/picture.h"
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

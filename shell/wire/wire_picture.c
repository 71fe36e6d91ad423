/* wire_picture.c -- cells to text and back
 *
 * Equal neighbours form a run, so a wide frame takes a few kB instead of 12 bytes a cell:
 *
 *     io      ████ copy        a row's glyphs
 *     8.0 4.5@17 5.5@17        8 plain cells; 9 cells in colour 5, over operation 17
 *
 * Another process wrote the text, so each count is checked against the rest of the row. */
#include "shell/wire/wire_picture.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE_MOST = 2000 };

static bool same_run(const struct picture *picture, size_t a, size_t b)
{
	const struct cell *x = &picture->cells[a], *y = &picture->cells[b];
	return x->colour == y->colour && x->dim == y->dim && x->reverse == y->reverse &&
	        picture->ops[a] == picture->ops[b];
}

static void write_row(const struct picture *picture, size_t row, struct text *out)
{
	size_t from = row * (size_t)picture->width, end = from + (size_t)picture->width;
	for (size_t i = from; i < end; i++)
		text_put_point(out, picture->cells[i].glyph < 0x20 ? ' ' : picture->cells[i].glyph);
	text_put(out, "\n", 1);
	for (size_t i = from, next; i < end; i = next) {
		const struct cell *cell = &picture->cells[i];
		for (next = i + 1; next < end && same_run(picture, i, next); next++)
			;
		text_add(out, "%zu.%d%s%s", next - i, cell->colour, cell->dim ? "d" : "",
		        cell->reverse ? "r" : "");
		if (picture->ops[i])
			text_add(out, "@%u", picture->ops[i]);
		text_put(out, " ", 1);
	}
	text_put(out, "\n", 1);
}

void wire_put_picture(const struct picture *picture, struct text *out)
{
	text_add(out, "%d %d\n", picture->width, picture->height);
	for (int row = 0; row < picture->height; row++)
		write_row(picture, (size_t)row, out);
}

/* Reads runs up to the end of the row or less; cells without a run stay plain. */
static bool read_runs(const char **at, struct picture *picture, size_t from)
{
	size_t filled = 0, width = (size_t)picture->width;
	while (**at && **at != '\n') {
		char *end;
		unsigned long count = strtoul(*at, &end, 10);
		struct cell style = {0};
		op_id op = 0;
		if (end == *at || *end != '.' || count == 0 || count > width - filled)
			return false;
		style.colour = (uint8_t)strtoul(end + 1, &end, 10);
		for (; *end && strchr("dr", *end); end++)
			*(*end == 'd' ? &style.dim : &style.reverse) = 1;
		if (*end == '@')
			op = (op_id)strtoul(end + 1, &end, 10);
		for (unsigned long i = 0; i < count; i++, filled++) {
			style.glyph = picture->cells[from + filled].glyph;
			picture->cells[from + filled] = style;
			picture->ops[from + filled] = op;
		}
		*at = end + (*end == ' ');
	}
	return **at == '\n';
}

static bool read_row(const char **at, struct picture *picture, size_t from)
{
	for (size_t i = from; i < from + (size_t)picture->width; i++)
		if (**at == '\n' || !(picture->cells[i].glyph = utf8_next(at)))
			return false;
	if (*(*at)++ != '\n' || !read_runs(at, picture, from))
		return false;
	++*at;
	return true;
}

enum status picture_read(const char *text, struct picture *picture)
{
	char *at;
	long width = strtol(text, &at, 10), height = strtol(at, &at, 10);
	*picture = (struct picture){0};
	if (width < 0 || height < 0 || width > SIDE_MOST || height > SIDE_MOST || *at != '\n')
		return fail(ST_SYNTAX, "a picture begins with its width and height");
	picture->width = (int)width;
	picture->height = (int)height;
	picture->cells = mem_alloc((size_t)(width * height) * sizeof *picture->cells);
	picture->ops = mem_alloc((size_t)(width * height) * sizeof *picture->ops);
	enum status status = ST_OK;
	const char *next = at + 1;
	for (long row = 0; row < height && status == ST_OK; row++)
		if (!read_row(&next, picture, (size_t)(row * width)))
			status = fail(ST_SYNTAX, "row %ld of a picture cannot be read", row);
	if (status != ST_OK)
		picture_release(picture);
	return status;
}

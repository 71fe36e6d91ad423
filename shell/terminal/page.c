/* page.c -- draws a page: a title, a map, the picture with the cursor, details, the keys
 *
 *      ranksh   classroom   0 - 4.52 ms of 4.52
 *      ▁▅█[▃▁█▃]▁                                    load over time; [ ] window
 *         ms          0        1         2
 *         0-3 io      [===]                          these rows remain on a low screen
 *             compute▸eeee▼[== matmul y ===]         the cursor, and the operation waited for
 *      matmul y   rank 0, compute
 *      queued at 20 us   could begin 1.02 ms
 *      ? keys   q quit */
#include "base/arithmetic.h"
#include "shell/terminal/viewer.h"
#include "trace/trace.h"

#include <stdio.h>
#include <string.h>

/* ---- big letters, for a projector ----
 *
 *      dots    . # .      a letter has 3 x 5 dots, a dot is a quarter of a character;
 *              # # #      A is 025755: an octal digit for each row, from the top
 *
 * On the screen it takes 2 columns and 3 rows, with an empty column and row of dots after it. */

enum { LETTER_COLUMNS = 2, LETTER_ROWS = 3 };
static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ.,-_/[]()+:#=|*`%<>@";
static const unsigned short letter_dots[] = {075557, 026227, 071747, 071717, 055711, 074717, 074757, 071222,
        075757, 075717, 025755, 065656, 034443, 065556, 074647, 074644, 034553, 055755, 072227, 011152,
        055655, 044447, 057755, 065555, 025552, 065644, 025573, 065655, 034216, 072222, 055557, 055552,
        055775, 055255, 055222, 071247, 000002, 000024, 000700, 000007, 011244, 064446, 031113, 024442,
        021112, 002720, 002020, 057575, 007070, 022222, 052525, 042000, 051245, 012421, 042124, 075743};

/* Indexed by the full quarters: 1 upper left, 2 upper right, 4 and 8 the lower ones */
static const uint32_t quarters[16] = {' ', 0x2598, 0x259d, 0x2580, 0x2596, 0x258c, 0x259e, 0x259b, 0x2597,
        0x259a, 0x2590, 0x259c, 0x2584, 0x2599, 0x259f, 0x2588};

static bool letter_dot(unsigned letter, int x, int y)
{
	return x < 3 && y < 5 && letter >> (3 * (4 - y) + 2 - x) & 1;
}

/* Blocks fill the letter's cells, half blocks half of them; lines continue; others are centred. */
static uint32_t letter_sign(uint32_t glyph, int column, int row)
{
	bool block = glyph >= 0x2580 && glyph <= 0x2593 && glyph != 0x2590;
	bool middle = column == 0 && row == 1;
	if (glyph == 0x2590)
		return column == 0 ? glyph : 0x2588;
	if (glyph == 0x2502)
		return column == 0 ? glyph : ' ';
	return block || middle ? glyph : ' ';
}

static void letters_put(struct picture *page, int row, int column, const struct cell *cell)
{
	uint32_t glyph = cell->glyph >= 'a' && cell->glyph <= 'z' ? cell->glyph - 'a' + 'A' : cell->glyph;
	const char *letter = glyph && glyph < 128 ? strchr(letters, (int)glyph) : NULL;
	unsigned dots = letter ? letter_dots[letter - letters] : 0;
	for (int y = 0; y < LETTER_ROWS; y++)
		for (int x = 0; x < LETTER_COLUMNS; x++) {
			struct cell *to = picture_cell(page, row + y, column + x);
			if (!to)
				continue;
			*to = *cell;
			to->glyph = letter_sign(glyph, x, y);
			if (letter)
				to->glyph = quarters[letter_dot(dots, 2 * x, 2 * y) |
				        letter_dot(dots, 2 * x + 1, 2 * y) << 1 |
				        letter_dot(dots, 2 * x, 2 * y + 1) << 2 |
				        letter_dot(dots, 2 * x + 1, 2 * y + 1) << 3];
		}
}

/* ---- the layout ---- */

enum { FACTS_FROM_HEIGHT = 10, MAP_FROM_HEIGHT = 8, BIG_WIDTH = 40, BIG_HEIGHT = 12 };

struct page_layout page_layout(const struct viewer *viewer)
{
	bool facts = viewer->facts && viewer->at.op && viewer->height >= FACTS_FROM_HEIGHT;
	bool big = viewer->big && viewer->width >= BIG_WIDTH && viewer->height >= BIG_HEIGHT;
	struct page_layout at = {.map = viewer->height >= MAP_FROM_HEIGHT ? 1 : -1,
	        .facts = !facts               ? 0
	                : big                 ? 2
	                : viewer->height < 16 ? 3
	                : viewer->height < 30 ? viewer->width < 80 ? 6 : 5
	                                      : 8,
	        .across = big ? LETTER_COLUMNS : 1,
	        .down = big ? LETTER_ROWS : 1};
	at.picture = at.map + 1 > 1 ? at.map + 1 : 1;
	at.rows = (int)most_of(viewer->height - 1 - at.picture - at.facts, 1);
	return at;
}

static void put_line(struct picture *page, int row, const char *text, enum colour colour, bool dim)
{
	char line[1024];
	snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
	picture_write(page, row, 0, page->width, colour, line);
	for (int x = 0; dim && x < page->width; x++)
		if (picture_cell(page, row, x))
			picture_cell(page, row, x)->dim = 1;
}

/* ---- the map ---- */

static int map_column(const struct viewer *viewer, const struct reply *frame, int64_t time)
{
	double whole = (double)most_of(frame->whole_to - frame->whole_from, 1);
	double column = (double)(time - frame->whole_from) / whole * viewer->width;
	return (int)(column < 0 ? 0 : column > viewer->width ? viewer->width : column);
}

/* The frame has a digit of load for each column of its own picture. */
static void put_map(const struct viewer *viewer, const struct reply *frame, int row, struct picture *page)
{
	static const uint32_t levels[] = {
	        ' ', 0x2581, 0x2582, 0x2582, 0x2583, 0x2584, 0x2585, 0x2586, 0x2587, 0x2588};
	const char *digits = text_string(&frame->density);
	int count = (int)frame->density.count, from = map_column(viewer, frame, frame->from),
	    to = map_column(viewer, frame, frame->to);
	for (int x = 0; x < page->width && count > 0; x++) {
		struct cell *cell = picture_cell(page, row, x);
		int digit = digits[(size_t)x * (size_t)count / (size_t)page->width] - '0';
		*cell = (struct cell){.glyph = levels[digit >= 0 && digit <= 9 ? digit : 0],
		        .colour = COLOUR_NOTE,
		        .dim = x < from || x >= to};
	}
	if (from == 0 && to >= page->width)
		return;
	picture_write(page, row, from, 1, COLOUR_HEAD, "[");
	picture_write(page, row, (int)most_of(to - 1, from + 1), 1, COLOUR_HEAD, "]");
}

/* ---- the cursor and its links ---- */

static int column_of(const struct reply *frame, int64_t time)
{
	double part = (double)(time - frame->from) / (double)most_of(frame->to - frame->from, 1);
	double column = part < 0 ? 0 : part > 1 ? frame->cells : part * frame->cells;
	return frame->first_column + (int)(column + 0.5);
}

static void put_sign(struct picture *picture, int row, int column, uint32_t glyph, bool reverse)
{
	struct cell *cell = picture_cell(picture, row, column);
	if (cell)
		*cell = (struct cell){.glyph = glyph, .colour = COLOUR_HEAD, .reverse = reverse};
}

/* Brackets and a mark are visible without colour and over labels. */
static void put_cursor(const struct reply *frame, struct picture *picture)
{
	int row = 1 + frame->row - frame->first_row;
	int from = column_of(frame, frame->time), to = column_of(frame, frame->until);
	int last = frame->first_column + frame->cells;
	if (!frame->selected || frame->row < frame->first_row || row >= picture->height)
		return;
	put_sign(picture, row, frame->first_column - 1, 0x25b8, false);
	if (frame->until <= frame->from || frame->time >= frame->to)
		return;
	to = (int)least_of(most_of(to, from + 1), last);
	if (to == from + 1)
		put_sign(picture, row, from, 0x25c6, true);
	else if (frame->time >= frame->from)
		put_sign(picture, row, from, '[', true);
	if (to > from + 1 && frame->until <= frame->to)
		put_sign(picture, row, to - 1, ']', true);
}

/* Draws a link from the lane waited for to the cursor's:
 *
 *      io       ███ copy x ██○
 *      other                 │
 *      compute ▸eeeeeeeeeeeee▼[█ matmul y █] */
static void put_link(const struct reply *frame, int to, int64_t time, int lanes, struct picture *picture)
{
	int own = frame->row - frame->first_row, step = own > to ? 1 : -1;
	int column = (int)most_of(column_of(frame, time) - 1, frame->first_column);
	if (time <= frame->from || time > frame->to || own < 0 || own >= lanes || own == to)
		return;
	bool seen = to >= 0 && to < lanes;
	int row = seen ? to : to < 0 ? -1 : lanes;
	if (seen)
		put_sign(picture, 1 + row, column, 0x25cb, false);
	for (row += step; row != own; row += step)
		put_sign(picture, 1 + row, column, 0x2502, false);
	put_sign(picture, 1 + own, column, step > 0 ? 0x25bc : 0x25b2, false);
}

static void put_links(const struct reply *frame, struct picture *picture)
{
	const char *at = text_string(&frame->links), *lane = text_string(&frame->lanes);
	int row, taken, lanes = 0;
	long long time;
	char letter;
	for (; *lane; lane++)
		lanes += *lane == ' ';
	for (; sscanf(at, "%d %lld %c%n", &row, &time, &letter, &taken) >= 3; at += taken)
		put_link(frame, row - frame->first_row, time, lanes, picture);
}

/* ---- the page ---- */

static void put_picture(const struct viewer *viewer, const struct reply *frame, struct picture *page)
{
	struct page_layout at = page_layout(viewer);
	const struct picture *drawn = &frame->picture;
	struct picture picture;
	picture_make(&picture, drawn->width, drawn->height);
	memcpy(picture.cells, drawn->cells,
	        (size_t)drawn->width * (size_t)drawn->height * sizeof *drawn->cells);
	put_cursor(frame, &picture);
	put_links(frame, &picture);
	for (int y = 0; y < at.rows / at.down && y < picture.height; y++)
		for (int x = 0; x < picture.width; x++) {
			const struct cell *cell = picture_cell(&picture, y, x);
			struct cell *to = picture_cell(page, at.picture + y, x);
			if (at.down > 1)
				letters_put(page, at.picture + y * at.down, x * at.across, cell);
			else if (to)
				*to = *cell;
		}
	picture_release(&picture);
}

/* Returns the bytes of the facts that fit, split at three blanks; the whole line if none fit. */
static size_t line_of_facts(const char *fact, size_t length, int width)
{
	size_t fits = 0, columns = 0;
	for (size_t i = 0; i < length; i++) {
		if (strncmp(fact + i, "   ", 3) == 0 && columns <= (size_t)width)
			fits = i;
		columns += ((unsigned char)fact[i] & 0xc0) != 0x80;
	}
	return columns <= (size_t)width || !fits ? length : fits;
}

static void put_facts(const struct reply *frame, int top, int rows, struct picture *page)
{
	const char *fact = text_string(&frame->text);
	bool head = true;
	for (int i = 0; i < rows && *fact; i++) {
		size_t length = strcspn(fact, "\n"), taken = line_of_facts(fact, length, page->width);
		char line[1024];
		snprintf(line, sizeof line, "%.*s", (int)taken, fact);
		put_line(page, top + i, line, head ? COLOUR_HEAD : COLOUR_PLAIN, false);
		head &= taken < length;
		fact += taken;
		fact += strspn(fact, taken < length ? " " : "\n");
	}
}

static void put_last(const struct viewer *viewer, struct picture *page)
{
	struct text line = {0};
	bool bright = viewer->told[0] || viewer->typing;
	if (viewer->typing)
		text_add(&line, "/%s_   enter looks for it, escape does not", text_string(&viewer->find));
	else if (viewer->told[0])
		text_add(&line, "%s", viewer->told);
	else if (viewer->help)
		text_add(&line, "any key: back to the picture%s",
		        viewer_help(viewer->help * page_layout(viewer).rows) ? "   ? more keys" : "");
	else if (viewer->replay.on)
		viewer_replay_text(viewer, &line);
	else
		text_add(&line, "%s",
		        viewer->width >= 74 ? "q quit  ? keys  arrows tab pick  n wait  b blamed  c critical "
		                              " r replay  + -"
		                            : "q quit  ? keys  + - 0  tab n b /");
	put_line(page, viewer->height - 1, text_string(&line), bright ? COLOUR_HEAD : COLOUR_PLAIN, !bright);
	text_release(&line);
}

/* In a frame without a picture the facts are the reason. */
void page_make(const struct viewer *viewer, const struct reply *frame, struct picture *page)
{
	struct page_layout at = page_layout(viewer);
	picture_make(page, viewer->width, viewer->height);
	/* Decimals by the width of the window */
	char title[300];
	int64_t width = frame->to - frame->from;
	int digits = width >= 1000000000 ? 0 : width >= 1000000 ? 2 : width >= 10000 ? 4 : 6;
	snprintf(title, sizeof title, "%s   %.*f - %.*f ms of %.*f   %s", viewer->title, digits,
	        (double)frame->from / 1e6, digits, (double)frame->to / 1e6, digits,
	        (double)frame->whole_to / 1e6, text_string(&frame->part));
	put_line(page, 0, title, COLOUR_HEAD, false);
	if (at.map >= 0)
		put_map(viewer, frame, at.map, page);
	if (viewer->help) {
		const char *line = viewer_help((viewer->help - 1) * at.rows);
		for (int i = 0; i < at.rows && line; line = viewer_help((viewer->help - 1) * at.rows + ++i))
			put_line(page, at.picture + i, line, COLOUR_PLAIN, false);
	} else if (frame->picture.height == 0) {
		put_facts(frame, at.picture, at.rows, page);
	} else {
		put_picture(viewer, frame, page);
	}
	if (at.facts)
		put_facts(frame, at.picture + at.rows, at.facts, page);
	put_last(viewer, page);
}

/* page.c -- a frame as a page: a title, the picture, the facts of an operation, the keys
 *
 *      ranksh   classroom   0 - 4.52 ms of 4.52
 *         ms          0        1         2
 *         0-3 host    lssssssssssssssssssss|
 *      matmul y   rank 0, compute                    on a low screen the picture has these rows, too
 *      queued at 20 us   could begin 1.02 ms
 *      took 2 ms
 *      q quit  arrows move  + - zoom */
#include "shell/terminal/viewer.h"
#include "trace/trace.h"

#include <stdio.h>
#include <string.h>

enum { FACT_LINES = 3, FACTS_FROM_HEIGHT = 10 };

static bool shows_facts(const struct viewer *viewer)
{
	return viewer->facts && viewer->selected && viewer->height >= FACTS_FROM_HEIGHT;
}

int page_picture_rows(const struct viewer *viewer)
{
	int rows = viewer->height - 2 - (shows_facts(viewer) ? FACT_LINES : 0);
	return rows > 0 ? rows : 1;
}

/* One line at most, cut at the page's edge. */
static void put_line(struct picture *page, int row, const char *text, enum colour colour, bool dim)
{
	char line[1024];
	snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
	picture_write(page, row, 0, page->width, colour, line);
	for (int x = 0; dim && x < page->width; x++)
		if (picture_cell(page, row, x))
			picture_cell(page, row, x)->dim = 1;
}

static void put_picture(struct picture *page, int top, int rows, const struct picture *picture)
{
	for (int y = 0; y < rows && y < picture->height; y++)
		for (int x = 0; x < picture->width; x++) {
			struct cell *cell = picture_cell(page, top + y, x);
			if (cell)
				*cell = picture->cells[(size_t)y * (size_t)picture->width + (size_t)x];
		}
}

void page_make(const struct viewer *viewer, const struct reply *frame, struct picture *page)
{
	char title[256];
	int rows = page_picture_rows(viewer);
	picture_make(page, viewer->width, viewer->height);
	snprintf(title, sizeof title, "%s   %.4g - %.4g ms of %.4g", viewer->title, (double)frame->from / 1e6,
	        (double)frame->to / 1e6, (double)frame->whole_to / 1e6);
	put_line(page, 0, title, COLOUR_HEAD, false);
	put_picture(page, 1, rows, &frame->picture);
	const char *fact = text_string(&frame->text);
	for (int i = 0; shows_facts(viewer) && i < FACT_LINES; i++) {
		put_line(page, 1 + rows + i, fact, i == 0 ? COLOUR_HEAD : COLOUR_PLAIN, false);
		fact += strcspn(fact, "\n");
		fact += *fact == '\n';
	}
	put_line(page, viewer->height - 1,
	        viewer->width >= 60 ? "q quit  arrows move  + - zoom  0 all  tab enter operation  g G ends"
	                            : "q quit  + - 0  tab",
	        COLOUR_PLAIN, true);
}

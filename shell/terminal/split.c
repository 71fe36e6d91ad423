/* split.c -- splits the terminal by a scroll region */
#include "shell/terminal/talk.h"
#include "shell/wire/plain.h"
#include "trace/trace.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

enum { ROWS_LEAST = 12, COLUMNS_LEAST = 40, LANES_MOST = 24 };

void split_end(struct split_screen *split)
{
	if (split->lanes)
		printf("\033[r\033[%d;1H", split->rows);
	fflush(stdout);
	split->lanes = 0;
}

void split_erase(const struct split_screen *split)
{
	printf("\0337");
	for (int i = 0; split->lanes && i < split->lanes + 1; i++)
		printf("\033[%d;1H\033[K", i + 1);
	printf("\0338");
}

/* Sets *size; returns true if it has not changed. */
static bool is_as_it_was(const struct split_screen *split, struct winsize *size)
{
	return ioctl(1, TIOCGWINSZ, size) == 0 && size->ws_col == split->columns &&
	        size->ws_row == split->rows;
}

/* Only the rows below the lanes scroll. */
void split_arrange(struct split_screen *split)
{
	struct winsize size = {0};
	bool other = !is_as_it_was(split, &size);
	if (other && split->lanes)
		printf("\033[r\033[2J"); /* the old rows have moved */
	split->columns = size.ws_col;
	split->rows = size.ws_row;
	if (!split->wanted || split->rows < ROWS_LEAST || split->columns < COLUMNS_LEAST) {
		split_end(split);
		return;
	}
	split->lanes = split->rows / 2 < LANES_MOST ? split->rows / 2 : LANES_MOST;
	split_erase(split);
	printf("\033[%d;%dr\033[%d;1H", split->lanes + 2, split->rows, split->rows);
	fflush(stdout);
}

void split_paint(const struct split_screen *split, const struct reply *frame)
{
	struct text picture = {0}, out = {0};
	struct winsize size;
	if (!split->lanes || !is_as_it_was(split, &size)) /* split_arrange will be called */
		return;
	picture_text(&frame->picture, split->colour, &picture);
	text_add(&out, "\0337\033[?25l\033[0m");
	const char *at = text_string(&picture), *end = at + picture.count, *line;
	size_t count = 0;
	for (int row = 1; row <= split->lanes; row++) {
		text_add(&out, "\033[%d;1H\033[K", row);
		line = text_line(&at, end, &count);
		plain_put(line ? line : "", line ? count : 0, true, &out);
	}
	text_add(&out, "\033[0m\033[%d;1H\033[K", split->lanes + 1);
	for (int i = 0; i < split->columns; i++)
		plain_put("\xe2\x94\x80", 3, false, &out);
	text_add(&out, "\033[?25h\0338");
	fwrite(out.bytes, 1, out.count, stdout);
	fflush(stdout);
	text_release(&picture);
	text_release(&out);
}

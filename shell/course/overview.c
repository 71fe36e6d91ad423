/* overview.c -- a class's board, repainted every second */
#include "shell/course/course.h"
#include "shell/course/class/board.h"
#include "shell/course/class/learners.h"
#include "shell/course/class/roll.h"
#include "shell/course/lessons/lesson.h"
#include "shell/terminal/inside.h"
#include "shell/terminal/screen.h"
#include "shell/wire/io.h"
#include "shell/wire/plain.h"
#include "shell/wire/wire.h"
#include "trace/trace.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_EACH_MS = 1000, CONTROL_C = 3, PRINTED_WIDTH = 160 };

struct overview {
	struct roll roll;
	struct learners learners;
	struct class_board board;
	struct text trouble;
	char clock[8];
};

/* If the folder can no longer be read, the board shows the last data. */
static enum status overview_read(struct overview *overview)
{
	bool changed;
	time_t now = time(NULL);
	struct tm local;
	enum status status = roll_read(&overview->roll, &changed);
	text_clear(&overview->trouble);
	if (status != ST_OK)
		text_add(&overview->trouble, "%s", fail_text());
	localtime_r(&now, &local);
	strftime(overview->clock, sizeof overview->clock, "%H:%M", &local);
	learners_release(&overview->learners);
	learners_make(&overview->learners, &overview->roll, now);
	overview->board.trouble = overview->trouble.count ? text_string(&overview->trouble) : NULL;
	return status;
}

static void overview_print(struct overview *overview, bool csv)
{
	struct text words = {0}, shown = {0};
	struct picture picture = {0};
	if (csv) {
		board_csv(&overview->learners, &shown);
	} else {
		board_draw(&overview->board, isatty(1) ? width_of_output() : PRINTED_WIDTH, 0, &picture);
		picture_text(&picture, false, &words);
		plain_put(text_string(&words), words.count, false, &shown);
	}
	fwrite(text_string(&shown), 1, shown.count, stdout);
	picture_release(&picture);
	text_release(&words);
	text_release(&shown);
}

static void board_scroll(struct class_board *board, int key, int page)
{
	board->first += key == SCREEN_UP || key == SCREEN_WHEEL_UP ? -1
	        : key == SCREEN_DOWN || key == SCREEN_WHEEL_DOWN   ? 1
	        : key == SCREEN_PAGE_UP                            ? -page
	        : key == SCREEN_PAGE_DOWN || key == ' '            ? page
	                                                           : 0;
	if (key == SCREEN_HOME)
		board->first = 0;
	else if (key == SCREEN_END)
		board->first = SESSIONS_MOST;
}

/* Keys take effect at once and do not delay the folder's next reading. */
static void overview_watch(struct overview *overview, const struct screen *screen)
{
	int64_t looked_ns = wall_ns();
	int width, height, left;
	for (struct screen_event event = {0};
	        event.key != 'q' && event.key != CONTROL_C && !signal_asked_to_end();) {
		struct picture picture = {0};
		screen_size(screen, &width, &height);
		board_draw(&overview->board, width, height, &picture);
		screen_paint(screen, &picture);
		picture_release(&picture);
		left = LOOK_EACH_MS - (int)((wall_ns() - looked_ns) / 1000000);
		event.key = 0;
		if (left > 0 && screen_event(screen, left, &event)) {
			board_scroll(&overview->board, event.key, height / 2);
			continue;
		}
		overview_read(overview);
		looked_ns = wall_ns();
	}
}

static enum status overview_show(struct overview *overview, const struct session *looks)
{
	struct screen *screen = NULL;
	if (!looks->talk.terminal || !isatty(0) || !isatty(1) ||
	        screen_open(&screen, looks->talk.colour, looks->wide) != ST_OK)
		return fail(ST_FILE,
		        "--overview: this terminal cannot show it; --once prints the board, --csv a table");
	overview->board.keys = true;
	overview_watch(overview, screen);
	screen_close(screen);
	return ST_OK;
}

int overview_run(const struct options *options)
{
	struct overview overview = {.roll.folder = options->overview};
	overview.board = (struct class_board){.roll = &overview.roll,
	        .learners = &overview.learners,
	        .tasks = lesson_tasks,
	        .clock = overview.clock};
	bool print_it = options->once || options->csv;
	struct session looks = {0};
	choose_looks(&looks); /* wcwidth depends on the locale */
	wire_start();
	enum status status = overview_read(&overview);
	if (status == ST_OK && print_it)
		overview_print(&overview, options->csv);
	else if (status == ST_OK) {
		signals_start();
		status = overview_show(&overview, &looks);
	}
	if (status != ST_OK)
		fprintf(stderr, "ranksh: %s\n", fail_text());
	learners_release(&overview.learners);
	roll_release(&overview.roll);
	text_release(&overview.trouble);
	if (fflush(stdout) != 0 && status == ST_OK)
		return 4;
	return status == ST_OK ? 0 : 2;
}

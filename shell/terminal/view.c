/* view.c -- paints frames, and turns keys into windows
 *
 *     arrows h j k l   earlier, later, up, down        tab    the next operation        g    earliest
 *     + -              zoom                            enter  its facts, or none        G    latest
 *     0                everything                      q      back to the prompt
 */
#include "shell/terminal/view.h"
#include "shell/wire/wire.h"
#include "trace/trace.h"

#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { FACT_LINES = 3, FACTS_FROM_HEIGHT = 10, LOOK_MS = 200, SECOND_MS = 1000, CONTROL_D = 4, ESCAPE = 27 };

struct screen {
	struct talk *talk;
	const char *title;
	bool colour, facts, leaving, whole; /* whole: the window follows everything there is */
	int64_t from, to;
	int first_row;
	op_id selected;
	struct reply frame;
};

/* ---- painting ---- */

static void start_colours(void)
{
	static const short ansi[] = {
#define X(symbol, number) number,
		COLOURS(X)
#undef X
	};
	/* the nearest of eight where the terminal has no more */
	static const short plain[] = {-1, COLOR_BLUE, COLOR_YELLOW, COLOR_MAGENTA, COLOR_BLUE, COLOR_GREEN,
	        COLOR_CYAN, COLOR_YELLOW, -1, COLOR_RED, -1, -1, COLOR_GREEN, COLOR_RED, -1};
	start_color();
	use_default_colors();
	for (short i = 1; i < COLOUR_COUNT; i++)
		init_pair(i, COLORS >= 256 ? ansi[i] : plain[i], -1);
}

static void paint_cells(const struct screen *view, int top, int rows)
{
	const struct picture *picture = &view->frame.picture;
	for (int y = 0; y < rows && y < picture->height; y++) {
		for (int x = 0; x < COLS && x < picture->width; x++) {
			const struct cell *cell = &picture->cells[y * picture->width + x];
			wchar_t glyph[2] = {cell->glyph < 0x20 ? L' ' : cell->glyph, L'\0'};
			attr_t colour =
			        view->colour && cell->colour < COLOUR_COUNT ? COLOR_PAIR(cell->colour) : 0;
			colour |= cell->colour == COLOUR_HEAD ? A_BOLD : 0;
			attrset(colour | (cell->dim ? A_DIM : 0) | (cell->reverse ? A_REVERSE : 0));
			mvaddwstr(top + y, x, glyph);
		}
	}
	attrset(0);
}

/* One line at most, cut at the screen's edge. */
static void paint_text(int y, const char *text, attr_t attribute)
{
	char line[1024];
	snprintf(line, sizeof line, "%-*.*s", COLS, (int)strcspn(text, "\n"), text);
	attrset(attribute);
	mvaddnstr(y, 0, line, COLS);
	attrset(0);
}

/* On a low screen the picture has all the rows. */
static bool shows_facts(const struct screen *view)
{
	return view->facts && view->selected && LINES >= FACTS_FROM_HEIGHT;
}

static int picture_rows(const struct screen *view)
{
	int rows = LINES - 2 - (shows_facts(view) ? FACT_LINES : 0);
	return rows > 0 ? rows : 1;
}

static void paint(const struct screen *view)
{
	const struct reply *frame = &view->frame;
	char title[256];
	erase();
	snprintf(title, sizeof title, "%s   %.4g - %.4g ms of %.4g", view->title, frame->from / 1e6,
	        frame->to / 1e6, frame->whole_to / 1e6);
	paint_text(0, title, A_BOLD);
	paint_cells(view, 1, picture_rows(view));
	const char *fact = text_string(&frame->text);
	for (int i = 0; shows_facts(view) && i < FACT_LINES; i++) {
		paint_text(LINES - 1 - FACT_LINES + i, fact, i == 0 ? A_BOLD : 0);
		fact += strcspn(fact, "\n");
		fact += *fact == '\n';
	}
	paint_text(LINES - 1,
	        COLS >= 60 ? "q quit  arrows move  + - zoom  0 all  tab enter operation  g G ends"
	                   : "q quit  + - 0  tab",
	        A_DIM);
	refresh();
}

/* ---- what is shown ----
 *
 *     whole_from            from |======= window =======| to            whole_to
 *     |-------------------- everything that there is -------------------------|
 *
 * A key changes the window, the first row or the selection; then a frame is asked for, and what it says of them is
 * taken over: rank 0 knows what there is. */

static enum status fetch(struct screen *view)
{
	struct request request = {.kind = REQUEST_VIEW,
	        .width = COLS,
	        .height = picture_rows(view),
	        .from = view->whole ? 1 : view->from,
	        .to = view->whole ? 0 : view->to,
	        .first_row = view->first_row,
	        .selected = view->selected,
	        .stamp = -1};
	reply_release(&view->frame);
	enum status status = talk_ask(view->talk, &request, REPLY_VIEW, &view->frame, -1);
	if (status == ST_OK) {
		view->from = view->frame.from;
		view->to = view->frame.to;
		view->first_row = view->frame.first_row;
	}
	return status;
}

/* The window stays within half a window of what there is. */
static void move_to(struct screen *view, int64_t from, int64_t width)
{
	const struct reply *frame = &view->frame;
	int64_t least = frame->whole_from - width / 2, most = frame->whole_to - width / 2;
	view->from = from < least ? least : from > most ? most : from;
	view->to = view->from + width;
	view->whole = false;
}

/* Half or twice the window about its middle. */
static void zoom(struct screen *view, int step)
{
	int64_t width = view->to - view->from, whole = view->frame.whole_to - view->frame.whole_from;
	int64_t middle = view->from + width / 2, fresh = step > 0 ? width / 2 : width * 2;
	if (fresh < COLS)
		fresh = COLS; /* a cell is a nanosecond at least */
	if (fresh >= whole && step < 0)
		view->whole = true;
	else
		move_to(view, middle - fresh / 2, fresh);
}

/* Earlier or later, in quarters of the window: what was seen at one edge is still there. */
static void slide(struct screen *view, int quarters)
{
	int64_t width = view->to - view->from;
	move_to(view, view->from + quarters * (width / 4), width);
}

/* The window at the beginning (end < 0) or at the end of everything, as wide as it is. */
static void go_to_end(struct screen *view, int end)
{
	int64_t width = view->to - view->from;
	move_to(view, end < 0 ? view->frame.whole_from : view->frame.whole_to - width, width);
}

/* The operations in the picture, in order of rows and then of time: the one behind the selected (step > 0), or
 * the one before it; at either end, from the other end on. An operation is as many cells beside each other as it is
 * wide, and comes once:
 *
 *     cells   7 7 7 . 9 9 . 12 12 12        selected 9:  behind it 12, before it 7
 *
 * One that is cut by the window's edge counts; one that is not in the picture is not found, and the first is. */
static void select_next(struct screen *view, int step)
{
	const struct picture *picture = &view->frame.picture;
	op_id before = 0, first = 0, last = 0, found = 0;
	for (int i = 0; i < picture->width * picture->height; i++) {
		op_id op = picture->ops[i];
		if (op == 0 || op == last)
			continue;
		first = first ? first : op;
		if (step > 0 && last == view->selected && last && !found)
			found = op;
		if (op == view->selected)
			before = last;
		last = op;
	}
	if (step < 0)
		found = before ? before : last;
	view->selected = found ? found : first;
	view->facts = view->selected != 0;
}

/* rank 0 says how many rows there are; the last may stand alone at the top. */
static void scroll_rows(struct screen *view, int rows)
{
	int most = view->frame.rows - 1;
	view->first_row += rows;
	view->first_row = view->first_row > most ? most : view->first_row;
	view->first_row = view->first_row < 0 ? 0 : view->first_row;
}

static void scroll_page(struct screen *view, int step)
{
	scroll_rows(view, step * picture_rows(view) / 2);
}

static void show_all(struct screen *view, int unused)
{
	(void)unused;
	view->whole = true;
	view->first_row = 0;
}

static void toggle_facts(struct screen *view, int unused)
{
	(void)unused;
	if (view->selected)
		view->facts = !view->facts;
	else
		select_next(view, 1);
}

static void leave(struct screen *view, int unused)
{
	(void)unused;
	view->leaving = true;
}

/* What is not in it, KEY_RESIZE above all, asks for a frame of the size that the screen has then. */
static const struct {
	int key;
	void (*act)(struct screen *view, int step);
	int step;
} keys[] = {{'q', leave, 0}, {'Q', leave, 0}, {ESCAPE, leave, 0}, {CONTROL_D, leave, 0},
        {KEY_LEFT, slide, -1}, {'h', slide, -1}, {KEY_RIGHT, slide, 1}, {'l', slide, 1},
        {KEY_UP, scroll_rows, -1}, {'k', scroll_rows, -1}, {KEY_DOWN, scroll_rows, 1}, {'j', scroll_rows, 1},
        {KEY_PPAGE, scroll_page, -1}, {KEY_NPAGE, scroll_page, 1}, {'+', zoom, 1}, {'=', zoom, 1},
        {'-', zoom, -1}, {'_', zoom, -1}, {'0', show_all, 0}, {'g', go_to_end, -1}, {KEY_HOME, go_to_end, -1},
        {'G', go_to_end, 1}, {KEY_END, go_to_end, 1}, {'\t', select_next, 1}, {KEY_BTAB, select_next, -1},
        {'\n', toggle_facts, 0}, {'\r', toggle_facts, 0}, {KEY_ENTER, toggle_facts, 0}};

static void act(struct screen *view, int key)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].key == key)
			keys[i].act(view, keys[i].step);
}

/* Without a key a frame is asked for every second: the job may be gone. */
static enum status look_on(struct screen *view)
{
	enum status status = fetch(view);
	for (int waited = 0; status == ST_OK && !view->leaving;) {
		paint(view);
		int key = getch();
		waited = key == ERR ? waited + LOOK_MS : 0;
		if (key != ERR)
			act(view, key);
		if (key != ERR || waited >= SECOND_MS) { /* now and then: is the job still there? */
			waited = 0;
			status = fetch(view);
		}
	}
	return status;
}

/* SIGWINCH is ncurses' while the screen is its own: getch gives KEY_RESIZE then, and a frame of the new size is asked
 * for. Afterwards the front end's handler is there again. */
enum status view_run(struct talk *talk, const char *title, bool colour)
{
	struct screen view = {.talk = talk, .title = title, .whole = true};
	struct sigaction before;
	/* ncurses sets its own then */
	sigaction(SIGWINCH, &(struct sigaction){.sa_handler = SIG_DFL}, &before);
	SCREEN *screen = newterm(NULL, stdout, stdin);
	if (!screen) {
		sigaction(SIGWINCH, &before, NULL);
		return fail(ST_FILE, "view: this terminal cannot show it; `timeline` prints the same");
	}
	set_term(screen);
	view.colour = colour && has_colors();
	if (view.colour)
		start_colours();
	raw();
	noecho();
	keypad(stdscr, true);
	set_escdelay(25);
	curs_set(0);
	timeout(LOOK_MS);
	enum status status = look_on(&view);
	endwin();
	delscreen(screen);
	sigaction(SIGWINCH, &before, NULL);
	reply_release(&view.frame);
	return status;
}

/* screen.c -- the only user of ncurses: keys, cells; the terminal after a fatal signal */
#include "shell/wire/plain.h"
#include "shell/terminal/screen.h"
#include "base/memory.h"

#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <term.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* ---- fatal signals ----
 *
 * The handler calls only async-signal-safe functions, on its own stack. */

static const int fatal[] = {SIGSEGV, SIGFPE, SIGABRT, SIGBUS, SIGILL};
enum { FATAL = sizeof fatal / sizeof *fatal };

static struct {
	struct termios modes;
	struct sigaction former[FATAL];
	bool terminal;
	bool understands;
	bool whole_screen;
} before;

static void put_code(const char *code)
{
	if (write(1, code, strlen(code)) < 0)
		return;
}

static void restore(int number)
{
	if (before.understands && before.whole_screen)
		put_code("\033[?1000l\033[?1002l\033[?1006l\033[?25h\033[?1049l");
	/* no scroll region (save the cursor, which this moves), no bracketed paste, no colour */
	if (before.understands)
		put_code("\0337\033[r\0338\033[?2004l\033[0m\r\n");
	if (before.terminal)
		tcsetattr(0, TCSANOW, &before.modes);
	for (int i = 0; i < FATAL; i++)
		sigaction(fatal[i], &before.former[i], NULL);
	raise(number);
}

void crash_start(void)
{
	static char stack[65536];
	const char *term = getenv("TERM");
	struct sigaction action = {.sa_handler = restore, .sa_flags = SA_ONSTACK};
	before.terminal = tcgetattr(0, &before.modes) == 0;
	before.understands = isatty(1) && term && *term && strcmp(term, "dumb") != 0;
	sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
	for (int i = 0; i < FATAL; i++)
		sigaction(fatal[i], &action, &before.former[i]);
}

/* ---- the screen ---- */

struct screen {
	SCREEN *terminal;
	bool colour, wide, mouse;
	struct sigaction before;
};

static void start_colours(void)
{
	static const short ansi[] = {
#define X(symbol, number) number,
		COLOURS(X)
#undef X
	};
	/* the nearest basic colour, for terminals with eight */
	static const short plain[] = {-1, COLOR_BLUE, COLOR_YELLOW, COLOR_MAGENTA, COLOR_BLUE, COLOR_GREEN,
	        COLOR_CYAN, COLOR_YELLOW, -1, COLOR_RED, -1, -1, COLOR_GREEN, COLOR_RED, -1};
	start_color();
	use_default_colors();
	for (short i = 1; i < COLOUR_COUNT; i++)
		init_pair(i, COLORS >= 256 ? ansi[i] : plain[i], -1);
}

bool screen_known(int *colours)
{
	int problem;
	if (setupterm(NULL, 1, &problem) != OK)
		return false;
	int count = tigetnum("colors");
	*colours = count > 0 ? count : 0;
	del_curterm(cur_term);
	return true;
}

/* ncurses installs its handler only for the first screen of a process. */
static void handle_sizes(void)
{
	static struct sigaction handler;
	if (handler.sa_handler)
		sigaction(SIGWINCH, &handler, NULL);
	else
		sigaction(SIGWINCH, NULL, &handler);
}

/* Lets ncurses handle SIGWINCH until screen_close. */
enum status screen_open(struct screen **opened, bool colour, bool wide)
{
	struct screen *screen = mem_alloc(sizeof *screen);
	struct winsize size;
	*opened = NULL;
	sigaction(SIGWINCH, &(struct sigaction){.sa_handler = SIG_DFL}, &screen->before);
	unsetenv("COLUMNS"); /* readline has set these, and ncurses would prefer them */
	unsetenv("LINES");
	screen->terminal = newterm(NULL, stdout, stdin);
	if (!screen->terminal) {
		sigaction(SIGWINCH, &screen->before, NULL);
		mem_free(screen);
		return fail(ST_FILE, "view: this terminal cannot show it; `timeline` prints the same");
	}
	handle_sizes();
	before.whole_screen = true;
	set_term(screen->terminal);
	/* the size may have changed before ncurses handled SIGWINCH */
	if (ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row &&
	        (size.ws_col != COLS || size.ws_row != LINES))
		resizeterm(size.ws_row, size.ws_col);
	screen->colour = colour && has_colors();
	screen->wide = wide;
	if (screen->colour)
		start_colours();
	raw();
	noecho();
	keypad(stdscr, true);
	set_escdelay(25);
	curs_set(0);
	mouseinterval(0); /* report press and release separately */
	*opened = screen;
	return ST_OK;
}

void screen_close(struct screen *screen)
{
	if (!screen)
		return;
	endwin();
	before.whole_screen = false;
	delscreen(screen->terminal);
	sigaction(SIGWINCH, &screen->before, NULL);
	mem_free(screen);
}

void screen_size(const struct screen *screen, int *width, int *height)
{
	(void)screen;
	*width = COLS > 0 ? COLS : 1;
	*height = LINES > 0 ? LINES : 1;
}

void screen_mouse(struct screen *screen, bool on)
{
	if (on != screen->mouse)
		mousemask(on ? BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON1_CLICKED | BUTTON4_PRESSED |
		                        BUTTON5_PRESSED
		             : 0,
		        NULL);
	screen->mouse = on;
}

void screen_paint(const struct screen *screen, const struct picture *picture)
{
	erase();
	for (int y = 0; y < LINES && y < picture->height; y++) {
		for (int x = 0; x < COLS && x < picture->width; x++) {
			const struct cell *cell = &picture->cells[y * (size_t)picture->width + (size_t)x];
			wchar_t point =
			        screen->wide ? (wchar_t)cell->glyph : (wchar_t)plain_sign(cell->glyph);
			wchar_t glyph[2] = {
			        utf8_obeyed(cell->glyph) || cell->glyph < 0x20 ? L' ' : point, L'\0'};
			attr_t look =
			        screen->colour && cell->colour < COLOUR_COUNT ? COLOR_PAIR(cell->colour) : 0;
			look |= cell->colour == COLOUR_HEAD ? A_BOLD : 0;
			if (!cell->glyph) /* covered by the wide character beside it */
				continue;
			attrset(look | (cell->dim ? A_DIM : 0) | (cell->reverse ? A_REVERSE : 0));
			mvaddwstr(y, x, glyph);
		}
	}
	attrset(0);
	refresh();
}

static const struct {
	bool named; /* ncurses' code; else a character */
	int code, key;
} keys[] = {{true, KEY_UP, SCREEN_UP}, {true, KEY_DOWN, SCREEN_DOWN}, {true, KEY_LEFT, SCREEN_LEFT},
        {true, KEY_RIGHT, SCREEN_RIGHT}, {true, KEY_PPAGE, SCREEN_PAGE_UP},
        {true, KEY_NPAGE, SCREEN_PAGE_DOWN}, {true, KEY_HOME, SCREEN_HOME}, {true, KEY_END, SCREEN_END},
        {true, KEY_BTAB, SCREEN_BACK_TAB}, {true, KEY_ENTER, SCREEN_ENTER}, {false, '\r', SCREEN_ENTER},
        {false, '\n', SCREEN_ENTER}, {true, KEY_BACKSPACE, SCREEN_BACKSPACE}, {false, 8, SCREEN_BACKSPACE},
        {false, 0x7f, SCREEN_BACKSPACE}, {false, 27, SCREEN_ESCAPE}, {true, KEY_RESIZE, SCREEN_RESIZED}};

static int mouse_key(MEVENT *mouse)
{
	if (getmouse(mouse) != OK)
		return SCREEN_OTHER;
	return mouse->bstate & BUTTON1_PRESSED                         ? SCREEN_PRESS
	        : mouse->bstate & (BUTTON1_RELEASED | BUTTON1_CLICKED) ? SCREEN_RELEASE
	        : mouse->bstate & BUTTON4_PRESSED                      ? SCREEN_WHEEL_UP
	        : mouse->bstate & BUTTON5_PRESSED                      ? SCREEN_WHEEL_DOWN
	                                                               : SCREEN_OTHER;
}

bool screen_event(const struct screen *screen, int wait_ms, struct screen_event *event)
{
	wint_t code = 0;
	MEVENT mouse = {0};
	(void)screen;
	timeout(wait_ms);
	int got = get_wch(&code);
	if (got == ERR)
		return false;
	event->key = got == KEY_CODE_YES ? SCREEN_OTHER : (int)code;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].named == (got == KEY_CODE_YES) && keys[i].code == (int)code)
			event->key = keys[i].key;
	if (got == KEY_CODE_YES && code == KEY_MOUSE)
		event->key = mouse_key(&mouse);
	timeout(0);
	for (bool escape = event->key == SCREEN_ESCAPE; escape && get_wch(&code) != ERR;)
		event->key = SCREEN_OTHER; /* discard the rest of an unknown sequence */
	event->x = mouse.x;
	event->y = mouse.y;
	return true;
}

/* screen.h -- the full screen: keys in, cells out. Only screen.c includes ncurses. */
#ifndef RANKSH_SCREEN_H
#define RANKSH_SCREEN_H

#include "trace/trace.h"

/* Keys that are no characters, above all code points */
enum screen_key {
	SCREEN_UP = 0x110000,
	SCREEN_DOWN,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_BACK_TAB,
	SCREEN_ENTER,
	SCREEN_BACKSPACE,
	SCREEN_ESCAPE,
	SCREEN_PRESS, /* the left mouse button pressed */
	SCREEN_RELEASE,
	SCREEN_WHEEL_UP,
	SCREEN_WHEEL_DOWN,
	SCREEN_RESIZED, /* the screen size has changed: paint again */
	SCREEN_OTHER
};
struct screen_event {
	int key; /* a code point or an enum screen_key */
	int x, y;
};
/* Saves the modes of the terminal at descriptor 0. From then on SIGSEGV, SIGFPE, SIGABRT,
 * SIGBUS and SIGILL restore them, and the process dies from the same signal. */
void crash_start(void);

/* Returns true if the terminal TERM is known on this computer, and sets its number of colours. */
bool screen_known(int *colours);

struct screen;

/* Takes the terminal until screen_close. wide: it shows more than ASCII. Fails with ST_FILE. */
enum status screen_open(struct screen **screen, bool colour, bool wide);
/* Restores the terminal. NULL is allowed. */
void screen_close(struct screen *screen);
/* Returns columns and rows, at least 1; they change with SCREEN_RESIZED. */
void screen_size(const struct screen *screen, int *width, int *height);
/* Paints from the top left corner, cut at the screen edges. */
void screen_paint(const struct screen *screen, const struct picture *picture);
/* Switches mouse events on or off. Without them the mouse selects text. */
void screen_mouse(struct screen *screen, bool on);
/* Waits for an event; returns false if none came within wait_ms. */
bool screen_event(const struct screen *screen, int wait_ms, struct screen_event *event);

#endif

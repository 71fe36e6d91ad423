/* screen.h -- the whole screen while it is ours: keys come in, cells go out. screen.c is the only file that includes
 * ncurses. */
#ifndef RANKSH_SCREEN_H
#define RANKSH_SCREEN_H

#include "trace/trace.h"

/* Keys that are no characters: behind all code points. */
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
	SCREEN_PRESS, /* the mouse: its left button, and where it is let go; its wheel */
	SCREEN_RELEASE,
	SCREEN_WHEEL_UP,
	SCREEN_WHEEL_DOWN,
	SCREEN_RESIZED, /* the screen has another size: paint anew */
	SCREEN_OTHER    /* a key that nobody here knows */
};
struct screen_event {
	int key;  /* a character's code point or an enum screen_key */
	int x, y; /* of the mouse */
};
struct screen;

/* Takes the terminal until screen_close. wide: it shows more than ASCII. ST_FILE: no screen can be opened here; the terminal
 * is as it was. */
enum status screen_open(struct screen **screen, bool colour, bool wide);
void screen_close(struct screen *screen); /* the terminal is as before; NULL: nothing */
/* Columns and rows, 1 at least; they change when SCREEN_RESIZED comes. */
void screen_size(const struct screen *screen, int *width, int *height);
/* Shows the picture from the top left corner on; what is beyond the screen is cut. */
void screen_paint(const struct screen *screen, const struct picture *picture);
/* Without it the terminal selects text as ever. */
void screen_mouse(struct screen *screen, bool on);
/* False: nothing came for so long. */
bool screen_event(const struct screen *screen, int wait_ms, struct screen_event *event);

#endif

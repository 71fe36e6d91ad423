/* crash.c -- restores the terminal, then lets a fatal signal take its former course
 *
 * The handler calls async-signal-safe functions only, on its own stack: SIGSEGV may mean
 * overflow. */
#include "shell/terminal/screen.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int fatal[] = {SIGSEGV, SIGFPE, SIGABRT, SIGBUS, SIGILL};
enum { FATAL = sizeof fatal / sizeof *fatal };

static struct {
	struct termios modes;
	struct sigaction former[FATAL];
	bool terminal;     /* modes are valid */
	bool understands;  /* the output supports escape codes */
	bool whole_screen; /* the alternate screen is shown */
} before;

static void put_code(const char *code)
{
	if (write(1, code, strlen(code)) < 0)
		return; /* no other way to report it */
}

static void restore(int number)
{
	/* mouse off, cursor on, main screen */
	if (before.understands && before.whole_screen)
		put_code("\033[?1000l\033[?1002l\033[?1006l\033[?25h\033[?1049l");
	/* no scroll region (it moves the cursor: save it), no bracketed paste, no colour */
	if (before.understands)
		put_code("\0337\033[r\0338\033[?2004l\033[0m\r\n");
	if (before.terminal)
		tcsetattr(0, TCSANOW, &before.modes);
	for (int i = 0; i < FATAL; i++)
		sigaction(fatal[i], &before.former[i], NULL);
	raise(number); /* delivered when this handler returns */
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

void crash_whole_screen(bool on)
{
	before.whole_screen = on;
}

/* pager.c -- prints a long text one screen at a time
 *
 *     | ...                                                |
 *     | relu x                    x where positive, else 0 |
 *     | -- space: more   Enter: a line   q: enough --      |   overwritten after a key
 *
 * Unlike a system pager it has the same keys everywhere and leaves the text on the screen. */
#include "shell/wire/plain.h"
#include "base/text.h"
#include "shell/terminal/talk.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { ROWS_LEAST = 4, ESCAPE = 27 };

static bool next_key(char *key)
{
	struct pollfd keys = {.fd = 0, .events = POLLIN};
	return poll(&keys, 1, 0) == 1 && read(0, key, 1) == 1;
}

/* Returns q at the end of input. Text typed ahead is left to the prompt. */
static char wait_for_key(void)
{
	struct termios before, single;
	struct pollfd keys = {.fd = 0, .events = POLLIN};
	char key = 'q';
	if (tcgetattr(0, &before) != 0)
		return 'q';
	single = before;
	single.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(0, TCSANOW, &single);
	int ready;
	do
		ready = poll(&keys, 1, -1);
	while (ready < 0 && signal_taken(SIGWINCH));
	if (ready < 1 || read(0, &key, 1) < 1)
		key = 'q';
	char more;
	if (key == ESCAPE && next_key(&more) && (more == '[' || more == 'O'))
		while (next_key(&more) && more >= ' ' && more <= '?')
			;
	signal_taken(SIGINT);
	tcsetattr(0, TCSANOW, &before);
	return key;
}

/* Returns how many rows to print next. */
static int ask(int rows)
{
	for (;;) {
		printf("-- space: more   Enter: a line   q: enough --");
		fflush(stdout);
		char key = wait_for_key();
		printf("\r\033[K");
		if (key == ' ' || key == 'f')
			return rows - 1; /* one row stays as context */
		if (key == '\n' || key == '\r' || key == 'j')
			return 1;
		if (key == 'q' || key == 'Q' || key == ESCAPE)
			return 0;
	}
}

void pager_print(struct pager *pager, const char *lines, size_t count)
{
	struct text folded = {0}, shown = {0};
	struct winsize size;
	bool pages = pager && isatty(0) && ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_row >= ROWS_LEAST;
	int rows = pages ? size.ws_row - 1 : 0; /* 0: without pages */
	size_t length;
	plain_put(lines, count, true, &shown);
	fold_lines(text_string(&shown), shown.count, terminal_columns(), &folded);
	const char *at = text_string(&folded), *end = at + folded.count, *line;
	while (!(pager && pager->enough) && (line = text_line(&at, end, &length))) {
		if (rows && pager->used++ >= rows) {
			int more = ask(rows);
			pager->enough = more == 0;
			pager->used = rows - more + 1;
		}
		if (!rows || !pager->enough)
			fwrite(line, 1, (size_t)(at - line), stdout);
	}
	fflush(stdout);
	text_release(&shown);
	text_release(&folded);
}

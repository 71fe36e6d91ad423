/* welcome.c -- the first screen: the ranks, and first commands
 *
 * The drawing needs 78 columns; below 50 columns one line of commands replaces the list. */
#include "shell/session/device.h"
#include "shell/terminal/inside.h"

#include <stdio.h>
#include <string.h>

enum { FULL_WIDTH = 78, SHORT_WIDTH = 50, DRAWN = 4 };

static const char *const counts[] = {
        "no", "the one", "both", "all three", "all four", "all five", "all six", "all seven", "all eight"};

/* Draws rank i, or, if there are many, dots and the last rank. */
static void draw_rank(struct text *out, int i, int n, bool wide)
{
	char name[24];
	int rank = n > DRAWN && i == DRAWN - 1 ? n - 1 : i;
	snprintf(name, sizeof name, "rank %d", rank);
	if (i >= n)
		text_add(out, "   %-25s", "");
	else if (n > DRAWN && i == DRAWN - 2)
		text_add(out, "   %-25s", "...");
	else
		text_add(
		        out, "   %-7s host %s GPU  %s", name, wide ? "──▶" : "-->", rank < 1000 ? "   " : "");
}

static void write_full(struct text *out, int n, bool wide)
{
	char first[80];
	const char *const lines[DRAWN] = {first, "host (its program), a GPU with streams, and its own",
	        "data. Work is queued, not waited for; `timeline`",
	        "shows when it ran, and what delayed it."};
	const char *ranks = n == 1 ? "rank" : "ranks";
	if (n < (int)(sizeof counts / sizeof *counts))
		snprintf(first, sizeof first, "What you type runs on %s %s. Each has a", counts[n], ranks);
	else
		snprintf(first, sizeof first, "What you type runs on all %d ranks. Each has a", n);
	for (int i = 0; i < DRAWN; i++) {
		draw_rank(out, i, n, wide);
		text_add(out, "%s\n", lines[i]);
	}
}

void welcome_ranks(struct text *out, const struct session *session)
{
	static const char cuda[] = "cuda: ";
	if (session->device.count) {
		text_add(out, "%s", text_string(&session->device) + strlen(cuda));
		if (strcmp(session->machine, "this") != 0)
			text_add(out, "; they play \"%s\"", session->machine);
	} else {
		text_add(out, "%d rank%s on the simulated machine \"%s\"; %s", session->n,
		        session->n == 1 ? "" : "s", session->machine, device_why(&session->options));
		if (session->missing.count)
			text_add(out, ", though there is one: %s", text_string(&session->missing));
	}
	text_add(out, "\n");
}

void welcome_write(struct text *out, const struct session *session)
{
	const char *bold = session->talk.colour ? "\033[1m" : "",
	           *plain = session->talk.colour ? "\033[0m" : "";
	int width = width_of_output(), n = session->n;
	text_add(out, "%sranksh " RANKSH_VERSION "%s    ", bold, plain);
	welcome_ranks(out, session);
	if (width < SHORT_WIDTH) {
		text_add(out, "Enter: the tour   help   quit\n");
		return;
	}
	text_add(out, "\n");
	if (width >= FULL_WIDTH) {
		write_full(out, n, session->wide);
		text_add(out, "\n");
	}
	text_add(out, "   %sEnter%s          the tour: three minutes, it types for you%s\n", bold, plain,
	        width >= 70 ? "      <- start here" : "");
	text_add(out, "   %slesson 1%s       learn by doing; every task is checked\n", bold, plain);
	text_add(out, "   %sstrategy ddp%s   %s a model; Enter for each step\n", bold, plain,
	        n == 1 ? "one GPU trains" : "the GPUs train");
	text_add(out, "   %shelp%s           the commands%s\n", bold, plain,
	        width >= 70 ? "      help WORD, TAB      undo      quit" : "");
}

/* terminal.c -- what the terminal can show, and the characters of the locale */
#include "shell/doctor/check.h"
#include "shell/terminal/screen.h"
#include "shell/wire/plain.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The pictures of most answers need this width. */
enum { COLUMNS_LEAST = 60 };

static void terminal_report(struct finding *finding, const char *term, int colours)
{
	struct winsize size = {0};
	const char *no_colour = getenv("NO_COLOR");
	bool plain = no_colour && *no_colour;
	ioctl(0, TIOCGWINSZ, &size);
	text_add(&finding->text, "%s, ", term);
	if (size.ws_col)
		text_add(&finding->text, "%d x %d, ", size.ws_col, size.ws_row);
	if (plain)
		text_add(&finding->text, "no colours (NO_COLOR)");
	else
		text_add(&finding->text, "%d colours", colours);
	finding_number(finding, "columns", size.ws_col);
	finding_number(finding, "rows", size.ws_row);
	finding_number(finding, "colours", plain ? 0 : colours);
	if (size.ws_col && size.ws_col < COLUMNS_LEAST) {
		finding->severity = CHECK_NOTE;
		text_add(&finding->consequence, "pictures need %d columns", COLUMNS_LEAST);
	} else {
		text_add(&finding->consequence, "prompt and `view` work");
	}
}

void check_terminal(const struct doctor *doctor, struct finding *finding)
{
	const char *term = getenv("TERM");
	int colours = 0;
	(void)doctor;
	finding->severity = CHECK_NOTE;
	if (!isatty(0)) {
		text_add(&finding->text, "none at the input");
		text_add(&finding->consequence, "`ranksh` reads lines, without a prompt");
	} else if (!term || !*term || strcmp(term, "dumb") == 0) {
		text_add(&finding->text, "TERM is %s", term && *term ? term : "not set");
		text_add(&finding->consequence, "no colours, no `view`: `export TERM=xterm-256color`");
	} else if (!screen_known(&colours)) {
		text_add(&finding->text, "TERM=%s is not known here", term);
		text_add(&finding->consequence, "no `view`, and keys may fail: `export TERM=xterm-256color`");
	} else {
		finding->severity = CHECK_OK;
		terminal_report(finding, term, colours);
	}
}

static const char *locale_named(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (getenv(names[i]) && *getenv(names[i]))
			return getenv(names[i]);
	return "";
}

void check_locale(const struct doctor *doctor, struct finding *finding)
{
	const char *name = locale_named();
	bool known = setlocale(LC_CTYPE, "") && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	bool other = known || setlocale(LC_CTYPE, "C.UTF-8");
	setlocale(LC_CTYPE, "C");
	(void)doctor;
	finding->severity = CHECK_NOTE;
	if (plain_wanted()) {
		text_add(&finding->text, "%s is not UTF-8", name);
		text_add(&finding->consequence, "pictures use # and =: `export LC_ALL=C.UTF-8`");
	} else if (!other) {
		text_add(&finding->text, "%s, but no UTF-8 locale is installed", *name ? name : "not set");
		text_add(&finding->consequence, "letters beyond ASCII cannot be typed at the prompt");
	} else {
		finding->severity = CHECK_OK;
		text_add(&finding->text, "%s%s", *name ? name : "not set",
		        known ? "" : ", replaced by C.UTF-8");
		text_add(&finding->consequence, "pictures are drawn with blocks");
	}
	finding_number(finding, "utf8", !plain_wanted());
}

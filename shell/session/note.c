/* note.c -- notes about ranks, and warnings */
#include "shell/session/note.h"
#include "races/races.h"
#include "waits/circles.h"

#include <string.h>

enum { INDENT = 3, WIDTH = 80 };

/* Returns the number of bytes that fit, cut at a blank if there is one. */
static size_t line_length(const char *s, size_t columns)
{
	size_t end = 0, column = 0, blank = 0;
	for (; s[end] && s[end] != '\n'; end++) {
		if ((s[end] & 0xc0) != 0x80 && column++ == columns)
			return blank ? blank : end;
		if (s[end] == ' ')
			blank = end;
	}
	return end;
}

void shell_note(struct shell *shell, const struct ranks *set, const char *format, ...)
{
	struct text body = {0}, text = {0}, ranks = {0};
	va_list arguments;

	if (shell_quiet(shell))
		return;
	va_start(arguments, format);
	text_vadd(&body, format, arguments);
	va_end(arguments);
	text_add(&ranks, "[");
	ranks_text(set, &ranks);
	text_add(&ranks, "]");

	const char *rest = text_string(&body);
	size_t last = 0;
	while (*rest) {
		size_t count = line_length(rest, WIDTH - 2 - INDENT);
		last = text.count;
		text_repeat(&text, " ", INDENT);
		text_put(&text, rest, count);
		rest += count;
		while (*rest == ' ' || *rest == '\n')
			rest++;
		if (*rest)
			text_put(&text, "\n", 1);
	}
	size_t used = text_columns(text_string(&text) + last), room = WIDTH - 2;
	text_repeat(&text, " ", used + ranks.count + 2 <= room ? (long)(room - used - ranks.count) : 2);
	text_add(&text, "%s\n", text_string(&ranks));
	enum severity before = out_severity(shell->out, SEVERITY_OK);
	out_severity(shell->out, before > SEVERITY_NOTE ? before : SEVERITY_NOTE);
	out_put(shell->out, text_string(&text), text.count);
	out_severity(shell->out, before);
	text_release(&ranks);
	text_release(&text);
	text_release(&body);
}

/* ---- warnings: each is reported once, after its line. A replay counts them without output, so
 * that undo repeats none. ---- */

static void put_some(struct shell *shell, const struct text *text)
{
	enum { MOST = 16 };
	const char *at = text_string(text), *end = at;
	for (int lines = 0; lines < MOST && *end; lines++)
		end += strcspn(end, "\n") + 1;
	size_t count = (size_t)(end - at) < text->count ? (size_t)(end - at) : text->count;
	out_put(shell->out, at, count);
	if (count < text->count)
		out_say(shell->out, "   ... and more: `races` shows them all\n");
}

static bool same_read(const struct world *world, const struct unread *a, const struct unread *b)
{
	const struct op *op_a = &world->ops[a->op], *op_b = &world->ops[b->op];
	return a->name == b->name && op_a->stream == op_b->stream &&
	        record_called(op_record(world, a->op)) == record_called(op_record(world, b->op));
}

static void warn_unread(struct shell *shell)
{
	const struct world *world = shell->world;
	const struct races *races = world->races;
	for (size_t i = shell->reported.unread; i < races->unread_count; i++) {
		const struct unread *read = &races->unread[i];
		struct ranks set = {0};
		bool told = false;
		for (size_t k = shell->reported.unread; k < races->unread_count; k++)
			if (same_read(world, read, &races->unread[k])) {
				told = told || k < i;
				ranks_add(&set, world->ops[races->unread[k].op].rank);
			}
		if (!told)
			shell_note(shell, &set, "unwritten: `%s` reads %s, and nothing has written it.",
			        op_called(world, read->op, false), names_text(world->names, read->name));
	}
}

void warn_new(struct shell *shell)
{
	struct world *world = shell->world;
	/* --dry, with thousands of ranks, searches only on request */
	const struct races none = {0}, *races = world->me >= 0 ? races_now(world) : world->races;
	races = races ? races : &none;
	size_t orders = 0, swaps = 0, circles = circles_now(world)->count;
	while (world_swapped(world, swaps))
		swaps++;
	while (world_order_warning(world, orders))
		orders++;
	if (!shell_quiet(shell)) {
		struct trace trace = {.world = world, .backend = shell->backend};
		struct text text = {0};
		enum severity before = out_severity(shell->out, SEVERITY_WARNING);
		if (shell->reported.races < races->count) {
			trace_races(&trace, shell->reported.races, !shell->course.watch,
			        out_width(shell->out), &text);
			put_some(shell, &text);
			text_clear(&text);
		}
		if (shell->reported.unread < races->unread_count)
			warn_unread(shell);
		for (size_t i = shell->reported.orders; i < orders; i++)
			out_say(shell->out, "   %s\n", world_order_warning(world, i));
		trace_circles(&trace, shell->reported.circles, out_width(shell->out), &text);
		trace_swaps(&trace, shell->reported.swaps, out_width(shell->out), &text);
		put_some(shell, &text);
		out_severity(shell->out, before);
		text_release(&text);
	}
	shell->reported.races = races->count;
	shell->reported.unread = races->unread_count;
	shell->reported.orders = orders;
	shell->reported.circles = circles;
	shell->reported.swaps = swaps;
}

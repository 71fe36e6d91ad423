/* note.c -- notes about ranks, wrapped; every process words the same note */

#include "shell/session/note.h"

enum { INDENT = 3, WIDTH = 80 };

/* Returns the bytes that fit into `columns`, cut at a blank if there is one. */
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

/* Counts characters on the screen; the ranks are on the last line:
 *
 *        unwritten: `matmul` reads x, and nothing has      |
 *        written it.                                  [0-3]| */
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
	/* at the right edge, or two blanks after a long line */
	size_t used = text_columns(text_string(&text) + last), room = WIDTH - 2;
	text_repeat(&text, " ", used + ranks.count + 2 <= room ? (long)(room - used - ranks.count) : 2);
	text_add(&text, "%s\n", text_string(&ranks));
	out_put(shell->out, text_string(&text), text.count);
	text_release(&ranks);
	text_release(&text);
	text_release(&body);
}

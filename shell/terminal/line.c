/* line.c -- readline in callback form, so that one loop waits for keys and ranks together
 *
 *     line_begin --- line_key, line_key ... --- take(line): the terminal is restored
 *                |-- line_hide, text, line_show: text that arrives while the user types
 *                |-- line_cancel: Ctrl-C
 *
 * readline catches no signals here; talk.c does. */
#include "shell/terminal/line.h"

#include <stdio.h>
#include <string.h>
#include <readline/history.h>
#include <readline/readline.h>

enum { HISTORY_MOST = 2000 };

/* readline has one editor in a process, and passes no `self` to callbacks. */
static struct {
	line_complete *complete;
	line_clear *clear;
	void *self;
	char *line; /* from the handler; NULL: end of input */
	bool reading;
	bool hidden;
	struct text names; /* completions */
	const char *next;
} editor;

/* readline frees the completion with free(). */
static char *next_name(const char *word, int state)
{
	(void)word;
	if (state == 0)
		editor.next = text_string(&editor.names);
	size_t length = strcspn(editor.next, "\n");
	if (length == 0)
		return NULL;
	char *name = strndup(editor.next, length);
	editor.next += length + (editor.next[length] == '\n');
	/* no blank after `seed=` or a folder */
	rl_completion_append_character = name && length && strchr("=/", name[length - 1]) ? '\0' : ' ';
	return name;
}

static char **complete(const char *word, int start, int end)
{
	(void)start;
	rl_attempted_completion_over = 1;
	text_clear(&editor.names);
	editor.complete(editor.self, rl_line_buffer, end, &editor.names);
	return editor.names.count ? rl_completion_matches(word, next_name) : NULL;
}

/* Ctrl-L: clears only the lower part of a split screen. */
static int clear_screen(int count, int key)
{
	if (!editor.clear(editor.self))
		return rl_clear_screen(count, key);
	line_again();
	return 0;
}

/* Removes the handler, because readline would show the prompt again. */
static void take(char *line)
{
	editor.line = line;
	rl_callback_handler_remove();
	editor.reading = false;
}

/* Works around a division by zero: on a terminal with one row, or without cursor-up, readline
 * scrolls by a third of the columns (less one if the terminal does not wrap). Returns true if it
 * told readline of more columns than there are. */
static bool widen(void)
{
	enum { COLUMNS_LEAST = 4 };
	int rows, columns;
	rl_get_screen_size(&rows, &columns);
	bool narrow = columns < COLUMNS_LEAST;
	if (narrow)
		rl_set_screen_size(rows, COLUMNS_LEAST);
	return narrow;
}

/* Works around a crash in readline 8.2: a key during a search (Ctrl-R) begins a sequence without a
 * function, such as Ctrl-X. An Escape that ends searches is left to readline, because arrows and
 * pasted text begin with it, too. */
static void end_search(void)
{
	enum { ESCAPE = '\033' };
	if (!RL_ISSTATE(RL_STATE_ISEARCH))
		return;
	const char *ends = rl_variable_value("isearch-terminators"); /* NULL: Escape and Ctrl-J */
	int key = rl_getc(rl_instream);
	bool left = key == ESCAPE && (!ends || strstr(ends, "\\e"));
	if (key >= 0 && key < KEYMAP_SIZE && rl_get_keymap()[key].type == ISKMAP && !left)
		rl_callback_sigcleanup();
	rl_stuff_char(key);
}

void line_start(const char *history, line_complete *completer, line_clear *clear, void *self)
{
	rl_readline_name = "ranksh";
	rl_catch_signals = 0;
	rl_catch_sigwinch = 0;
	rl_change_environment = 0;
	rl_variable_bind("show-all-if-ambiguous", "on");
	rl_attempted_completion_function = complete;
	/* interpreter_complete returns whole words, such as op=avg */
	rl_basic_word_break_characters = " \t\n;{}";
	rl_completer_word_break_characters = rl_basic_word_break_characters;
	editor.complete = completer;
	editor.clear = clear;
	rl_bind_key('L' & 0x1f, clear_screen);
	editor.self = self;
	using_history();
	stifle_history(HISTORY_MOST);
	read_history(history);
	rl_initialize();
	widen();
}

void line_stop(const char *history)
{
	line_leave();
	write_history(history);
	clear_history();
	text_release(&editor.names);
}

enum { PROMPT_ROOM = 256 };

/* \001 and \002 enclose text without width on the screen. */
static const char *coloured(const char *prompt, bool colour, char shown[PROMPT_ROOM])
{
	snprintf(shown, PROMPT_ROOM, colour ? "\001\033[38;5;244m\002%s\001\033[0m\002" : "%s", prompt);
	return shown;
}

void line_prompt(const char *prompt, bool colour)
{
	char shown[PROMPT_ROOM];
	rl_set_prompt(coloured(prompt, colour, shown));
}

void line_begin(const char *prompt, bool colour)
{
	char shown[PROMPT_ROOM];
	editor.reading = true;
	editor.hidden = false;
	rl_callback_handler_install(coloured(prompt, colour, shown), take);
}

void line_leave(void)
{
	if (!editor.reading)
		return;
	rl_callback_handler_remove();
	editor.reading = false;
}

enum line_event line_key(char **line)
{
	end_search();
	rl_callback_read_char();
	if (editor.reading)
		return LINE_NONE;
	*line = editor.line;
	return editor.line ? LINE_READY : LINE_END;
}

void line_cancel(void)
{
	rl_free_line_state();
	rl_callback_sigcleanup();
	fputs("^C\n", rl_outstream);
	rl_replace_line("", 1);
	rl_point = 0;
	rl_on_new_line();
	rl_redisplay();
}

void line_hide(void)
{
	if (editor.reading && !editor.hidden)
		rl_clear_visible_line();
	editor.hidden = editor.reading;
}

void line_show(void)
{
	if (!editor.reading || !editor.hidden)
		return;
	editor.hidden = false;
	rl_on_new_line();
	rl_redisplay();
}

void line_again(void)
{
	editor.hidden = editor.reading;
	line_show();
}

void line_resize(void)
{
	rl_reset_screen_size();
	if (!widen())
		rl_resize_terminal();
}

void line_remember(const char *line)
{
	const HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
	if (*line && !(last && strcmp(last->line, line) == 0))
		add_history(line);
}

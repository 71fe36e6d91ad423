/* line.h -- the input line: history and completion. Only line.c includes readline. */
#ifndef RANKSH_LINE_H
#define RANKSH_LINE_H

#include "base/text.h"
#include <stdbool.h>

enum line_event { LINE_NONE, LINE_READY, LINE_END };
/* Appends "name\n" for each completion of the word before `cursor`. */
typedef void line_complete(void *self, const char *line, int cursor, struct text *names);
/* Clears the screen. Returns false if readline shall do it. */
typedef bool line_clear(void *self);

/* Starts the process's only editor. history: a file. */
void line_start(const char *history, line_complete *complete, line_clear *clear, void *self);
void line_stop(const char *history);
/* Reads keys in raw mode until LINE_READY, LINE_END or line_leave(). */
void line_begin(const char *prompt, bool colour);
void line_leave(void);
/* Handles a key. LINE_READY: the caller owns *line (free()). */
enum line_event line_key(char **line);
/* Ctrl-C: discards the typed text. */
void line_cancel(void);
/* Remove and restore the line around printed text. */
void line_hide(void);
void line_show(void);
/* Changes the prompt for the next line_show. */
void line_prompt(const char *prompt, bool colour);
/* Shows the line at the cursor, after another use of the screen. */
void line_again(void);
void line_resize(void);
void line_remember(const char *line);

#endif

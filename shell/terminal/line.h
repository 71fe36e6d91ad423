/* line.h -- the line being typed: history, completion, and text that comes while somebody types. The only
 * file that includes readline. */
#ifndef RANKSH_LINE_H
#define RANKSH_LINE_H

#include "base/text.h"
#include <stdbool.h>

enum line_event { LINE_NONE, LINE_READY, LINE_END };
/* "name\n" for each possible ending of the word before `cursor`. */
typedef void line_complete(void *self, const char *line, int cursor, struct text *names);
/* Clears the screen; false: all of it is the line's, which does so itself. */
typedef bool line_clear(void *self);

/* history: a file's path. One editor a process: readline has but one. */
void line_start(const char *history, line_complete *complete, line_clear *clear, void *self);
void line_stop(const char *history);
/* Shows the prompt and begins to read; the terminal is raw until LINE_READY, LINE_END or line_leave(). */
void line_begin(const char *prompt, bool colour);
void line_leave(void);
/* One key has come. READY: *line is the typed line (free it with free()). */
enum line_event line_key(char **line);
/* Ctrl-C: what was typed is forgotten. */
void line_cancel(void);
/* Text is to be printed now: the line goes out of the way, and comes back. */
void line_hide(void);
void line_show(void);
/* Another prompt, from the next line_show on */
void line_prompt(const char *prompt, bool colour);
/* The screen was another's: the line is shown where the cursor is. */
void line_again(void);
void line_resize(void);
void line_remember(const char *line);

#endif

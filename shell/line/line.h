/* line.h -- one line of a session, run as if typed at the prompt */
#ifndef RANKSH_RUN_LINE_H
#define RANKSH_RUN_LINE_H

#include "shell/session/shell.h"

/* One line (or several, complete) as if typed at the prompt: runs it, lets the backend advance, tells new
 * races; joins shell->typed. */
enum status shell_line(struct shell *shell, const char *text, size_t count);
/* A statement of the line at hand, its bytes [from, to), did less than it says: the journal keeps what it
 * did. line NULL: the whole line did. */
void shell_keep_as(struct shell *shell, const char *line, size_t from, size_t to, const char *did);
/* The same from a journal: stopped where it was stopped, with the stamp of then (see struct entry). */
enum status shell_line_again(
        struct shell *shell, const char *text, size_t count, int64_t stop, int64_t stamp);
/* Around a text that is run: a reset within it keeps the world it runs in until shell_leave. */
void shell_enter(struct shell *shell);
void shell_leave(struct shell *shell);
/* What every text, line or file, is followed by: the backend carries out what is final, and what is due is
 * said. */
enum status shell_settle(struct shell *shell, enum status status);
/* The world before a line that is half done, made again from its lines: on every process or on none. */
enum status shell_take_back(struct shell *shell);

#endif

/* line.h -- runs one line as if typed at the prompt, or a text */
#ifndef RANKSH_RUN_LINE_H
#define RANKSH_RUN_LINE_H

#include "shell/session/shell.h"

/* Runs a text like interpreter_run, and grants wishes (`reset`, `undo`) between statements. */
enum status line_text(struct shell *shell, const char *text, size_t count, const char *file, int first_line);
/* The same for a script or a part of it, which is also recorded for reruns (rerun.h). */
enum status line_script(
        struct shell *shell, const char *text, size_t count, const char *file, int first_line);
/* Runs lines as if typed: advances the backend, reports races, adds an entry. stop, stamp: of a
 * replayed struct journal_entry; else 0, -1. */
enum status shell_line(struct shell *shell, const char *text, size_t count, int64_t stop, int64_t stamp);
/* Runs an internal line in a world beside the session's. */
enum status line_ours(struct shell *shell, const char *line);
/* Ends every text: carries out work that is final, and prints pending output. Returns `status`, or
 * a failure of that work. */
enum status shell_settle(struct shell *shell, enum status status);

#endif

/* line.h -- one line of a session, run as if typed at the prompt, and texts that nothing runs around */
#ifndef RANKSH_RUN_LINE_H
#define RANKSH_RUN_LINE_H

#include "shell/session/shell.h"

/* A script or a typed line: as interpreter_run (language/run/interpreter.h), and what its statements wish for
 * (`reset`, `undo`, `lesson 1`) is granted between them. */
enum status line_text(struct shell *shell, const char *text, size_t count, const char *file, int first_line);
/* The same for the lines of a script, or a part of them: they can run again (rerun.h). */
enum status line_script(
        struct shell *shell, const char *text, size_t count, const char *file, int first_line);
/* One line (or several, complete) as if typed at the prompt: runs it, lets the backend advance, tells new
 * races; it joins the journal. From the journal: stopped where it was stopped, with the stamp of then (struct
 * journal_entry); else stop 0, stamp -1. */
enum status shell_line(struct shell *shell, const char *text, size_t count, int64_t stop, int64_t stamp);
/* A line that nobody typed, in a world beside the session's */
enum status line_ours(struct shell *shell, const char *line);
/* What every text, line or file, is followed by: the backend carries out what is final, and what is due is
 * said. */
enum status shell_settle(struct shell *shell, enum status status);

#endif

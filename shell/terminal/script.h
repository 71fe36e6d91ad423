/* script.h -- a session whose lines come from a program (--json), or a class's from a pipe */
#ifndef RANKSH_SCRIPT_H
#define RANKSH_SCRIPT_H

#include "shell/session/options.h"

struct script;
struct session;

/* Returns true if the lines of the session do not come from a prompt. */
bool script_wanted(const struct options *options);
/* Opens the lines, and receives the session's words from then on. Close *script also after a
 * failure (ST_FILE). */
enum status script_open(struct session *session, struct script **script);
/* Returns true if the words become JSON; false for NULL. */
bool script_json(const struct script *script);
/* Returns the columns of an answer: COLUMNS, 80 without it. */
int script_width(void);
/* Reports the ranks. */
void script_started(const struct script *script);
/* Runs the lines to their end, to `quit` or to a signal. Returns the exit status. */
int script_run(struct script *script);
/* Reports the exit status. NULL is allowed. */
void script_close(struct script *script, int code);
/* Reports a start that failed, with the exit status `code`: fail_text(). */
void script_refused(int code);

#endif

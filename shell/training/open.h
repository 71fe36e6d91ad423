/* open.h -- a session with all that lives in it: the world and its backend (session/), the names of the
 * language, the program that trains */
#ifndef RANKSH_OPEN_H
#define RANKSH_OPEN_H

#include "shell/session/shell.h"

enum status shell_open(struct shell *shell, struct transport *t, int n, bool dry, const char *machine);
void shell_close(struct shell *shell);
/* An empty world on the same machine; the program, if there is one, is at its start. A failure is session_reset's: there is
 * an empty world all the same. */
enum status shell_reset(struct shell *shell);
/* The same for lines that run again: the plan is the one that this world began with. */
enum status shell_reset_again(struct shell *shell);

#endif

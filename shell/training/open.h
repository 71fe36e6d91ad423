/* open.h -- a session with its world and backend (session/), its interpreter and its training */
#ifndef RANKSH_OPEN_H
#define RANKSH_OPEN_H

#include "shell/session/shell.h"

enum status shell_open(struct shell *shell, struct transport *t, int n, bool dry, const char *machine);
void shell_close(struct shell *shell);
/* Makes an empty world on the same machine, and rewinds the program. There is an empty world even
 * after a failure, which is session_reset's. */
enum status shell_reset(struct shell *shell);
/* The same for a replay: with the plan that this world began with */
enum status shell_reset_again(struct shell *shell);

#endif

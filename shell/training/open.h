/* open.h -- a session with its world and backend (session/), its interpreter and its training */
#ifndef RANKSH_OPEN_H
#define RANKSH_OPEN_H

#include "shell/session/shell.h"

enum status shell_open(struct shell *shell, struct transport *t, int n, bool dry, const char *machine);
void shell_close(struct shell *shell);
/* Makes an empty world on the same machine, also after a failure; the program is rewound. */
enum status shell_reset(struct shell *shell);
/* For a replay: with this world's first plan */
enum status shell_reset_again(struct shell *shell);

#endif

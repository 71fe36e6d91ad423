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

/* ---- sessions beside the learner's ---- */

struct lasting;
struct plan; /* training.h */

/* Opens n ranks on the machine of `of`, with devices of any size and no output. dry: shapes and
 * times only, on all processes; else `t` is its own. Its steps count in the budget of `of`. */
enum status scratch_open(struct shell *scratch, struct shell *of, struct transport *t, int n, bool dry);
/* Copies settings and plan (NULL: none) for its next shell_reset_again, without `pace`. */
void scratch_as(struct shell *scratch, const struct lasting *lasting, const struct plan *plan);
void scratch_close(struct shell *scratch, struct shell *of);
/* The active one has the steps: pause returns, resume takes them, also before a close. */
void scratch_pause(struct shell *scratch, struct shell *of);
void scratch_resume(struct shell *scratch, struct shell *of);
/* Closes a paused one; keeps the words of a failure. Returns status. */
enum status scratch_over(struct shell *scratch, struct shell *of, enum status status);

#endif

/* open.h -- a session with its world and backend (session/), its interpreter and its training */
#ifndef RANKSH_OPEN_H
#define RANKSH_OPEN_H

#include "shell/session/shell.h"

enum status shell_open(struct shell *shell, struct transport *t, int n, bool dry, const char *machine);
void shell_close(struct shell *shell);
/* Makes an empty world on the same machine, even if it fails, and rewinds the program. */
enum status shell_reset(struct shell *shell);
/* The same for a replay: restores the plan with which this world began. */
enum status shell_reset_again(struct shell *shell);

/* ---- sessions beside the learner's ---- */

struct lasting;
struct plan; /* training.h */

/* Opens n simulated ranks on the machine of `of`, with 16 TB of device memory and no output. dry:
 * shapes and times only, on all processes; else `t` is its own. Its steps count in the budget of
 * `of`. */
enum status scratch_open(struct shell *scratch, struct shell *of, struct transport *t, int n, bool dry);
/* Gives the scratch session settings (without `pace`, `explain` and `strip`) and a plan (NULL:
 * keeps its own) for its next shell_reset_again. */
void scratch_as(struct shell *scratch, const struct lasting *lasting, const struct plan *plan);
void scratch_close(struct shell *scratch, struct shell *of);
/* Only the active session has the steps: pause returns them to `of`, resume takes them. Resume a
 * paused session before you close it. */
void scratch_pause(struct shell *scratch, struct shell *of);
void scratch_resume(struct shell *scratch, struct shell *of);
/* Closes a paused session; keeps the words of a failure. Returns `status`. */
enum status scratch_over(struct shell *scratch, struct shell *of, enum status status);

#endif

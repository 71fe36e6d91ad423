/* scratch.h -- a session beside the learner's: lines run in its world without touching theirs */
#ifndef RANKSH_SCRATCH_H
#define RANKSH_SCRATCH_H

#include "shell/session/shell.h"

struct lasting;
struct plan; /* training.h */

/* Opens n ranks on the machine of `of`, with devices of any size and no output. dry: shapes and
 * times only, on all processes; else `t` is its own. Its steps count in the budget of `of`. */
enum status scratch_open(struct shell *scratch, struct shell *of, struct transport *t, int n, bool dry);
/* Copies settings and plan (NULL: none) for its next shell_reset_again. Lines run without `pace`
 * and guesses. */
void scratch_as(struct shell *scratch, const struct lasting *lasting, const struct plan *plan);
void scratch_close(struct shell *scratch, struct shell *of);
/* With several open, the active one has the steps: pause returns them; resume takes them, also
 * before a close. */
void scratch_pause(struct shell *scratch, struct shell *of);
void scratch_resume(struct shell *scratch, struct shell *of);
/* Closes a paused one; keeps the words of a failure. Returns status. */
enum status scratch_over(struct shell *scratch, struct shell *of, enum status status);

#endif

/* scratch.h -- a session beside the learner's: a world of its own, which lines may run in without touching
 * his */
#ifndef RANKSH_SCRATCH_H
#define RANKSH_SCRATCH_H

#include "shell/session/shell.h"

struct lasting;
struct plan; /* training.h */

/* n ranks on the machine of `of`, with devices of any size; nothing is said in it. dry: shapes and times
 * only; all processes do the same. Else `t` is its own, of one process. Its steps come out of the budget
 * of `of`: Ctrl-C ends both. */
enum status scratch_open(struct shell *scratch, struct shell *of, struct transport *t, int n, bool dry);
/* With the settings and the training given, copied, from its next reset on (shell_reset_again): lines run as they did, not as fast as `pace` says,
 * and a value that steers them is never guessed. plan: NULL, none. */
void scratch_as(struct shell *scratch, const struct lasting *lasting, const struct plan *plan);
void scratch_close(struct shell *scratch, struct shell *of);
/* Where several are open: the one at work has the steps of `of`. It gives them back, another takes them, and so does the one
 * that is closed. */
void scratch_pause(struct shell *scratch, struct shell *of);
void scratch_resume(struct shell *scratch, struct shell *of);
/* One that has paused is closed, opened whole or not; a failure keeps its words: closing has none. Returns status. */
enum status scratch_over(struct shell *scratch, struct shell *of, enum status status);

#endif

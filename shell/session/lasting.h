/* lasting.h -- what outlives a world: the machine and its slow ranks, the pace, and what is shown with each line
 *
 *     a world's      tensors, streams, groups with their timeouts, `use`, `mark`: go with it
 *     the session's  `machine` `set` `slow`, `pace` `explain` `timeline on`: stay when `reset`, a model, a strategy or a
 *                    program begins an empty one
 *
 * `undo` makes a world again from its lines, and begins with what these were when it was empty. */
#ifndef RANKSH_LASTING_H
#define RANKSH_LASTING_H

#include "shell/session/shell.h"

/* A copy of all of them, in `to`, which is released, or empty. */
void lasting_keep(const struct shell *shell, struct lasting *to);
/* They become what they were; the backend hears of it when the next world is made. */
void lasting_take(struct shell *shell, const struct lasting *from);
void lasting_release(struct lasting *lasting);
/* Another machine, on which nobody is slow. ST_RANGE: one of shell->replay.changes does not fit it. */
enum status lasting_machine(struct shell *shell, const struct machine *machine);
/* The same machine with other numbers */
enum status lasting_set(struct shell *shell, const struct machine *machine);
/* Kernels of the rank that are queued from here on take so many times as long. */
void lasting_slow(struct shell *shell, int rank, double factor);
/* Tells the backend of a new world who is slow. */
void lasting_begin(struct shell *shell);
/* "slow: rank 1 4x, ranks 2,3 2x\n"; nothing where all are alike */
void lasting_slow_text(const struct shell *shell, struct text *out);

#endif

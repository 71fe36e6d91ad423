/* lasting.h -- state that outlives a world: machine, slow ranks, pace and display switches
 *
 *     a world's      tensors, streams, groups with their timeouts, `use`, `mark`
 *     the session's  `machine` `set` `slow`, `pace` `explain` `timeline on`: stay when `reset`,
 *                    a model, a strategy or a program begins an empty world
 *
 * `undo` runs a world's lines again, from the values that the session's state had at its start. */
#ifndef RANKSH_LASTING_H
#define RANKSH_LASTING_H

#include "shell/session/shell.h"

/* Copies the session's state to `to`, which is released first. */
void lasting_keep(const struct shell *shell, struct lasting *to);
/* Restores it. The slow ranks reach the backend with the next world. */
void lasting_take(struct shell *shell, const struct lasting *from);
void lasting_release(struct lasting *lasting);
/* Sets another machine, on which no rank is slow. Fails with ST_RANGE if a replay's change does
 * not fit it. */
enum status lasting_machine(struct shell *shell, const struct machine *machine);
/* Sets other numbers of the same machine. Fails as lasting_machine. */
enum status lasting_set(struct shell *shell, const struct machine *machine);
void lasting_slow(struct shell *shell, int rank, double factor);
/* Slows the same ranks in a new world. */
void lasting_begin(struct shell *shell);
/* Appends "slow: rank 1 4x, ranks 2,3 2x\n", or nothing if no rank is slow. */
void lasting_slow_text(const struct shell *shell, struct text *out);

#endif

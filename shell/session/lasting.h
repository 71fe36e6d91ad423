/* lasting.h -- state that outlives a world: machine, slow ranks, pace and display switches
 *
 *     a world's      tensors, streams, groups with their timeouts, `use`, `mark`
 *     the session's  `machine` `set` `slow`, `pace` `explain` `timeline on`: stay when `reset`,
 *                    a model, a strategy or a program begins an empty world
 *
 * `undo` rebuilds a world from its lines, starting with the values from when it was empty. */
#ifndef RANKSH_LASTING_H
#define RANKSH_LASTING_H

#include "shell/session/shell.h"

/* Copies it to `to`, which is released first. */
void lasting_keep(const struct shell *shell, struct lasting *to);
/* Restores it; the next world's backend receives it. */
void lasting_take(struct shell *shell, const struct lasting *from);
void lasting_release(struct lasting *lasting);
/* Sets another machine, without slow ranks. ST_RANGE: a replay's change does not fit. */
enum status lasting_machine(struct shell *shell, const struct machine *machine);
/* Sets other numbers for the same machine; fails in the same way. */
enum status lasting_set(struct shell *shell, const struct machine *machine);
void lasting_slow(struct shell *shell, int rank, double factor);
/* Gives the slow ranks to a new world's backend. */
void lasting_begin(struct shell *shell);
/* Appends "slow: rank 1 4x, ranks 2,3 2x\n", or nothing if no rank is slow. */
void lasting_slow_text(const struct shell *shell, struct text *out);

#endif

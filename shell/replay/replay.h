/* replay.h -- this world made again from the journal's lines */
#ifndef RANKSH_REPLAY_H
#define RANKSH_REPLAY_H

#include "shell/session/shell.h"

/* `undo N`, N in shell->wishes.statement.number. The last N lines are taken back: an empty world, and then the others again, silently. If one of them
 * had begun this world, the world before is there again. ST_RANGE: there are not so many. */
enum status replay_undo(struct shell *shell);
/* `step back`. The same world, but with the program's steps up to shell->wishes.statement.number only. */
enum status replay_back(struct shell *shell);

#endif

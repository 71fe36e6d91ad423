/* replay.h -- rebuilds this world from the journal */
#ifndef RANKSH_REPLAY_H
#define RANKSH_REPLAY_H

#include "shell/session/shell.h"

/* `undo N` (wishes.statement.number): replays silently without the last N lines. If one of them
 * began this world, the world before it returns. Fails with ST_RANGE if there are fewer lines. */
enum status replay_undo(struct shell *shell);
/* `step back`: replays up to step wishes.statement.number. */
enum status replay_back(struct shell *shell);

#endif

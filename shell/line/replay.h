/* replay.h -- the world made again from the journal's lines */
#ifndef RANKSH_REPLAY_H
#define RANKSH_REPLAY_H

#include "shell/session/shell.h"

/* An empty world, then all but the last `count` typed lines again, silently. */
enum status journal_undo(struct shell *shell, int count);
/* The same world again, silently: after a line that ran out of memory half-way, or for one who makes some of
 * the lines do less (`step back`). ST_MEMORY: it is only a part of it. */
enum status journal_restore(struct shell *shell);
/* The world is made again, with all lines typed and the program's steps up to `played`. ST_RANGE. */
enum status program_back(struct shell *shell, long played);
/* True when every statement of the line only looks: nothing that a replay would need. session: so do help,
 * lessons, undo ... */
bool journal_only_looks(const char *line, size_t count, bool session);

#endif

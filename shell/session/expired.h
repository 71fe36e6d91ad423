/* expired.h -- collectives that waited for longer than their group's timeout */
#ifndef RANKSH_EXPIRED_H
#define RANKSH_EXPIRED_H

#include "shell/session/shell.h"

/* Reports the collectives that a timeout aborted since the last call, and records them in the
 * world. Each fails the script, except within `expect error`. All processes call it at the same
 * lines: after an awaited answer, a synchronization of all hosts, or an abort. */
void shell_expired(struct shell *shell);
/* Returns true if a group has a timeout; scripts then wait at each synchronization. */
bool shell_times_out(const struct world *world);
/* Collective. Completes all operations that end by `time` if nothing more is queued. */
enum status shell_play_until(struct shell *shell, int64_t time);
/* Completes all operations if a timeout or a print may depend on them. For a script's end, and the
 * end of `expect error` */
enum status shell_finish(struct shell *shell);

#endif

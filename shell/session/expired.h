/* expired.h -- collectives that waited for longer than their group's timeout */
#ifndef RANKSH_EXPIRED_H
#define RANKSH_EXPIRED_H

#include "shell/session/shell.h"

/* Those that the backend has ended, for good, since this was last asked: told, and entered into the books; a script
 * fails by them, but for those that an `expect error` around hears of. All processes ask at the same places: where an
 * answer was owed, where all hosts wait, and at an abort. */
void shell_expired(struct shell *shell);
/* Has a group a timeout? Then a line at which all hosts wait is owed its answer in a script too. */
bool shell_times_out(const struct world *world);
/* Carries out for good all operations that end by that time if nothing more is queued. All processes call it. */
enum status shell_play_until(struct shell *shell, int64_t time);
/* A script is over, or what it expects is owed an answer: nobody queues more, so all that its ranks still do is carried out, where a timeout or a print hangs
 * on it. */
enum status shell_finish(struct shell *shell);

#endif

/* rerun.h -- the lines since the world was empty, run again in a world of their own
 *
 *     the session's world    tensor ...   run 2   @2 slow 2x   run 2   | whatif slow 1x      nothing of it changes
 *     the rerun's            tensor ...   run 2   (2 slow 1x)  run 2                         shapes and times, on the simulator
 *
 * A rerun has no data: what the lines read from data to go on by is what the session read (steering.h). Times are its own.
 * Without changes its times are those of the session to the nanosecond, but for `pace`, which is left out where it has no data. */
#ifndef RANKSH_RERUN_H
#define RANKSH_RERUN_H

#include "shell/session/changes.h"
#include "shell/session/shell.h"

struct rerun {
	struct shell shell; /* projected: trace/ can be asked about it */
	struct changes changes;
};
/* All processes do the same; Ctrl-C ends it (ST_INTERRUPTED). changes: copied; NULL: none. Fails, worded with the line, where a
 * line is refused that was not, or reads what was never read, or was stopped by Ctrl-C. Release it in any case. */
enum status rerun_open(struct rerun *rerun, struct shell *of, const struct changes *changes);
/* Without a change its times would be those of the session: no GPU, no pace, nothing that Ctrl-C ended. */
bool rerun_same(const struct shell *of);
void rerun_close(struct rerun *rerun, struct shell *of);

#endif

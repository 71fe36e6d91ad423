/* rerun.h -- runs the lines since the world was empty again, in another world
 *
 *     the session's world    tensor ...   run 2   @2 slow 2x   run 2   | whatif slow 1x
 *     the rerun's            tensor ...   run 2   (2 slow 1x)  run 2     on the simulator
 *
 * A rerun has no data, so lines use recorded values (steering.h). Without changes its times equal
 * the session's to the nanosecond, except with `pace`. */
#ifndef RANKSH_RERUN_H
#define RANKSH_RERUN_H

#include "shell/session/changes.h"
#include "shell/session/shell.h"

struct rerun {
	struct shell shell; /* projected: trace/ can read it */
	struct changes changes;
};
/* Runs the lines again; collective, and ended by Ctrl-C. changes: copied; NULL: none. Fails, with
 * the line in the message, if a line is refused that was accepted before, reads an unrecorded
 * value, or was stopped by Ctrl-C. Close the rerun in any case. */
enum status rerun_open(struct rerun *rerun, struct shell *of, const struct changes *changes);
/* Returns true if an unchanged rerun has the session's times: no GPU, pace or Ctrl-C. */
bool rerun_same(const struct shell *of);
void rerun_close(struct rerun *rerun, struct shell *of);

#endif

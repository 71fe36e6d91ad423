/* pace.h -- `pace 1s`: a wall second for each virtual ms. Lines are stamped, and end when the wall
 * clock has caught up. */
#ifndef RANKSH_PACE_H
#define RANKSH_PACE_H

#include "shell/session/shell.h"

struct pace {
	double rate;           /* wall seconds per virtual ms for the two below; 0: off */
	int64_t wall, virtual; /* both clocks at the start */
};

/* Returns the stamp for a line typed now; -1: pace is off. */
int64_t pace_stamp(struct pace *pace, const struct shell *shell);
/* Returns wall ns until the hosts' latest clock; 0: reached, or pace is off. */
int64_t pace_left(struct pace *pace, const struct shell *shell);

#endif

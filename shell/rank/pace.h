/* pace.h -- `pace 1s`: a wall second for each virtual ms. Rank 0 stamps each line with virtual time; a line
 * is over when the wall has caught up. */
#ifndef RANKSH_PACE_H
#define RANKSH_PACE_H

#include "shell/session/shell.h"

struct pace {
	double rate;           /* wall seconds per virtual ms that the two below belong to; 0: off */
	int64_t wall, virtual; /* both clocks when it began */
};

/* The stamp of a line that is typed now; -1: pace is off. */
int64_t pace_stamp(struct pace *pace, const struct shell *shell);
/* Wall ns until the hosts' latest clock is reached; 0: it is, or pace is off. */
int64_t pace_left(struct pace *pace, const struct shell *shell);

#endif

/* best.h -- figures of another world that expressions speak of: `best(time)` is what the task's solution took
 *
 *     the solution's world      best(time) is evaluated, and kept: "time" 0-3: 8.6 ms
 *     the learner's             best(time) is looked up: expect time <= 1.05 * best(time) */
#ifndef RANKSH_SESSION_BEST_H
#define RANKSH_SESSION_BEST_H

#include "base/number.h"
#include <stdbool.h>

struct best_figure {
	char *what; /* as written; owned */
	int rank;   /* of which it is: a process has those of all */
	struct number number;
};
struct best {
	bool keeps; /* figures are of the world that runs, and kept; else they are looked up */
	struct best_figure *figure;
	size_t count;
};
void best_keep(struct best *best, const char *what, size_t length, int rank, struct number number);
/* False: there is none */
bool best_find(const struct best *best, const char *what, size_t length, int rank, struct number *number);
void best_release(struct best *best);

#endif

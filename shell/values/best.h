/* best.h -- figures of the world that a task's solution makes, for `best(time)`
 *
 *     the solution's world      best(time) is evaluated, and kept: "time" 0-3: 8.6 ms
 *     the learner's world       best(time) is looked up: expect time <= 1.05 * best(time) */
#ifndef RANKSH_SESSION_BEST_H
#define RANKSH_SESSION_BEST_H

#include "base/number.h"
#include <stdbool.h>

struct best_figure {
	char *what; /* the expression as written; owned */
	int rank;   /* every process has the figures of all ranks */
	struct number number;
};
struct best {
	bool keeps; /* true in the solution's world */
	struct best_figure *figure;
	size_t count;
};
void best_keep(struct best *best, const char *what, size_t length, int rank, struct number number);
/* Returns false if there is none. */
bool best_find(const struct best *best, const char *what, size_t length, int rank, struct number *number);
void best_release(struct best *best);

#endif

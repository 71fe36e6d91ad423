/* steering.h -- values from data and clocks that decided how a line goes on
 *
 *     let a = x[0]                          x[0]<tab>1.5
 *     if time > 2ms { spin $(norm(y))us }   time<tab>2400000      norm(y)<tab>3 3.5 3 3
 *                                           one value a rank, or one for all
 *
 * The log keeps them for replays (`undo`, `step back`, `restart`, --resume), in reading order. A
 * GPU's new value may differ: it is reported once and kept as well, `time<tab>2400000<tab>0`.
 * Values only shown (`expect`, `print`, read-only commands) are not kept. */
#ifndef RANKSH_SESSION_STEERING_H
#define RANKSH_SESSION_STEERING_H

#include "base/ranks.h"
#include "base/text.h"

struct steering {
	bool kept;           /* the line may become an entry */
	int looks;           /* above 0: values are only shown */
	int steps;           /* above 0: in a program step */
	struct text read;    /* values read by the line */
	struct text program; /* ... by program steps in this world; scripts have no log */
	bool again;          /* a replay, with */
	struct text then;    /* ... recorded values, */
	size_t at;           /* ... consumed to here */
	bool astray;         /* diverged: new values from here */
	int differ;          /* number of changed values */
	struct text told;    /* sentences on the first changes, one a line */
};

/* Starts a line; clears its values. */
void steering_line(struct steering *steering);
/* Starts a replay with recorded values `then`, until steering_over. Call before steering_line. */
void steering_again(struct steering *steering, const char *then);
/* Ends the line; its values stay until the next. */
void steering_over(struct steering *steering);
/* Records value[count], equally many for each rank in rank order. A replay replaces them by the
 * recorded values, returns true, and reports differences. what[length]: as written. */
bool steering_read(struct steering *steering, const char *what, size_t length, const struct ranks *set,
        double *value, size_t count);
/* The same without data: takes the next entry of that name, skipping others. False: none. */
bool steering_recall(struct steering *steering, const char *what, size_t length, double *value, size_t count);
/* Returns true if this was read next, so it was known then. */
bool steering_knows(const struct steering *steering, const char *what, size_t length);
/* Stores that value (one for all ranks) but does not consume it: saves a command's search. */
bool steering_then(const struct steering *steering, const char *what, size_t length, double *value);
void steering_release(struct steering *steering);

#endif

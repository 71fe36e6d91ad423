/* steering.h -- recorded inputs: values from data and clocks on which a line's effects depend
 *
 *     let a = x[0]                          x[0]<tab>1.5
 *     if time > 2ms { spin $(norm(y))us }   time<tab>2400000      norm(y)<tab>3 3.5 3 3
 *                                           one value a rank, or one for all
 *
 * The log keeps them in reading order for replays (`undo`, `step back`, `restart`, --resume). In a
 * replay on a GPU a value may differ: the new one is reported once, and kept after the recorded
 * one, `time<tab>2400000<tab>0`. Values that are only shown (`expect`, `print`, read-only
 * commands) are not kept. */
#ifndef RANKSH_SESSION_STEERING_H
#define RANKSH_SESSION_STEERING_H

#include "base/ranks.h"
#include "base/text.h"

struct steering {
	bool kept;           /* the line may become an entry */
	int looks;           /* above 0: values are only shown, not kept */
	int steps;           /* above 0: in a program step */
	struct text read;    /* values that the line has read */
	struct text program; /* values that program steps in this world have read */
	bool again;          /* in a replay */
	struct text then;    /* the replay's recorded values */
	size_t at;           /* bytes of `then` that were consumed */
	bool astray;         /* the replay reads other names: it uses new values from here on */
	int differ;          /* number of changed values */
	struct text told;    /* messages about the first changes, one a line */
};

/* Begins a line, without values. */
void steering_line(struct steering *steering);
/* Begins a replay with the recorded values `then`, until steering_over. Call it before
 * steering_line. */
void steering_again(struct steering *steering, const char *then);
/* Ends the line; its values stay until the next. */
void steering_over(struct steering *steering);
/* Records value[count], equally many for each rank, in rank order. In a replay it replaces them by
 * the recorded values, reports differences, and returns true. what[length]: the expression as
 * written */
bool steering_read(struct steering *steering, const char *what, size_t length, const struct ranks *set,
        double *value, size_t count);
/* Sets value[count] to the next recorded values of that name, skipping others. Returns false if
 * there are none. For worlds without data */
bool steering_recall(struct steering *steering, const char *what, size_t length, double *value, size_t count);
/* Returns true in a replay if the next recorded value has this name. */
bool steering_knows(const struct steering *steering, const char *what, size_t length);
/* The same; sets *value to it (one for all ranks) without consuming it. */
bool steering_then(const struct steering *steering, const char *what, size_t length, double *value);
void steering_release(struct steering *steering);

#endif

/* steering.h -- values from data and from clocks that decided how a line goes on
 *
 *     let a = x[0]                          x[0]<tab>1.5
 *     if time > 2ms { spin $(norm(y))us }   time<tab>2400000      norm(y)<tab>3 3.5 3 3     one a rank, or one for all
 *
 * They stand in the log beside the line. A line that runs again (`undo`, `step back`, `restart`, --resume) goes by them,
 * in the order in which it reads: on a GPU a value that is read again may be another one, which is reported once, and kept
 * beside it: `time<tab>2400000<tab>0`. What is only shown (`expect`, `print`, `say`, looks) decides nothing, and is not
 * kept. */
#ifndef RANKSH_SESSION_STEERING_H
#define RANKSH_SESSION_STEERING_H

#include "base/ranks.h"
#include "base/text.h"

struct steering {
	bool kept;           /* a line runs that may become an entry of the log */
	int looks;           /* above 0: what is read is only shown */
	int steps;           /* above 0: a step of the program runs */
	struct text read;    /* by the line so far */
	struct text program; /* by the program's steps since the world was empty: a script has no log */
	bool again;          /* the line runs again, */
	struct text then;    /* with what it read then, */
	size_t at;           /* from here on not read again yet */
	bool astray;         /* it reads something else than then: all that follows is read as it is now */
	int differ;          /* values that are not what they were */
	struct text told;    /* a sentence for each of the first of them, on a line of its own */
};

/* A line begins that may become an entry: nothing is read yet, and nothing is told. */
void steering_line(struct steering *steering);
/* The line at hand, or the program's steps, run again: they read what `then` says, as far as it goes. To be called before
 * steering_line; holds until steering_over. */
void steering_again(struct steering *steering, const char *then);
/* The line is over; what it has read stays until the next one begins. */
void steering_over(struct steering *steering);
/* A value has been read: value[count], the same number for each rank of the set, in the order of the ranks. It is kept; of
 * a line that runs again, `value` becomes what was read then, and where that is another one it is told. what[length]:
 * as written in the line. True: `value` is that of then. */
bool steering_read(struct steering *steering, const char *what, size_t length, const struct ranks *set,
        double *value, size_t count);
/* The same for a world without data: the value of then, of those behind the last one that was asked for the first of that
 * name. False: there is none. */
bool steering_recall(struct steering *steering, const char *what, size_t length, double *value, size_t count);
/* Of a line that runs again: was this read next then? What cannot be known now was known. */
bool steering_knows(const struct steering *steering, const char *what, size_t length);
/* ... and what it was, one value for all ranks. It is still to be read again: a command that found it at some expense finds nothing
 * anew. */
bool steering_then(const struct steering *steering, const char *what, size_t length, double *value);
void steering_release(struct steering *steering);

#endif

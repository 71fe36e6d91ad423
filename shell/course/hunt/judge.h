/* judge.h -- a program run in a sandbox (sandbox/), and compared with the right program
 *
 *     begin     setup                 where the parameters begin
 *     whole     setup, 2 iterations   end: parameters, races, time, memory, the lines that ran
 *     changed   setup, 2 iterations   end: the same, compared with `whole`
 *
 * A script without an iteration runs to its end. If no `part` line names what is trained, all
 * tensors are compared. Numbers are measured as `verify` does: their distance relative to the
 * change by training. */
#ifndef RANKSH_HUNT_JUDGE_H
#define RANKSH_HUNT_JUDGE_H

#include "shell/training/program.h"

enum judged_end { JUDGED_WHOLE, JUDGED_REFUSED, JUDGED_OVER, JUDGED_STUCK };
/* The final values of a rank by name, as f32 */
struct held_values {
	char *name; /* owned, as are the values */
	float *value;
	int64_t count;
};
struct held_by {
	struct held_values *held;
	size_t count;
};
/* ran[line]: the line of the file was executed */
struct lines_ran {
	char *file;
	bool *ran;
	size_t lines;
};
struct judged {
	enum judged_end end;
	struct text words; /* why it did not finish */
	int64_t time_ns, peak, steps;
	size_t races; /* and uninitialized reads */
	int failed;   /* number of `expect`s that were false */
	bool half;    /* it computes in another type than f32 */
	struct held_by *rank;
	int n;
	struct lines_ran *file;
	size_t files;
};
/* Runs the program on one process. iterations 0: its setup alone. steps_most 0: no limit.
 * Fails with ST_INTERRUPTED. */
enum status judge_play(struct judged *judged, const struct program *program, int iterations,
        int64_t steps_most, struct shell *of);
void judged_release(struct judged *judged);
bool judged_ran(const struct judged *judged, const char *file, int line);

/* Time and memory may grow by this factor: an event in place of a wait for a stream costs one more
 * launch. */
#define JUDGED_MORE 1.03
/* How a program that finished differs from the right one */
struct likeness {
	/* of the numbers, relative to the change by training; INFINITY: not a number, or the
	 * name is missing */
	double off;
	const char *worst;   /* the name with this difference; borrowed from the right program */
	double time, memory; /* as multiples of the right program's */
	size_t races;        /* additional races */
	int failed;
};
struct likeness judged_compare(
        const struct judged *whole, const struct judged *begin, const struct judged *other);
/* Returns the level of the bug: 1 it hangs or its numbers are clearly wrong; 2 they are
 * slightly wrong or there are races; 3 it is slower or takes more memory; 0 it is refused, or
 * nothing is certain. */
int judged_level(const struct judged *whole, const struct judged *begin, const struct judged *other);
/* Returns the difference up to which numbers count as equal: more than rounding causes. */
double judged_limit(const struct judged *whole);
/* Returns true if numbers, races, end, time and memory equal those of the right program. */
bool judged_right(const struct judged *whole, const struct judged *begin, const struct judged *other);

#endif

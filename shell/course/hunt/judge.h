/* judge.h -- a program played in a sandbox (sandbox/), and how it compares with the one without a wrong line
 *
 *     whole     setup, 2 iterations   end: parameters, races, time, memory, the lines that ran     and its setup alone: where parameters begin
 *     changed   setup, 2 iterations   end: the same     beside it: what can be told of the change
 *
 * A script without an iteration runs to its end; where no `part` line says what is trained, all tensors are compared.
 * The measure of numbers is verify's: how far they are away, beside what training has changed. */
#ifndef RANKSH_HUNT_JUDGE_H
#define RANKSH_HUNT_JUDGE_H

#include "shell/training/program.h"

enum judged_end { JUDGED_WHOLE, JUDGED_REFUSED, JUDGED_OVER, JUDGED_STUCK };
/* What a rank has in the end, by name: f32 */
struct held_values {
	char *name; /* owned, as the values */
	float *value;
	int64_t count;
};
struct held_by {
	struct held_values *held;
	size_t count;
};
/* The lines of a file that did anything: ran[line] */
struct lines_ran {
	char *file;
	bool *ran;
	size_t lines;
};
struct judged {
	enum judged_end end;
	struct text words; /* why it did not come to its end */
	int64_t time_ns, peak, steps;
	size_t races; /* and reads of what nobody has written */
	int failed;   /* `expect`s that were false */
	bool half;    /* it computes in a half type */
	struct held_by *rank;
	int n;
	struct lines_ran *file;
	size_t files;
};
/* iterations 0: the setup alone. steps_most 0: as many as it takes. By one process; ST_INTERRUPTED. */
enum status judge_play(struct judged *judged, const struct program *program, int iterations,
        int64_t steps_most, struct shell *of);
void judged_release(struct judged *judged);
bool judged_ran(const struct judged *judged, const char *file, int line);

/* So much more time or memory is still right: an event in the place of a wait for a stream costs a launch more */
#define JUDGED_MORE 1.03
/* How one that came to its end is otherwise than the whole program */
struct likeness {
	double off; /* numbers: as a part of what training has changed; INFINITY: no numbers, or none of that name */
	const char *worst;   /* whose; of the whole's */
	double time, memory; /* as multiples of the whole's */
	size_t races;        /* more than there are */
	int failed;
};
struct likeness judged_compare(
        const struct judged *whole, const struct judged *begin, const struct judged *other);
/* 1: it hangs, or its numbers are wrong at once; 2: they are a little wrong, or there are races; 3: slower, or more memory; 0: nothing
 * that can be told for sure, or it does not run. */
int judged_level(const struct judged *whole, const struct judged *begin, const struct judged *other);
/* As far as that numbers are still those of the whole program: beyond what rounding does */
double judged_limit(const struct judged *whole);
/* Numbers, races, stuck, time and memory are those of the whole program. */
bool judged_right(const struct judged *whole, const struct judged *begin, const struct judged *other);

#endif

/* judge.h -- runs a program in a sandbox (sandbox/) and compares it with the right program
 *
 *     begin     setup                 initial parameters
 *     whole     setup, 2 iterations   end: parameters, races, time, memory, the lines that ran
 *     changed   setup, 2 iterations   end: the same, compared with `whole`
 *
 * Scripts without an iteration run to their end. Without `part` lines, all tensors are
 * compared. */
#ifndef RANKSH_HUNT_JUDGE_H
#define RANKSH_HUNT_JUDGE_H

#include "shell/training/program.h"

enum judged_end { JUDGED_WHOLE, JUDGED_REFUSED, JUDGED_OVER, JUDGED_STUCK };
/* One tensor's final values on one rank, as f32 */
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
	size_t races; /* races and uninitialized reads */
	int failed;   /* number of false `expect`s */
	bool half;    /* it computes in a type other than f32 */
	struct held_by *rank;
	int n;
	struct lines_ran *file;
	size_t files;
};
/* Rank 0 only. Runs the program in one process. iterations 0: the setup only. steps_most 0: no
 * limit. Release *judged. Fails with ST_INTERRUPTED. */
enum status judge_play(struct judged *judged, const struct program *program, int iterations,
        int64_t steps_most, struct shell *of);
void judged_release(struct judged *judged);
bool judged_ran(const struct judged *judged, const char *file, int line);

/* The right program's results after 2 iterations and after setup; the step limit for changed
 * ones */
struct standard {
	struct judged whole, begin;
	int64_t steps_most;
};
/* Rank 0 only. Fails with the reason if the program does not finish. */
enum status standard_play(struct standard *standard, const struct program *whole, struct shell *of);
void standard_release(struct standard *standard);

/* Allowed growth in time and memory: an event in place of a stream wait costs one more launch */
#define JUDGED_MORE 1.03
/* How a program that finished differs from the right one */
struct likeness {
	/* relative to the change by training, as in `verify`; INFINITY: not finite, or missing */
	double off;
	const char *worst;   /* tensor with this difference; borrowed from the right program */
	double time, memory; /* as multiples of the right program's */
	size_t races;        /* additional races */
	int failed;
};
struct likeness judged_compare(const struct standard *standard, const struct judged *other);
/* Returns the bug's level. 1: it hangs, or numbers are clearly wrong; 2: slightly wrong numbers,
 * or races; 3: slower, or more memory; 0: it is refused, or no difference is certain. */
int judged_level(const struct standard *standard, const struct judged *other);
/* Returns the largest difference that rounding explains. */
double judged_limit(const struct judged *whole);
/* Returns true if the program finishes, and neither numbers, races, time nor memory are worse. */
bool judged_right(const struct standard *standard, const struct judged *other);

#endif

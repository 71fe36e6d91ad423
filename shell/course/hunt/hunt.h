/* hunt.h -- a program with a bug in one line, which the learner finds and fixes
 *
 *     hunt ddp 2     program -> its changes -> an observable one -> the session's program
 *     run 2; races   ... which runs like any other
 *     fix 31 LINE    another text for line 31 -> is it right again? -> the session's program
 *
 * The program owns its hunt (struct hunted), so `undo` restores both together. The chosen change
 * and a fix's verdict are logged with the line, as values that it read (session/steering.h).
 * An umbrella header. */
#ifndef RANKSH_HUNT_H
#define RANKSH_HUNT_H

#include "shell/course/hunt/changes.h"
#include "shell/sandbox/sandbox.h"
#include "shell/training/choose.h"
#include "shell/training/program.h"
#include "shell/training/training.h"

enum { HUNT_LEVELS = 3 };
struct hunt_asked {
	/* a built-in strategy with options, or a script's path */
	struct choice *strategy;
	long level;  /* 1 to HUNT_LEVELS; 0: not given */
	long seed;   /* -1: not given */
	long change; /* number of the change to plant; 0: search */
};
/* Loads a program with a bug into an empty world. Text, level and seed determine the bug. */
enum status hunt_begin(struct shell *shell, const struct hunt_asked *asked);
/* Prints every observable change with its number, for instructors. */
enum status hunt_list(struct shell *shell, const struct hunt_asked *asked);
enum status hunt_show(struct shell *shell);
enum status hunt_give_up(struct shell *shell);
/* words: "31 wait comm on compute". Judges the program with this line, reports the result, and
 * loads the program if it ends. */
enum status hunt_fix(struct shell *shell, const char *words, size_t count);

/* ---- judge.c: runs a program in a sandbox and compares it with the right program
 *
 *     begin     setup                 initial parameters
 *     whole     setup, 2 iterations   end: parameters, races, time, memory, the lines that ran
 *     changed   setup, 2 iterations   end: the same, compared with `whole`
 *
 * Scripts without an iteration run to their end. Without `part` lines, all tensors are
 * compared. */

enum judged_end { JUDGED_WHOLE, JUDGED_REFUSED, JUDGED_OVER, JUDGED_STUCK };
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
	size_t races;           /* races and uninitialized reads */
	int failed;             /* number of false `expect`s */
	bool half;              /* it computes in a type other than f32 */
	struct kept_world kept; /* the final values, as f32 */
	struct lines_ran *file;
	size_t files;
};
/* Rank 0 only. Runs the program in one process. iterations 0: the setup only. steps_most 0: no
 * limit. Release *judged. Fails with ST_INTERRUPTED. */
enum status judge_play(struct judged *judged, const struct program *program, int iterations,
        int64_t steps_most, struct shell *of);
void judged_release(struct judged *judged);
bool judged_ran(const struct judged *judged, const char *file, int line);

/* The right program's results after 2 iterations and after setup */
struct standard {
	struct judged whole, begin;
	int64_t steps_most; /* for changed programs */
};
/* Rank 0 only. Fails with the reason if the program does not finish. */
enum status standard_play(struct standard *standard, const struct program *whole, struct shell *of);
void standard_release(struct standard *standard);

/* Allowed growth in time and memory: an event in place of a stream wait costs one more launch */
#define JUDGED_MORE 1.03
/* How a finished program differs from the right one */
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

/* ---- mutants.c */

enum { HUNT_FILES = 16 };
/* A program's mutants: the program with one change each. The first `own` files are its main file
 * and the parts that this sources; the others are parts that the model sources. Change `i` lies in
 * file file_of[i]. */
struct mutants {
	struct program *whole; /* owned */
	const struct player_file *file[HUNT_FILES];
	int files, own;
	struct changed_lines changes;
	int *file_of;
};
/* Loads the program. Fails with ST_NAME or ST_FILE, or with the program's error. */
enum status mutants_open(struct mutants *mutants, struct shell *shell, const struct hunt_asked *asked);
/* Lists a loaded program's files and changes; takes a reference to it. */
void mutants_of(struct mutants *mutants, struct program *whole);
void mutants_close(struct mutants *mutants);
/* Returns the program with that change (from 0), for the caller to release. */
struct program *mutants_program(const struct mutants *mutants, size_t change, struct names *names);

/* search.c. Rank 0 only. Finds an observable change at the level, in the seed's order. Fails with
 * ST_NAME if there is none. */
enum status mutants_choose(
        const struct mutants *mutants, struct shell *shell, long level, long seed, long *change);
/* Rank 0 only. Adds a line for each observable change. */
enum status mutants_list(const struct mutants *mutants, struct shell *shell, struct text *out);

/* hunt.c. In a replay sets *value to the logged value and returns true. Else returns false, and
 * rank 0 has to find the value. */
bool hunt_found_before(struct shell *shell, const char *what, double *value);
/* Logs a found value with the line. */
void hunt_keep_found(struct shell *shell, const char *what, double *value);
/* Returns the session's program if it is hunted; else NULL, with ST_ARGUMENT set. */
const struct program *hunted_program(const struct shell *shell);
void hunt_say_wrong(struct shell *shell, const struct hunted *hunted);

#endif

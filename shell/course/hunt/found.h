/* found.h -- private to hunt/: the program's files and changes, and rank 0's results.
 *
 * An umbrella header. */
#ifndef RANKSH_HUNT_FOUND_H
#define RANKSH_HUNT_FOUND_H

#include "shell/course/hunt/changes.h"
#include "shell/course/hunt/hunt.h"
#include "shell/course/hunt/judge.h"
#include "shell/training/training.h"

enum { HUNT_FILES = 16 };
/* A program's changes. The first `own` files are its main file and the parts that this sources;
 * the others are parts that the model sources. Change `i` lies in file file_of[i]. */
struct quarry {
	struct program *whole; /* owned */
	const struct player_file *file[HUNT_FILES];
	int files, own;
	struct changed_lines changes;
	int *file_of;
};
/* Loads the program. Fails with ST_NAME or ST_FILE, or with the program's error. */
enum status quarry_open(struct quarry *quarry, struct shell *shell, const struct hunt_asked *asked);
/* Lists a loaded program's files and changes; takes a reference to it. */
void quarry_of(struct quarry *quarry, struct program *whole);
void quarry_close(struct quarry *quarry);
/* Returns the program with that change (from 0), for the caller to release. */
struct program *quarry_changed(const struct quarry *quarry, size_t change, struct names *names);

/* The right program's results after 2 iterations and after setup; the step limit for changed
 * ones */
struct standard {
	struct judged whole, begin;
	int64_t steps_most;
};
/* Rank 0 only. Fails with the reason if the program does not finish. */
enum status standard_play(struct standard *standard, const struct program *whole, struct shell *of);
void standard_release(struct standard *standard);

/* search.c. Rank 0 only. Finds an observable change at the level, in the seed's order. *change:
 * its number, from 1. ST_NAME: none */
enum status quarry_choose(
        const struct quarry *quarry, struct shell *shell, long level, long seed, long *change);
/* Rank 0 only. Adds a line for each observable change. */
enum status quarry_list(const struct quarry *quarry, struct shell *shell, struct text *out);

/* hunt.c. Returns true and the logged value on replay; else false, and rank 0 finds it. */
bool hunt_found_before(struct shell *shell, const char *what, double *value);
/* Logs a found value with the line. */
void hunt_keep_found(struct shell *shell, const char *what, double *value);
/* Returns the session's program if it is hunted; else NULL, with ST_ARGUMENT set. */
const struct program *hunted_program(const struct shell *shell);
/* Prints the wrong line's number and the lines that mend it. */
void hunt_say_wrong(struct shell *shell, const struct hunted *hunted);

#endif

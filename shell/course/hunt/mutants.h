/* mutants.h -- private to hunt/: the program's files and changes, and rank 0's results.
 *
 * An umbrella header: it brings along what it includes. */
#ifndef RANKSH_HUNT_MUTANTS_H
#define RANKSH_HUNT_MUTANTS_H

#include "shell/course/hunt/changes.h"
#include "shell/course/hunt/hunt.h"
#include "shell/course/hunt/judge.h"
#include "shell/training/training.h"

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

/* search.c. Rank 0 only. Finds an observable change at the level, in the seed's order; ST_NAME:
 * none. */
enum status mutants_choose(
        const struct mutants *mutants, struct shell *shell, long level, long seed, long *change);
/* Rank 0 only. Adds a line for each observable change. */
enum status mutants_list(const struct mutants *mutants, struct shell *shell, struct text *out);

/* hunt.c. Returns true and the logged value on replay; else false, and rank 0 finds it. */
bool hunt_found_before(struct shell *shell, const char *what, double *value);
/* Logs a found value with the line. */
void hunt_keep_found(struct shell *shell, const char *what, double *value);
/* Returns the session's program if it is hunted; else NULL, with ST_ARGUMENT set. */
const struct program *hunted_program(const struct shell *shell);
/* Prints the wrong line's number and the lines that mend it. */
void hunt_say_wrong(struct shell *shell, const struct hunted *hunted);

#endif

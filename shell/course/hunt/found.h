/* found.h -- private to hunt/: the program's files and their changes, the right program as the
 * standard, and values that rank 0 finds for all. An umbrella header: it brings along what it
 * includes. */
#ifndef RANKSH_HUNT_FOUND_H
#define RANKSH_HUNT_FOUND_H

#include "shell/course/hunt/changes.h"
#include "shell/course/hunt/hunt.h"
#include "shell/course/hunt/judge.h"
#include "shell/training/training.h"

enum { HUNT_FILES = 16 };
/* A program's changes. The first `own` files are its own: its main file and the parts that this
 * file sources. The others are parts that the model sources. Change `i` lies in file
 * file_of[i]. */
struct quarry {
	struct program *whole; /* owned */
	const struct player_file *file[HUNT_FILES];
	int files, own;
	struct changed_lines changes;
	int *file_of;
};
/* Loads the program. Fails with ST_NAME or ST_FILE if it does not exist, and with the reason if it
 * does not run. */
enum status quarry_open(struct quarry *quarry, struct shell *shell, const struct hunt_asked *asked);
/* Lists a loaded program's files and changes; takes a reference to it. */
void quarry_of(struct quarry *quarry, struct program *whole);
void quarry_close(struct quarry *quarry);
/* Returns the program with that change (from 0), for the caller to release. */
struct program *quarry_changed(const struct quarry *quarry, size_t change, struct names *names);

/* The right program's results: after two iterations and after the setup. A changed program may
 * take steps_most steps. */
struct standard {
	struct judged whole, begin;
	int64_t steps_most;
};
/* Rank 0 only. Fails with the reason if the program does not finish. */
enum status standard_play(struct standard *standard, const struct program *whole, struct shell *of);
void standard_release(struct standard *standard);

/* search.c. Rank 0 only. Finds an observable change at the level, in an order given by the seed.
 * Fails with ST_NAME if none is found. */
enum status quarry_choose(
        const struct quarry *quarry, struct shell *shell, long level, long seed, long *change);
/* Rank 0 only. Adds a line for each observable change. */
enum status quarry_list(const struct quarry *quarry, struct shell *shell, struct text *out);

/* hunt.c. Returns true and the logged value if the line is replayed; false if rank 0 has to find
 * it. */
bool hunt_found_before(struct shell *shell, const char *what, double *value);
/* Logs a found value with the line. */
void hunt_keep_found(struct shell *shell, const char *what, double *value);
/* Returns the session's program if it is hunted. Returns NULL and sets ST_ARGUMENT if no hunt is
 * open. */
const struct program *hunted_program(const struct shell *shell);
/* Prints the wrong line's number and the lines that mend it. */
void hunt_say_wrong(struct shell *shell, const struct hunted *hunted);

#endif

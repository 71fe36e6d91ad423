/* found.h -- private to hunt/: a program's files that a change may be in, and the changes of all of them by number; what rank 0
 * finds. An umbrella header: it brings along what it includes. */
#ifndef RANKSH_HUNT_FOUND_H
#define RANKSH_HUNT_FOUND_H

#include "shell/course/hunt/changes.h"
#include "shell/course/hunt/hunt.h"
#include "shell/course/hunt/judge.h"
#include "shell/training/training.h"

enum { HUNT_FILES = 16 };
/* The whole program, and what may be changed of it: its own file, the parts that it sources, and behind `own` files those of the
 * model. Change `i` of all is of file file_of[i]. */
struct quarry {
	struct program *whole; /* owned */
	const struct player_file *file[HUNT_FILES];
	int files, own;
	struct changed_lines changes;
	int *file_of;
};
/* ST_NAME, ST_FILE ...: there is no such program, or it does not fit */
enum status quarry_open(struct quarry *quarry, struct shell *shell, const struct hunt_asked *asked);
/* Of a program that is there; a use of it is taken. */
void quarry_of(struct quarry *quarry, struct program *whole);
void quarry_close(struct quarry *quarry);
/* The whole program with that change, from 0 */
struct program *quarry_changed(const struct quarry *quarry, size_t change, struct names *names);

/* The whole program as it is played, and the steps that a changed one may take */
struct standard {
	struct judged whole, begin;
	int64_t steps_most;
};
/* By rank 0. Refused, where it does not come to its end. */
enum status standard_play(struct standard *standard, const struct program *whole, struct shell *of);
void standard_release(struct standard *standard);

/* search.c. By rank 0: a change of the level that can be told, in an order that the seed gives; ST_NAME: there is none. */
enum status quarry_choose(
        const struct quarry *quarry, struct shell *shell, long level, long seed, long *change);
/* By rank 0: all that can be told, a line each */
enum status quarry_list(const struct quarry *quarry, struct shell *shell, struct text *out);

/* hunt.c. What was found before, of a line that runs again; else false, and rank 0 finds it. */
bool hunt_found_before(struct shell *shell, const char *what, double *value);
/* A value that decides how the session goes on: kept beside the line */
void hunt_keep_found(struct shell *shell, const char *what, double *value);
/* The session's, if it is hunted; NULL, worded: no hunt is open */
const struct program *hunted_program(const struct shell *shell);
/* Which line was made wrong, and what mends it */
void hunt_say_wrong(struct shell *shell, const struct hunted *hunted);

#endif

/* chosen.h -- the files of one program while it is put together (choose.c), and held to each other (places.c) */
#ifndef RANKSH_CHOSEN_H
#define RANKSH_CHOSEN_H

#include "shell/language/parse/rows.h"
#include "shell/training/head.h"

enum { FILES_MAX = PARTS_MAX + 1 };
struct chosen {
	struct player_file file[FILES_MAX]; /* the model's, then the strategies' */
	struct head head[FILES_MAX];
	char what[FILES_MAX][80];
	int files;
};

/* ST_ARGUMENT, ST_NAME with file and line: a def with another number of words than the place that it
 * replaces, one whose name is nearly a place's, an option of a name that the model has. */
enum status chosen_fit(const struct chosen *chosen);

#endif

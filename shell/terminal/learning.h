/* learning.h -- what is kept of a learner from session to session, and shown to a class
 *
 * Rank 0 says what was done (docs/wire.md, "learned"). Which tasks are solved stands in $XDG_STATE_HOME/ranksh/progress, "solved 4.2
 * TIME" lines that are appended. With --class all of it goes into the class's folder too (shell/course/class/class_file.h), and solved is what
 * this learner's sessions there say. A file that cannot be written is said once; the lessons go on. */
#ifndef RANKSH_LEARNING_H
#define RANKSH_LEARNING_H

#include "shell/course/class/class_file.h"
#include "shell/session/options.h"

struct learning {
	const char *folder; /* of the class; NULL: there is none */
	struct text name;   /* in it */
	struct text solved; /* "1.1 4.2 " */
	int progress;       /* a descriptor; -1: not kept */
	struct class_file file;
	struct text typed; /* lines since the last check, or since the task was opened */
	int lines;
};

/* The folder of a class that the command line names, and the learner's name, can be used. ST_FILE, ST_ARGUMENT: not */
enum status learning_check(const struct options *options);
/* state: the folder of the journals. Adds to `told` what the learner is to know: lines. */
void learning_open(
        struct learning *learning, const struct options *options, const char *state, struct text *told);
/* A line was typed, and this was learned by it (a reply's). ST_FILE, once: a file cannot be written. */
enum status learning_line(struct learning *learning, const char *line, const char *learned);
void learning_close(struct learning *learning);

#endif

/* learning.h -- a learner's record that outlives the session, in the front end
 *
 * Solved tasks are appended to $XDG_STATE_HOME/ranksh/progress as "solved 4.2 TIME". With --class,
 * all events also go to the class's folder (roll.h), and the solved tasks are those of the
 * learner's sessions there. A write error is reported once; lessons continue. */
#ifndef RANKSH_LEARNING_H
#define RANKSH_LEARNING_H

#include "base/text.h"
#include "shell/session/options.h"

struct learning;

/* Checks --class and --as. Fails with ST_FILE for the folder, ST_ARGUMENT for the name. */
enum status learning_check(const struct options *options);
/* The functions of struct course (shell/session/course.h) */
struct learning *learning_open(const struct options *options, const char *state, struct text *told);
enum status learning_line(struct learning *learning, const char *line, const char *events);
const char *learning_solved(const struct learning *learning);
const char *learning_name(const struct learning *learning);
void learning_close(struct learning *learning);

#endif

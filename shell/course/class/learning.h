/* learning.h -- what is kept of a learner from session to session, and shown to a class
 *
 * Rank 0 says what was done (docs/wire.md, "learned"). Which tasks are solved stands in $XDG_STATE_HOME/ranksh/progress, "solved 4.2
 * TIME" lines that are appended. With --class all of it goes into the class's folder too (shell/course/class/class_file.h), and solved is what
 * this learner's sessions there say. A file that cannot be written is said once; the lessons go on. */
#ifndef RANKSH_LEARNING_H
#define RANKSH_LEARNING_H

#include "base/text.h"
#include "shell/session/options.h"

struct learning;

/* The folder of a class that the command line names, and the learner's name, can be used. ST_FILE, ST_ARGUMENT: not */
enum status learning_check(const struct options *options);
/* As struct course has them (shell/session/course.h) */
struct learning *learning_open(const struct options *options, const char *state, struct text *told);
enum status learning_line(struct learning *learning, const char *line, const char *events);
const char *learning_solved(const struct learning *learning);
const char *learning_name(const struct learning *learning);
void learning_close(struct learning *learning);

#endif

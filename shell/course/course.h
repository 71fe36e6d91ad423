/* course.h -- the course for main.c */
#ifndef RANKSH_COURSE_H
#define RANKSH_COURSE_H

#include "shell/session/course.h"

extern const struct course course_functions;

/* `ranksh --overview DIR`: shows the board until q or Ctrl-C, or prints it once, or as CSV. Starts
 * no ranks, writes no file. Returns the exit status: 2 for a bad folder or terminal, 4 if printing
 * fails. */
int overview_run(const struct options *options);

#endif

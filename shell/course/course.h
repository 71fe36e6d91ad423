/* course.h -- the functions by which the shell below reaches lessons and classes */
#ifndef RANKSH_COURSE_H
#define RANKSH_COURSE_H

#include "shell/session/course.h"

extern const struct course course_functions;

#endif

/* course.h -- the functions through which the rest of the shell reaches lessons and classes */
#ifndef RANKSH_COURSE_H
#define RANKSH_COURSE_H

#include "shell/session/course.h"

extern const struct course course_functions;

#endif

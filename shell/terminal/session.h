/* session.h -- the front end: owns the terminal, starts the job, outlives it */
#ifndef RANKSH_SESSION_H
#define RANKSH_SESSION_H

#include "shell/session/course.h"
#include "shell/session/options.h"

/* Runs the prompt until the user leaves. Returns the exit status. */
int session_run(const struct options *options, const struct course *course);

#endif

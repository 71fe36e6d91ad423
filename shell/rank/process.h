/* process.h -- one process: a rank under mpirun, or the only one (--dry, -n 1) */
#ifndef RANKSH_PROCESS_H
#define RANKSH_PROCESS_H

#include "shell/session/course.h"
#include "shell/session/options.h"
#include <stdbool.h>

/* Exit status without memory: the front end restarts the ranks. Without a front end it is 4. */
enum { EXIT_NO_MEMORY = 5 };

/* Runs the process and returns its exit status. mpi: started by mpirun or srun */
int process_run(struct options *options, const struct course *course, bool mpi, int argc, char **argv);

#endif

/* process.h -- one process of a job: a rank under mpirun, or the only process (--dry, -n 1) */
#ifndef RANKSH_PROCESS_H
#define RANKSH_PROCESS_H

#include "shell/session/course.h"
#include "shell/session/options.h"
#include <stdbool.h>

/* The exit status of a process that found no memory while a front end was there, which then starts the ranks
 * again. Without one it is 4, as of every job that died. */
enum { EXIT_NO_MEMORY = 5 };

/* From moving the descriptors to leaving; the exit status. mpi: started by mpirun or srun. */
int process_run(struct options *options, const struct course *course, bool mpi, int argc, char **argv);

#endif

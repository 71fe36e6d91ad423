/* process.h -- one process: a rank under mpirun, or the only one (--dry, -n 1) */
#ifndef RANKSH_PROCESS_H
#define RANKSH_PROCESS_H

#include "shell/session/course.h"
#include "shell/session/options.h"
#include <stdbool.h>

/* Exit status without memory: the front end restarts the ranks. Without a front end it is 4. */
enum { EXIT_NO_MEMORY = 5 };

/* Compares the version of a rank with that of the front end that started it (RANKSH_FRONT_END:
 * its version and host), before the options are read, which another version may not have. Fails
 * with ST_ARGUMENT and the host's name. */
enum status process_version(void);
/* Runs the process and returns its exit status. mpi: started by mpirun or srun */
int process_run(struct options *options, const struct course *course, bool mpi, int argc, char **argv);

#endif

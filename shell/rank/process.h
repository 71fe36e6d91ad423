/* process.h -- one process of a job: a rank under mpirun, or the only process (--dry, -n 1) */
#ifndef RANKSH_PROCESS_H
#define RANKSH_PROCESS_H

#include "shell/rank/options.h"
#include <stdbool.h>

/* From moving the descriptors to leaving; the exit status. mpi: started by mpirun or srun. */
int process_run(const struct options *options, bool mpi, int argc, char **argv);

#endif

/* ask.h -- what an mpirun and the loader answer to a child of this process */
#ifndef RANKSH_MPI_ASK_H
#define RANKSH_MPI_ASK_H

#include <stdbool.h>
#include <stddef.h>

/* Runs `mpirun --version`. Sets `name` to "Open MPI 4.1.4", and returns true; or to "MPICH",
 * "Intel MPI" or "another MPI", and returns false. */
bool mpirun_name(const char *mpirun, char *name, size_t room);
/* Returns whether the loader finds a library of this name, and its path. The child loads it,
 * because a library cannot always be unloaded. */
bool ask_loader(const char *name, char *path, size_t room);

#endif

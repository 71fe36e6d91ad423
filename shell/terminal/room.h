/* room.h -- system limits and disk space for mpirun, checked before it starts */
#ifndef RANKSH_ROOM_H
#define RANKSH_ROOM_H

#include "base/status.h"

/* Returns Open MPI's folder for files of running jobs. */
const char *room_folder(void);
/* Fails with ST_FILE if a process limit or that folder's space is too small for n ranks. */
enum status room_for_mpirun(int n);

#endif

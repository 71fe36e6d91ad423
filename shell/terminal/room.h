/* room.h -- what mpirun needs of this computer before it is started */
#ifndef RANKSH_ROOM_H
#define RANKSH_ROOM_H

#include "base/status.h"

/* The folder in which Open MPI keeps what a job has while it runs */
const char *room_folder(void);
/* ST_FILE in words: a limit of this process or the room in that folder is too small for an mpirun of n ranks, which would end with words
 * of its own alone or wait for ever. */
enum status room_for_mpirun(int n);

#endif

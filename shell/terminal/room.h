/* room.h -- limits and disk space for mpirun; a folder for a job's shared memory, so that a killed
 * job's files can be removed
 *
 *     /dev/shm/ranksh.UID.XXXXXX/vader_segment.*     one folder for each job, locked by its front end
 *
 * A folder of this user without a lock belongs to a dead front end, or was just created. */
#ifndef RANKSH_ROOM_H
#define RANKSH_ROOM_H

#include "base/status.h"

/* Raises the soft limit on open files if n ranks need more. Fails with ST_FILE if the hard limit,
 * the limit on file sizes, or the space in Open MPI's folder is too small. */
enum status room_for_mpirun(int n);

struct segments {
	char path[64]; /* "": none */
	int lock;      /* descriptor of the folder; -1: none */
};
/* Removes dead front ends' folders, creates one, and passes it to the local ranks
 * (RANKSH_SEGMENTS, for mpi/transport.c). Creates none if the user's settings name a folder. If
 * the creation fails, the segments are directly in /dev/shm. */
void segments_open(struct segments *segments);
/* Deletes the files and the folder, and closes the lock. */
void segments_close(struct segments *segments);

#endif

/* room.h -- limits and disk space for mpirun; a folder for a job's shared memory, so that a killed
 * job's files can be removed
 *
 *     /dev/shm/ranksh.UID.XXXXXX/vader_segment.*     one for each job, locked by its front end
 *
 * A folder of this user without a lock belongs to a dead front end. */
#ifndef RANKSH_ROOM_H
#define RANKSH_ROOM_H

#include "base/status.h"

/* Fails with ST_FILE if a limit or the space in Open MPI's folder is too small for n ranks. */
enum status room_for_mpirun(int n);

struct segments {
	char path[64]; /* "": none */
	int lock;
};
/* Removes dead front ends' folders, creates one, and passes it to the local ranks
 * (RANKSH_SEGMENTS, for mpi/transport.c). Creates none if the user's settings name a folder. If
 * the creation fails, the segments are directly in /dev/shm. */
void segments_open(struct segments *segments);
void segments_close(struct segments *segments);

#endif

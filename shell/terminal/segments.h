/* segments.h -- a folder for the shared memory of a job's ranks, so that what a killed job leaves can be removed
 *
 *     /dev/shm/ranksh.UID.XXXXXX/vader_segment.*     a folder a job; the front end holds a lock on it while it lives
 *
 * A folder of this user on which nobody holds the lock is one of a dead front end. Other MPI jobs have theirs elsewhere. */
#ifndef RANKSH_SEGMENTS_H
#define RANKSH_SEGMENTS_H

struct segments {
	char path[64]; /* "": there is none */
	int lock;
};

/* Removes the folders of dead front ends, makes one, and hands it to the ranks of this host in the environment (RANKSH_SEGMENTS; they
 * give it to Open MPI: mpi/transport.c). None is made if a setting of the user's names a folder, or where it cannot be: the segments lie
 * in /dev/shm then. */
void segments_open(struct segments *segments);
/* The job is over: the folder goes, with what is in it. */
void segments_close(struct segments *segments);

#endif

/* room.h -- what mpirun and n ranks need: limits, disk space, memory; a folder for a job's shared
 * memory, so that a killed job's files can be removed
 *
 *     /dev/shm/ranksh.UID.XXXXXX/vader_segment.*     one folder for each job, locked by its front end
 *
 * A folder of this user without a lock belongs to a dead front end, or was just created. */
#ifndef RANKSH_ROOM_H
#define RANKSH_ROOM_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Without the first ones no session starts. With less shared memory than NEED_SHARED, messages go
 * by TCP; with less memory than NEED_MEMORY the ranks may be killed. */
enum need_kind {
	NEED_FILES,
	NEED_TASKS, /* processes and threads, in addition to those that run */
	NEED_FILE_SIZE,
	NEED_ADDRESSES,
	NEED_DATA,
	NEED_STACK,
	NEED_FOLDER,  /* free bytes in mpirun's folder */
	NEED_NETWORK, /* interfaces that are up */
	NEEDS_VITAL,
	NEED_SHARED = NEEDS_VITAL,
	NEED_MEMORY
};
struct need {
	int64_t wanted, there; /* bytes, or a count; INT64_MAX: no limit */
	bool bytes;
	char type[256]; /* a line for the user's shell that helps; "": none */
};

/* Measures one need of n ranks, and raises a soft limit that is too low. version: Open MPI's major
 * version. Fails with ST_FILE or ST_MEMORY if there is less than wanted; the message says what to
 * do. */
enum status room_need(enum need_kind kind, int n, int version, struct need *need);
/* Fails with ST_FILE if a vital need of n ranks is not met. */
enum status room_for_mpirun(int n, int version);

/* Returns the folder that mpirun uses, and the variable that names it; NULL: none does. */
const char *room_folder(const char **variable);
/* Returns the folder for shared memory. */
const char *room_shared(void);
/* Returns the free bytes of a folder, INT64_MAX if unknown; -1 with errno if this user cannot
 * write there. */
int64_t room_free(const char *folder);

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

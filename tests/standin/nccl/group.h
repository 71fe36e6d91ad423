/* group.h -- what a thread has called between ncclGroupStart and ncclGroupEnd */
#ifndef RANKSH_STANDIN_GROUP_H
#define RANKSH_STANDIN_GROUP_H

#include "standin/nccl/comm.h"

void group_start(void);
/* At the end of the outermost group all of it begins: jobs, then a launch a communicator. The first error of a call
 * within drops it all. */
ncclResult_t group_end(void);
/* Outside of a group each is one of its own. */
ncclResult_t group_add_job(struct job *job);
ncclResult_t group_add(struct ncclComm *comm, const struct operation *operation);
/* A call was refused: the group with it. Gives `result` back. */
ncclResult_t group_refuse(ncclResult_t result);

#endif

/* outcome.h -- how something went on one process, or on each, becomes everyone's. All processes call these alike. */
#ifndef RANKSH_OUTCOME_H
#define RANKSH_OUTCOME_H

#include "base/status.h"
#include "mpi/transport.h"

/* Every process's outcome becomes everyone's: ST_OK, or the first failure, with its words, and whose it is where others fared
 * otherwise. ST_MPI: it could not be told. */
enum status outcome_share(struct transport *transport, enum status mine);
/* One process's outcome becomes everyone's: `mine` of process `owner`, with its words. */
enum status outcome_from(struct transport *transport, int owner, enum status mine);

#endif

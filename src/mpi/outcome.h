/* outcome.h -- shares a status between processes, which all make these calls in the same order */
#ifndef RANKSH_OUTCOME_H
#define RANKSH_OUTCOME_H

#include "base/status.h"
#include "mpi/transport.h"

/* Returns the same on every process: ST_OK, or the first failure with its message, prefixed by its
 * rank unless all failed alike. Fails with ST_MPI if the exchange failed. */
enum status outcome_share(struct transport *transport, enum status mine);
/* Returns `mine` of process `owner`, with its message, on every process. */
enum status outcome_from(struct transport *transport, int owner, enum status mine);

#endif

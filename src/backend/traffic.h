/* traffic.h -- bytes that ranks have sent, by link */
#ifndef RANKSH_BACKEND_TRAFFIC_H
#define RANKSH_BACKEND_TRAFFIC_H

#include "backend/backend.h"

/* What the rank sent over each kind of link, of operations that are over or will be (by the projection): sent[LINK_KINDS],
 * in bytes. section -1: of all sections. groups: only by operations of these, by index; NULL: by all, and by copies. */
void traffic_sent(struct backend *backend, const struct world *world, int rank, int section,
        const bool *groups, double *sent);

#endif

/* traffic.h -- bytes that ranks have sent, by link */
#ifndef RANKSH_BACKEND_TRAFFIC_H
#define RANKSH_BACKEND_TRAFFIC_H

#include "backend/backend.h"

/* Which operations: of a section (-1: any), from `first` on, of these groups by index (NULL: of all, and copies), of a stream, of a
 * tensor by its name */
struct counted {
	int section;
	op_id first;
	const bool *groups;
	int stream;     /* 0: of all */
	name_id object; /* that they move; 0: any */
};
/* Is what the operation moves sent, or will it be (by the projection)? Not by one that waits for ever, or that an abort ended. */
bool traffic_goes(struct backend *backend, op_id id);
/* What the rank sends by one operation, of its own or a get that reads its window: added to sent[LINK_KINDS] */
void traffic_of(const struct world *world, int rank, op_id id, double *sent);
/* What the rank sent over each kind of link, of operations that are over or will be (by the projection): sent[LINK_KINDS],
 * in bytes. */
void traffic_sent(
        struct backend *backend, const struct world *world, int rank, struct counted counted, double *sent);

#endif

/* traffic.h -- bytes that ranks have sent, by link */
#ifndef RANKSH_BACKEND_TRAFFIC_H
#define RANKSH_BACKEND_TRAFFIC_H

#include "backend/backend.h"

/* A filter of operations: section (-1: any), first id, groups by index (NULL: all, and copies),
 * stream, name of the tensor */
struct counted {
	int section;
	op_id first;
	const bool *groups;
	int stream;     /* 0: all */
	name_id object; /* 0: any */
};
/* Returns true if the operation's bytes are sent, by the projection: false if it never ends or
 * was aborted. */
bool traffic_goes(struct backend *backend, op_id id);
/* Adds to sent[LINK_KINDS] the bytes that the rank sends by one operation, its own or a get from
 * its window. */
void traffic_of(const struct world *world, int rank, op_id id, double *sent);
/* Sets sent[LINK_KINDS] to the bytes that the rank sends by completed and projected operations. */
void traffic_sent(
        struct backend *backend, const struct world *world, int rank, struct counted counted, double *sent);

#endif

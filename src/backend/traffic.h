/* traffic.h -- bytes that ranks have sent, by kind of link */
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
/* Returns true if the operation's bytes are sent in the projection; false if it never ends, was
 * aborted, or was left out of its collective. */
bool traffic_goes(struct backend *backend, op_id id);
/* Adds to sent[LINK_KINDS] the bytes that the rank sends for one operation: its own, or another
 * rank's get from its window. */
void traffic_of(const struct world *world, int rank, op_id id, double *sent);
/* Sets sent[LINK_KINDS] to the bytes that the rank sends by completed and projected operations. */
void traffic_sent(
        struct backend *backend, const struct world *world, int rank, struct counted counted, double *sent);

#endif

/* team.h -- ranks as threads in one process: one transport per thread, over common memory
 *
 * For worlds beside a session (shell/sandbox/). A team's transport behaves as with MPI, in the
 * same order, but has no grants and no forwarded output. */
#ifndef RANKSH_TEAM_H
#define RANKSH_TEAM_H

#include "mpi/transport.h"

struct team;
/* Creates n ranks. The team owns the transports, one per thread; free their groups first. */
struct team *team_create(int n);
struct transport *team_transport(struct team *team, int rank);
/* Marks a rank as finished. Receiving a message that it did not send then fails with ST_MPI. */
void team_leave(struct team *team, int rank);
/* From any thread: makes all waits, present and future, fail with ST_INTERRUPTED. */
void team_stop(struct team *team);
bool team_stopped(struct team *team);
/* Waits up to `ms` until all ranks have left; returns true if they have. */
bool team_await(struct team *team, int ms);
void team_free(struct team *team); /* requires that all have left */

#endif

/* team.h -- ranks that are threads of one process: a transport for each, over memory that they share
 *
 * What is played beside a session with the data of all ranks (shell/sandbox/) needs no processes: each rank is a thread with books of its
 * own, and what it asks of its transport is answered as by MPI, in the same order. But a conductor's calls (grants, forwarded output),
 * which post messages without waiting: a team has none. */
#ifndef RANKSH_TEAM_H
#define RANKSH_TEAM_H

#include "mpi/transport.h"

struct team;
/* n ranks; nothing fails. The transports are the team's, each for one thread; groups made of them are freed before it. */
struct team *team_create(int n);
struct transport *team_transport(struct team *team, int rank);
/* The thread of that rank makes no call any more: who waits for a message of its own gets ST_MPI. */
void team_leave(struct team *team, int rank);
/* Any thread: whoever waits, or would, gets ST_INTERRUPTED from now on. */
void team_stop(struct team *team);
bool team_stopped(struct team *team);
/* All have left, or `ms` have gone by. True: all have. */
bool team_await(struct team *team, int ms);
void team_free(struct team *team); /* all have left */

#endif

/* sim.h -- the simulated machine, a backend (backend/backend.h). What its own files share: lookahead.h,
 * engine.h. */
#ifndef RANKSH_SIM_H
#define RANKSH_SIM_H

#include "backend/backend.h"
#include "mpi/transport.h"

/* transport: carries the tensors' data between the processes; NULL: there is no data (--dry). The caller keeps
 * world and transport, which must outlive the backend; backend->stop frees it. Sets world_segment_calls. */
struct backend *sim_start(struct world *world, struct transport *transport, struct backend_hooks hooks);

#endif

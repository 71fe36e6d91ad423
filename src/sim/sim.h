/* sim.h -- the simulated machine, a backend (backend/backend.h) */
#ifndef RANKSH_SIM_H
#define RANKSH_SIM_H

#include "backend/backend.h"
#include "mpi/transport.h"

/* Starts the simulator. transport carries tensor data between processes; NULL: no data (--dry).
 * Borrows world and transport until backend->stop. Sets world_segment_calls. */
struct backend *sim_start(struct world *world, struct transport *transport, struct backend_hooks hooks);

#endif

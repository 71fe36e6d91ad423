/* sim.h -- the simulated machine, a backend (backend/backend.h). What its own files share: inside.h,
 * engine.h. */
#ifndef RANKSH_SIM_H
#define RANKSH_SIM_H

#include "backend/backend.h"
#include "mpi/plane.h"

/* plane: carries the tensors' data between the processes; NULL: there is no data (--dry). The caller keeps
 * world and plane, which must outlive the backend; backend->stop frees it. Sets world_segment_calls. */
struct backend *sim_start(struct world *world, struct plane *plane, struct backend_hooks hooks);

#endif

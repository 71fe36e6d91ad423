/* lookahead.h -- the simulator as a backend: the machine, and a copy to look ahead with. Shared
 * by sim.c, reach.c and abort.c. An umbrella header. */
#ifndef RANKSH_SIM_LOOKAHEAD_H
#define RANKSH_SIM_LOOKAHEAD_H

#include "numerics/rank_data.h"
#include "sim/engine.h"
#include "sim/sim.h"

struct sim {
	struct backend backend; /* first: a backend is a sim */
	struct engine *engine;
	struct engine *copy; /* overwritten for each use */
	bool projected;      /* the copy is the current projection */
};

static inline struct engine *engine_of(struct backend *backend)
{
	return ((struct sim *)backend)->engine;
}

enum status sim_run(struct backend *backend, struct budget *budget); /* one pass */
enum status sim_reach(struct backend *backend, const op_id *ids, int count, struct budget *budget);
enum status sim_abort(struct backend *backend, int group);
bool sim_expired(struct backend *backend, struct expiry *expiry);

struct engine *fresh_copy(struct sim *sim); /* ends the projection */
/* Runs the machine until the operations in `goal` have completed, or (count 0) up to `until`.
 * Assumes that the hosts of the ranks in `start`, and of the ranks that these need, issue nothing
 * more. Fails with ST_WAITS if the goal cannot be reached; the machine is then unchanged. */
enum status commit(struct sim *sim, const op_id *goal, int count, int64_t until, const bool *start,
        struct budget *budget);

#endif

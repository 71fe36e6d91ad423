/* curves.h -- the loss against virtual time: a curve for each program of the session */
#ifndef RANKSH_CURVES_H
#define RANKSH_CURVES_H

#include "trace/plot.h"
#include "world/op.h"

struct shell;
struct training;

struct curves {
	struct curve *curve; /* by age; the last may be this world's */
	size_t count;
	bool open; /* the last one is */
	/* of this world, by iteration and rank: the last writer of `loss`; 0: none */
	op_id *loss;
	size_t losses; /* entries, of all iterations played */
};

/* Called after an iteration: records the operations that wrote its losses. */
void curves_iteration(struct shell *shell);
/* Makes this world's curve so far. Collective. None with --dry. */
enum status curves_gather(struct shell *shell);
/* Called when the world goes. again: a replay makes its curve anew */
void curves_world_ends(struct curves *curves, bool again);
void curves_release(struct curves *curves);

#endif

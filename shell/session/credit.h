/* credit.h -- stops all ranks at the same place after Ctrl-C: no rank runs farther than rank 0
 * grants
 *
 * Every process counts work in the same steps (budget of backend/backend.h). Rank 0 grants steps
 * to the others, and decides again after running half of them itself:
 *
 *     steps   0 -------- q -------- 2q -------- 3q
 *     others  |= granted ===========|
 *     rank 0  |== own ===|          at q: go on: grants 3q, goes to 2q   (no rank waits)
 *                                         stop:  goes to 2q, sends "stop at 2q"   (all reach it)
 *
 * At such a point rank 0 may also request a flush: all processes send their output and
 * continue. */
#ifndef RANKSH_CREDIT_H
#define RANKSH_CREDIT_H

#include "backend/backend.h"

enum credit_code { CREDIT_GO, CREDIT_FLUSH, CREDIT_STOP };

struct credit {
	struct transport *transport;
	struct budget *budget;
	int64_t own;           /* this process may run to here */
	int64_t bound;         /* where budget.steps ends: own, or an earlier stop_at */
	int64_t told;          /* rank 0: the others may run to here */
	int64_t quantum;       /* rank 0: steps in a grant, adapted to wall time */
	int64_t stop_at;       /* a replayed line ends here; 0: none */
	int64_t stopped_at;    /* position of the last stop; WAITED: in a wait for a device */
	enum credit_code code; /* other ranks: what to do at `own` */
	int64_t asked_ns;      /* wall clock of the last `look` */
	/* rank 0: the current wait for a device */
	struct credit_wait {
		int64_t position;
		int64_t began, asked; /* wall clock of the first and last round */
		bool told;
	} wait;
	int64_t patience_ns; /* longer waits are reported */
	bool waiting;        /* rank 0: `look` is called during such a wait */
	bool gave_up;        /* Ctrl-C ended such a wait: do not wait for a device again */
	enum status lost;    /* a grant failed: the others' position is unknown */
	/* called on rank 0: decides whether all continue, flush or stop */
	enum credit_code (*look)(void *self);
	void (*flush)(void *self);                        /* on every process */
	void (*tell_wait)(void *self, int64_t waited_ns); /* on rank 0, once a wait; may be NULL */
	void *self;
};

void credit_start(struct credit *credit, struct transport *transport, struct budget *budget);
/* Returns the steps used since the start. */
int64_t credit_position(const struct credit *credit);
/* Ends a replayed line after `steps` more steps. Needs no message: every process calls it. 0:
 * cancels. */
void credit_end_at(struct credit *credit, int64_t steps);
/* Returns the steps from `start` to the last stop, or to the current position if rank 0 stopped
 * alone; at least 1. 0 if a wait for a device was interrupted. */
int64_t credit_stop(const struct credit *credit, int64_t start);
/* Returns a budget for rank 0 while all others wait for it: its steps are not counted. */
struct budget credit_alone(struct credit *credit);

#endif

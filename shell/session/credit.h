/* credit.h -- Ctrl-C stops all ranks at the same place: ranks run only as far as rank 0 grants
 *
 * Work is counted in steps (budget of backend/backend.h), equal on every process. Rank 0 grants
 * steps and itself runs only half as far before it decides again:
 *
 *     steps   0 -------- q -------- 2q -------- 3q
 *     others  |= granted ===========|
 *     rank 0  |== own ===|          at q: go on: grants 3q, goes to 2q   (no rank waits)
 *                                         stop:  goes to 2q, sends "stop at 2q"   (all reach it)
 *
 * At a common stop rank 0 may also request a flush: all hand in their output and go on. */
#ifndef RANKSH_CREDIT_H
#define RANKSH_CREDIT_H

#include "backend/backend.h"

enum credit_code { CREDIT_GO, CREDIT_FLUSH, CREDIT_STOP };

struct credit {
	struct transport *transport;
	struct budget *budget;
	int64_t own;           /* may run to here without asking */
	int64_t bound;         /* end of budget.steps: own, or an earlier stop_at */
	int64_t told;          /* rank 0: granted to the others */
	int64_t quantum;       /* rank 0: steps a grant, adapted to wall time */
	int64_t stop_at;       /* a replayed line ends here; 0: none */
	int64_t stopped_at;    /* position; WAITED: while waiting for a device */
	enum credit_code code; /* others: action at `own` */
	int64_t asked_ns;      /* wall clock of the last `look` */
	/* rank 0: the current wait for a device */
	struct credit_wait {
		int64_t position;
		int64_t began, asked; /* wall clock, first and last round */
		bool told;
	} wait;
	int64_t patience_ns; /* longer waits are reported */
	bool waiting;        /* rank 0: `look` is called from such a wait */
	bool gave_up;        /* Ctrl-C in such a wait: a replay waits for no device */
	enum status lost;    /* a grant failed: the others' position is unknown */
	/* rank 0: decides whether all go on, flush or stop */
	enum credit_code (*look)(void *self);
	void (*flush)(void *self);                        /* every process */
	void (*tell_wait)(void *self, int64_t waited_ns); /* rank 0, once a wait; may be NULL */
	void *self;
};

void credit_start(struct credit *credit, struct transport *transport, struct budget *budget);
/* Returns the steps used since the start. */
int64_t credit_position(const struct credit *credit);
/* Ends a replayed line `steps` from now, on every process by itself; 0: cancels. */
void credit_end_at(struct credit *credit, int64_t steps);
/* Returns the last stop, or the current position if rank 0 was stopped alone, relative to `start`,
 * at least 1; 0 if a wait for a device was interrupted. */
int64_t credit_stop(const struct credit *credit, int64_t start);
/* Returns an uncounted budget for rank 0 while all others wait for it. Ctrl-C ends it. */
struct budget credit_alone(struct credit *credit);

#endif

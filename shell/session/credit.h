/* credit.h -- Ctrl-C falls at the same place on every rank: ranks run only as far as rank 0 has granted.
 *
 * Work is counted in steps (budget of backend/backend.h), the same on every process. Rank 0 grants the
 * steps up to some number to the others, and itself goes only half as far before it looks whether to go on:
 *
 *     steps   0 -------- q -------- 2q -------- 3q
 *     others  |= granted ===========|
 *     rank 0  |== own ===|          at q: go on: grants 3q, goes to 2q   (nobody waits)
 *                                         stop:  goes to 2q, tells "stop at 2q"   (all come there)
 *
 * At such a common stop rank 0 may also ask for a flush: everybody hands in what was said so far, and goes
 * on. */
#ifndef RANKSH_CREDIT_H
#define RANKSH_CREDIT_H

#include "backend/backend.h"

enum credit_code { CREDIT_GO, CREDIT_FLUSH, CREDIT_STOP };

struct credit {
	struct transport *transport;
	struct budget *budget; /* that it fills */
	int64_t own;           /* this process may run to here without asking */
	int64_t bound;         /* what budget.steps counts down to: own, or stop_at before it */
	int64_t told;          /* rank 0: what the others were granted */
	int64_t quantum; /* rank 0: steps of a grant; grows and shrinks with the wall time that one takes */
	int64_t stop_at; /* a replayed line ends here; 0: none */
	int64_t stopped_at;    /* the position of the last stop; WAITED: a wait for a device */
	enum credit_code code; /* others: what is to be done at `own` */
	int64_t asked_ns;      /* wall clock of the last look */
	/* rank 0: of the wait for a device at hand, */
	struct credit_wait {
		int64_t position;     /* where it is */
		int64_t began, asked; /* wall clock of its first round and of the last one */
		bool told;
	} wait;
	int64_t patience_ns; /* ... and after how long it is told of */
	bool waiting;        /* rank 0: `look` is asked from within a wait for a device */
	bool gave_up;        /* Ctrl-C came in one: while lines run again no other is waited for */
	enum status lost; /* a grant did not come through: this process does not know where the others are */
	/* rank 0 asks: shall everybody stop, or flush? */
	enum credit_code (*look)(void *self);
	void (*flush)(void *self);                        /* every process */
	void (*tell_wait)(void *self, int64_t waited_ns); /* rank 0, once a wait; NULL: nobody is told */
	void *self;
};

void credit_start(struct credit *credit, struct transport *transport, struct budget *budget);
/* Steps used so far since the start. */
int64_t credit_position(const struct credit *credit);
/* A replayed line ends `steps` from now, on every process by itself; 0: no more such end. */
void credit_end_at(struct credit *credit, int64_t steps);
/* Where the last stop was, counted from `start`, or where all are now: rank 0 was stopped alone. At least 1, as 0 says that there was
 * none: nor is there one for a replay where a wait for a device was ended, as the line stands. */
int64_t credit_stop(const struct credit *credit, int64_t start);
/* A budget for what rank 0 does while all others wait for it: it ends with Ctrl-C, and is no part of the
 * steps that everybody counts. */
struct budget credit_alone(struct credit *credit);

#endif

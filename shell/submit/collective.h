/* collective.h -- the line of a collective */
#ifndef RANKSH_SUBMIT_COLLECTIVE_H
#define RANKSH_SUBMIT_COLLECTIVE_H

#include "shell/language/run/command.h"
#include "shell/submit/plan.h"

plan_step collective_resolve, collective_complete;
enum status collective_run(struct call *call);
/* unroll.c: the line `COLLECTIVE x unroll`: queues the steps of collective_steps as operations of their own; the same
 * answer. */
enum status unroll_run(struct call *call);

#endif

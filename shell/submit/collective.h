/* collective.h -- a collective's line */
#ifndef RANKSH_SUBMIT_COLLECTIVE_H
#define RANKSH_SUBMIT_COLLECTIVE_H

#include "shell/language/run/command.h"
#include "shell/submit/plan.h"

plan_step collective_resolve, collective_complete;
enum status collective_run(struct call *call);
/* unroll.c: queues the collective's steps (collective_steps) as operations of their own; the same
 * result. */
enum status unroll_run(struct call *call);

#endif

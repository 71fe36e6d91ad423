/* collective.h -- the line of a collective */
#ifndef RANKSH_SUBMIT_COLLECTIVE_H
#define RANKSH_SUBMIT_COLLECTIVE_H

#include "shell/language/run/command.h"
#include "shell/submit/plan.h"

/* Its two halves of resolving; self: the collective. */
plan_resolve collective_resolve;
plan_complete collective_complete;
enum status collective_run(struct shell *shell, struct call *call);

#endif

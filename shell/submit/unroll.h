/* unroll.h -- a collective as the sends, receives and additions it is made of */
#ifndef RANKSH_UNROLL_H
#define RANKSH_UNROLL_H

#include "shell/language/run/command.h"

/* The line `COLLECTIVE x unroll`: queues the steps of collective_steps as operations of their own; the same
 * answer. */
enum status unroll_run(struct call *call);

#endif

/* together.h -- `together { }`: sends and receives of several lines that start as one
 * (ncclGroupStart/End) */
#ifndef RANKSH_TOGETHER_H
#define RANKSH_TOGETHER_H

#include "shell/submit/plan.h"

/* Returns OPF_FREE_LAUNCH and OPF_TOGETHER if an earlier operation of this rank was launched in
 * the block; 0 outside a block. */
int together_flags(struct shell *shell, int rank);
/* Keeps the plan's parts until the block ends. */
void together_add(struct shell *shell, int rank, const struct submit_plan *plan);

/* The block: shell->together until its end. Queues the pending parts for the ranks of `set`; NULL:
 * the block was refused, and none is queued. */
void together_begin(struct shell *shell);
enum status together_end(struct shell *shell, const struct ranks *set);

#endif

/* together.h -- `together { }`: sends and receives of several lines that start as one (ncclGroupStart/End) */
#ifndef RANKSH_TOGETHER_H
#define RANKSH_TOGETHER_H

#include "shell/submit/plan.h"

/* For an operation of communication: OPF_FREE_LAUNCH and OPF_TOGETHER when one of this rank's was launched in the
 * block before; 0 outside a block. */
int together_flags(struct shell *shell, int rank);
/* Keeps the plan's parts until the block ends. */
void together_add(struct shell *shell, int rank, const struct submit_plan *plan);

/* The block: shell->together until its end. What it kept is queued for the ranks of `set`; NULL: the block
 * was refused, and nothing of it is. */
void together_begin(struct shell *shell);
enum status together_end(struct shell *shell, const struct ranks *set);

#endif

/* state.h -- figures of a training: memory by kind, speed, loss */
#ifndef RANKSH_STATE_H
#define RANKSH_STATE_H

#include "shell/values/read.h"
#include "shell/training/training.h"

/* Appends device memory by kind: now, in bytes of tensors; or at the peak, in bytes of blocks.
 * Equal ranks share a line. Nothing without a program. */
void state_memory(const struct shell *shell, const struct ranks *set, bool peak, struct text *out);
/* Reads tensor[rank] (NULL: none); `set` becomes those ranks, with values in their order. */
enum status state_read(struct shell *shell, enum read_kind kind, const char *const *tensor, struct ranks *set,
        double *values);
/* Prints an iteration's line; last: also the dynamic loss scale and the skipped steps */
enum status state_iteration(struct shell *shell, bool last);
/* Appends iterations, loss, rate, loss scale and experts, if there were any. */
enum status state_progress(struct shell *shell, struct text *out);

#endif

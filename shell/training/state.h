/* state.h -- figures of a training: memory by kind, speed, loss */
#ifndef RANKSH_STATE_H
#define RANKSH_STATE_H

#include "shell/values/read.h"
#include "shell/training/training.h"

/* Appends device memory by kind: now, in bytes of tensors; or at the peak, in bytes of blocks.
 * Equal ranks share a line. Nothing without a program. */
void state_memory(const struct shell *shell, const struct ranks *set, bool peak, struct text *out);
/* Reads tensor[rank] on the ranks that have one (NULL: none); `set` becomes those ranks, values
 * are in their order. A look from outside (shell_read). */
enum status state_read(struct shell *shell, enum read_kind kind, const char *const *tensor, struct ranks *set,
        double *values);
/* Prints the line of an iteration that `run` has played; last: also the dynamic loss scale, and
 * the steps left out */
enum status state_iteration(struct shell *shell, bool last);
/* Appends the iterations so far with loss, rate, loss scale and experts; nothing if there were
 * none. */
enum status state_progress(struct shell *shell, struct text *out);

#endif

/* state.h -- figures of a training that no operation alone tells: memory by kind, and how fast it learns */
#ifndef RANKSH_STATE_H
#define RANKSH_STATE_H

#include "shell/values/read.h"
#include "shell/training/training.h"

/* Device memory of each rank now, by kind of tensor, in bytes of its tensors (blocks are larger: rounded up);
 * or what its peak was made of, in bytes of blocks: the kinds add up to it. Of `set`; ranks alike are one line. Nothing
 * is appended when no program is loaded. */
void state_memory(const struct shell *shell, const struct ranks *set, bool peak, struct text *out);
/* Reads tensor[rank] on the ranks that have one (NULL: none), which `set` becomes; values: by their order. A
 * look from outside (shell_read). */
enum status state_read(struct shell *shell, enum read_kind kind, const char *const *tensor, struct ranks *set,
        double *values);
/* The line of an iteration that `run` has played; of its last one also the dynamic loss scale, and the steps left out */
enum status state_iteration(struct shell *shell, bool last);
/* Lines with the whole iterations so far, their loss and rate, loss scale and experts; nothing when there were none. */
enum status state_progress(struct shell *shell, struct text *out);

#endif

/* state.h -- figures of a training that no operation alone tells: memory by kind, and how fast it learns */
#ifndef RANKSH_STATE_H
#define RANKSH_STATE_H

#include "shell/training/training.h"

/* Device memory of each rank now, by kind of tensor, in bytes of its tensors (blocks are larger: rounded up);
 * or what its peak was made of, in bytes of blocks: the kinds add up to it. Ranks alike are one line. Nothing
 * is appended when no program is loaded. */
void state_memory(const struct shell *shell, bool peak, struct text *out);
/* When all that is queued ends, as `timeline` draws it; -1: it waits for lines to come */
int64_t state_end(const struct shell *shell);
/* "   5400 tokens a second" (of an mlp: rows): of the whole iterations so far, from the first phase's
 *     beginning to the end of all that is
 * queued, in virtual time. Nothing where the lines are no strategy's, or an end is not known. */
void state_rate(const struct shell *shell, struct text *out);
/* A line with the whole iterations so far, their loss and rate; nothing when there were none. */
enum status state_progress(struct shell *shell, struct text *out);

#endif

/* noted.h -- the losses of this process's rank, as they come about
 *
 * The tensor `loss` is written anew in each iteration. Who reads it waits for it, and what is typed after an answer comes
 * no earlier than that: so each value is noted when it appears, and the program is not kept waiting. */
#ifndef RANKSH_NOTED_H
#define RANKSH_NOTED_H

#include "shell/session/shell.h"

/* Does the operation that would be queued so write a tensor `loss` of one element? Then record.noted is to be set. */
bool noted_wanted(const struct world *world, const struct operand *operand, int operands);
/* The backend's hook: a noted operation of this process's rank is over. */
void noted_done(struct shell *shell, op_id id);
/* The value that the operation has left; NAN: it is not over, is another rank's, or there is no data. */
double noted_value(const struct shell *shell, op_id id);
void noted_release(struct shell *shell);

#endif

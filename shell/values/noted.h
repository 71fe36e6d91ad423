/* noted.h -- notes this rank's losses as they appear
 *
 * Iterations overwrite `loss`. Reading it would block the program and delay later lines. */
#ifndef RANKSH_NOTED_H
#define RANKSH_NOTED_H

#include "shell/session/shell.h"

/* Returns true for a write to a one-element `loss`; then set record.noted. */
bool noted_wanted(const struct world *world, const struct operand *operand, int operands);
/* The backend's hook: a noted operation of this rank has completed. */
void noted_done(struct shell *shell, op_id id);
/* Returns the operation's loss; NAN: not complete, another rank's, or no data. */
double noted_value(const struct shell *shell, op_id id);
void noted_release(struct shell *shell);

#endif

/* warn.h -- what a line has brought about without being refused */
#ifndef RANKSH_WARN_H
#define RANKSH_WARN_H

#include "shell/session/shell.h"

/* After each line of the prompt, and at the end of a script: races, unwritten reads and doubtful orders not
 * told yet. */
void warn_new(struct shell *shell);

#endif

/* warn.h -- warnings about accepted lines */
#ifndef RANKSH_WARN_H
#define RANKSH_WARN_H

#include "shell/session/shell.h"

/* Reports new races, unwritten reads and doubtful orders, after a prompt line or script. */
void warn_new(struct shell *shell);

#endif

/* serve.h -- rank 0 serves the front end */
#ifndef RANKSH_SERVE_H
#define RANKSH_SERVE_H

#include "shell/rank/conductor.h"

/* Reads requests from descriptor 0 and replies on the real descriptor 1 until the front end
 * leaves. Returns the exit status. docs/internals/wire.md. */
int serve_run(struct conductor *conductor);

#endif

/* serve.h -- rank 0 and the front end */
#ifndef RANKSH_SERVE_H
#define RANKSH_SERVE_H

#include "shell/rank/conductor.h"

/* Takes requests from descriptor 0 and replies on the real descriptor 1 until the front end leaves; the exit
 * status. docs/internals/wire.md. */
int serve_run(struct conductor *conductor);

#endif

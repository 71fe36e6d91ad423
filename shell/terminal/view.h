/* view.h -- the full-screen timeline, with cells that rank 0 computed */
#ifndef RANKSH_VIEW_H
#define RANKSH_VIEW_H

#include "shell/terminal/talk.h"

/* Shows the view until q, then restores the terminal. replay: a window to replay, or NULL. Fails
 * with ST_MPI (the job died) or ST_FILE (no screen). */
enum status view_run(
        struct talk *talk, const char *title, bool colour, bool wide, const struct window *replay);

#endif

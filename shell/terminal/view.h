/* view.h -- the timeline on the whole screen: cells that rank 0 computed */
#ifndef RANKSH_VIEW_H
#define RANKSH_VIEW_H

#include "shell/terminal/talk.h"

/* Until q; replay: plays what happened then, NULL: does not. The terminal is as before then. ST_MPI: the job died meanwhile. ST_FILE: no screen can be
 * opened. */
enum status view_run(
        struct talk *talk, const char *title, bool colour, bool wide, const struct window *replay);

#endif

/* view.h -- the timeline on the whole screen. The only file that includes ncurses. It paints cells that rank
 * 0 computed. */
#ifndef RANKSH_VIEW_H
#define RANKSH_VIEW_H

#include "shell/wire/wire.h"

/* Asks for a frame; ST_OK, or the job is gone. */
typedef enum status view_ask(void *self, const struct request *request, struct reply *reply);
/* Until q; the terminal is as before then. ST_MPI: the job died meanwhile. ST_FILE: no screen can be
 * opened. */
enum status view_run(view_ask *ask, void *self, const char *title, bool colour);

#endif

/* frame.h -- one frame of the view: cells that rank 0 computes and the front end paints. Looking only: it
 * moves nothing. */
#ifndef RANKSH_FRAME_H
#define RANKSH_FRAME_H

#include "shell/session/shell.h"
#include "shell/wire/wire.h"

/* What the request asks to see, in a reply of REPLY_VIEW: the picture, the window it shows, and the facts of
 * the selected operation. */
enum status view_frame(struct shell *shell, const struct request *request, struct reply *reply);

#endif

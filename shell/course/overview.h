/* overview.h -- the board of a class: ranksh --overview DIR */
#ifndef RANKSH_OVERVIEW_H
#define RANKSH_OVERVIEW_H

#include "shell/session/options.h"

/* Until q or Ctrl-C; or once, or as a table, to the output. No ranks are started, and nothing is written. The exit
 * status: 2 where the folder cannot be read, or the board cannot be shown. */
int overview_run(const struct options *options);

#endif

/* overview.h -- the board of a class: ranksh --overview DIR */
#ifndef RANKSH_OVERVIEW_H
#define RANKSH_OVERVIEW_H

#include "shell/session/options.h"

/* Shows the board until q or Ctrl-C, or prints it once, or as CSV. Starts no ranks, writes no
 * file. Returns the exit status: 2 for a bad folder or terminal, 4 if printing fails. */
int overview_run(const struct options *options);

#endif

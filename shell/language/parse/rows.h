/* rows.h -- the commands by name: those of shell/commands/, and rows made from every kernel and collective */
#ifndef RANKSH_ROWS_H
#define RANKSH_ROWS_H

#include "shell/language/run/command.h"

const struct kernel *row_kernel(const struct command *row); /* NULL: of no kernel */
const struct collective *row_collective(const struct command *row);

/* The nearest name of a command, or NULL when none is near */
const char *command_near(const char *word);

#endif

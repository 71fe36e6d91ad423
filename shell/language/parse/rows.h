/* rows.h -- the commands by name. They stand above the language, so they are handed down when a process
 * starts. */
#ifndef RANKSH_ROWS_H
#define RANKSH_ROWS_H

#include "shell/language/run/command.h"

/* The rows, ended by NULL, join those that are there. Of two with one name the first stays. */
void rows_add(const struct command *const *rows);
/* The nearest name of a command, or NULL when none is near */
const char *command_near(const char *word);

#endif

/* rows.h -- the commands that the language knows: those of shell/commands/, and a row made from every kernel
 * and collective */
#ifndef RANKSH_SUBMIT_ROWS_H
#define RANKSH_SUBMIT_ROWS_H

struct command;

/* Once, when a process starts, before it reads a line. table: command_table, ended by NULL. */
void commands_start(const struct command *const *table);

#endif

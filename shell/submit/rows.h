/* rows.h -- the language's commands: those of shell/commands/, kernels and collectives */
#ifndef RANKSH_SUBMIT_ROWS_H
#define RANKSH_SUBMIT_ROWS_H

struct command;

/* Call it once, when a process starts. table: command_table, ended by NULL */
void commands_start(const struct command *const *table);

#endif

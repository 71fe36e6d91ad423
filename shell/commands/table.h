/* table.h -- all command rows, ended by NULL; made by the build (tools/commands) */
#ifndef RANKSH_TABLE_H
#define RANKSH_TABLE_H

struct command;
extern const struct command *const command_table[];

#endif

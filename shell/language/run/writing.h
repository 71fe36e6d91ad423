/* writing.h -- the file that a line writes: files of others stay (session/replace.h), and a refusal suggests the line with
 * `force` */
#ifndef RANKSH_WRITING_H
#define RANKSH_WRITING_H

#include "shell/language/run/command.h"
#include "shell/session/replace.h"

/* As may_replace, on this process alone, which also spells the line for the message. Requires that all processes have interned
 * the words of the line before, because names are numbered in the order of their first use. rank: the one for which the line
 * writes the file */
enum status call_may_replace(
        const struct call *call, int rank, const char *path, const struct output_kind *kind, bool force);
/* As shell_write; all processes call it. */
enum status call_write(const struct call *call, const char *path, const struct output_kind *kind, bool force,
        const struct text *text);

#endif

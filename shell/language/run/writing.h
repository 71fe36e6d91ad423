/* writing.h -- the file that a line writes: files of others stay (session/replace.h), and a refusal names the line at hand with
 * `force` */
#ifndef RANKSH_WRITING_H
#define RANKSH_WRITING_H

#include "shell/language/run/command.h"
#include "shell/session/replace.h"

/* As may_replace, on this process alone, which spells the line: all processes have read its words by then, or they would count
 * their names differently. rank: for which the line writes the file */
enum status call_may_replace(
        const struct call *call, int rank, const char *path, const struct output_kind *kind, bool force);
/* As shell_write, of all ranks of the line */
enum status call_write(const struct call *call, const char *path, const struct output_kind *kind, bool force,
        const struct text *text);

#endif

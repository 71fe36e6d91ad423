/* writing.h -- the file that a line writes: a foreign file is kept (values/replace.h), and the
 * refusal suggests the line with `force` */
#ifndef RANKSH_WRITING_H
#define RANKSH_WRITING_H

#include "shell/language/run/command.h"
#include "shell/values/replace.h"

enum status call_write(const struct call *call, const char *path, const struct output_kind *kind, bool force,
        const struct text *text);

#endif

/* answer.h -- shows a command's text: one for all ranks, or one for each rank */
#ifndef RANKSH_ANSWER_H
#define RANKSH_ANSWER_H

#include "shell/language/run/command.h"
#include "shell/values/share.h"

/* Shows the text if `status`, the outcome of making it, is ST_OK. Frees the text; returns
 * `status`. */
enum status answer(struct call *call, struct text *text, enum status status);

/* Shows each rank's text; equal texts once, after their ranks: "[0-3] y = 1". */
enum status answer_each(struct call *call, answer_of *make, int i);
/* The same for texts in `all`, in the set's order, each with its NUL; further ranks share the
 * last. */
void answer_show(struct out *out, const struct ranks *set, struct text *all);
/* Writes the file. Without `force`, refuses to replace another program's file (values/share.h). */
enum status call_write(const struct call *call, const char *path, const struct output_kind *kind, bool force,
        const struct text *text);

#endif

/* answer.h -- the text that a command shows: one for all ranks, or each rank's own */
#ifndef RANKSH_ANSWER_H
#define RANKSH_ANSWER_H

#include "shell/language/run/command.h"
#include "shell/values/share.h"

/* Shows the text unless making it failed (`status`), and frees it. Returns the status. */
enum status answer(struct call *call, struct text *text, enum status status);

/* Shows each rank's text, equal ones once with their ranks: "[0-3] y = 1". */
enum status answer_each(struct call *call, answer_of *make, int i);
/* The texts are in `all`, by rank of the set, each with its NUL; further ranks share the last. */
void answer_show(struct out *out, const struct ranks *set, struct text *all);
/* Writes the file. A foreign file is kept (values/share.h); the refusal suggests `force`. */
enum status call_write(const struct call *call, const char *path, const struct output_kind *kind, bool force,
        const struct text *text);

#endif

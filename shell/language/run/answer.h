/* answer.h -- what a command says: one text for all, or each rank's own */
#ifndef RANKSH_ANSWER_H
#define RANKSH_ANSWER_H

#include "shell/language/run/command.h"

/* Says the text unless making it failed (`status`), and frees it. Returns the status. */
enum status answer(struct call *call, struct text *text, enum status status);

/* Each rank's own answer, and equal ones once with their ranks: "[0-3] y = 1". What the backend can carry out is
 * carried out first. */
enum status answer_each(struct call *call, answer_of *make, int i);
/* Shows the ranks of the set their texts, which lie one behind the other in `all`, each with its NUL. The last one
 * is that of the ranks too for which no other is there. */
void answer_show(struct out *out, const struct ranks *set, struct text *all);

#endif

/* prints.h -- prints, which wait for their data and appear in execution order; losses */
#ifndef RANKSH_PRINTS_H
#define RANKSH_PRINTS_H

#include "shell/values/read.h"
#include "shell/session/shell.h"

/* An argument: a tensor or an expression's text */
struct printed {
	bool tensor;
	struct view view;
	op_id by; /* its copy, or the OP_SYNC that reads it */
	char *text;
};
/* One `print`; the session owns it after prints_add. */
struct print {
	op_id *sync; /* in rank order */
	int count;
	struct ranks waiting, ready; /* OP_SYNC pending; complete, not shown */
	struct printed *item;
	int items;
	struct text mine; /* this rank's text */
};

void print_free(struct print *print);
void prints_add(struct shell *shell, struct print *print, const op_id *sync, int count);
/* The backend's hook for OP_SYNCs with a reason */
void prints_done(struct shell *shell, op_id id);
/* Before output is shown: pending prints show the texts of the ranks that are ready. */
void prints_flush(struct shell *shell);
void prints_release(struct shell *shell); /* frees prints and losses with the world */

/* Losses of this rank: iterations overwrite `loss`, and reading it would block the program. */
/* Returns the write to a one-element `loss`, if there is one; then set record.noted. */
const struct operand *noted_loss(const struct world *world, const struct operand *operand, int operands);
/* The backend's hook: a noted operation of this rank has completed. */
void noted_done(struct shell *shell, op_id id);
/* Returns the operation's loss; NAN: not complete, another rank's, or no data. */
double noted_value(const struct shell *shell, op_id id);

#endif

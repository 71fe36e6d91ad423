/* prints.h -- prints, which wait for their data and appear in execution order; recorded losses */
#ifndef RANKSH_PRINTS_H
#define RANKSH_PRINTS_H

#include "shell/values/read.h"
#include "shell/session/shell.h"

/* An argument of `print`: a tensor, or an expression's text */
struct printed {
	bool tensor;
	struct view view;
	op_id by; /* its copy, or the OP_SYNC that reads it */
	char *text;
};
/* One `print`; the session owns it after prints_add. */
struct print {
	op_id *sync; /* the ranks' OP_SYNCs, in rank order */
	int count;
	struct ranks waiting, ready; /* OP_SYNC pending; complete, but not shown */
	struct printed *item;
	int items;
	struct text mine; /* this rank's text */
};

void print_free(struct print *print);
void prints_add(struct shell *shell, struct print *print, const op_id *sync, int count);
/* The backend calls it when an OP_SYNC with a reason has completed. */
void prints_done(struct shell *shell, op_id id);
/* Call it before output is shown: adds the texts of ranks that are ready. */
void prints_flush(struct shell *shell);
void prints_release(struct shell *shell); /* frees prints and losses with the world */

/* This rank's losses are recorded when they are written: later iterations overwrite `loss`, and a
 * read would block the program. */
/* Returns the operand that writes a one-element `loss`, NULL if none. If there is one, the caller
 * sets record.noted. */
const struct operand *noted_loss(const struct world *world, const struct operand *operand, int operands);
/* The backend calls it when a noted operation of this rank has completed. */
void noted_done(struct shell *shell, op_id id);
/* Returns the loss that the operation wrote; NAN if it is not complete, another rank's, or without
 * data. */
double noted_value(const struct shell *shell, op_id id);

#endif

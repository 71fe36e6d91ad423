/* prints.h -- prints that wait for their data, and speak in the order of execution */
#ifndef RANKSH_PRINTS_H
#define RANKSH_PRINTS_H

#include "shell/values/read.h"
#include "shell/session/shell.h"

/* An argument as it is printed by this process's rank: a tensor, or the text of an expression. */
struct printed {
	bool tensor;
	struct view view;
	op_id by; /* the copy that brings it, or the OP_SYNC that reads it on the host */
	char *text;
};
/* One `print`, owned by the session once it was added. */
struct print {
	op_id *sync; /* by place in the line's ranks, ascending */
	int count;
	struct ranks waiting, ready; /* ranks whose OP_SYNC is not over; over, and not yet said */
	struct printed *item;
	int items;
	struct text mine; /* what this process's rank says */
};

void print_free(struct print *print);
/* The print waits for its OP_SYNCs, [count] of them by place in the line's ranks, ascending. */
void prints_add(struct shell *shell, struct print *print, const op_id *sync, int count);
/* Hooks.done of the backend: an OP_SYNC with a reason is over; prints speak then. */
void prints_done(struct shell *shell, op_id id);
/* Prints of which some ranks have answered speak for those: before output is shown. */
void prints_flush(struct shell *shell);
void prints_release(struct shell *shell); /* the world goes */

#endif

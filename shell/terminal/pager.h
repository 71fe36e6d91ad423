/* pager.h -- prints a long text one screen at a time */
#ifndef RANKSH_PAGER_H
#define RANKSH_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/* For all output of a typed line; starts zeroed. */
struct pager {
	int used;    /* rows printed since the last key */
	bool enough; /* the user has left the pager */
};

/* Prints the lines, folded to the terminal's width. After each screen space shows the next one,
 * Enter one more row, q or Ctrl-C drops the rest. Without a terminal prints everything. */
void pager_print(struct pager *pager, const char *lines, size_t count);

#endif

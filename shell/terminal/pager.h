/* pager.h -- a long text a screen at a time */
#ifndef RANKSH_PAGER_H
#define RANKSH_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/* One for all that a line prints. Zeroed: nothing was printed yet */
struct pager {
	int used;    /* rows of the screen since it last waited for a key */
	bool enough; /* the rest is not wanted */
};

/* The lines, folded to the terminal's width. Behind each screen it waits for a key: space shows the next screen, Enter one row
 * more, q or Ctrl-C drops the rest. Where input or output is no terminal all is printed. */
void pager_print(struct pager *pager, const char *lines, size_t count);

#endif

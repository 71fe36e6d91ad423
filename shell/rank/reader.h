/* reader.h -- lines from descriptor 0. Interrupts are read ahead of their turn. An interrupt stops
 * all earlier requests that are not finished. */
#ifndef RANKSH_READER_H
#define RANKSH_READER_H

#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

/* A zeroed struct has read nothing.
 *
 *     waiting   request 7 \n request 8 \n req          taken 6: running; whole 2
 *               |------- seen ---------| */
struct line_reader {
	struct text waiting; /* read but not taken; release it at the end */
	size_t seen, whole;  /* its whole lines: bytes and number */
	size_t taken;        /* number of requests taken, from 1: the running one */
	size_t interrupted;  /* all requests up to this one are interrupted; 0: none */
	int64_t ended_ns;    /* wall clock at the input's end; 0: open */
};

/* Takes the next line, without newline; waits up to wait_ms. */
bool reader_take(struct line_reader *reader, int wait_ms, struct text *line);
/* Returns true if the front end is gone and its last line has been taken. */
bool reader_ended(const struct line_reader *reader);
/* Returns true if the running request is interrupted, or if none was taken yet. Never waits. */
bool reader_interrupted(struct line_reader *reader);
/* Returns true if over a second has passed since a read reached the end of the input. */
bool reader_left(const struct line_reader *reader);

#endif

/* reader.h -- lines from descriptor 0. An interrupt is seen early; it is for the request before
 * it. */
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
	size_t interrupted;  /* number of the last interrupted request; 0: none */
	int64_t ended_ns;    /* wall clock at the input's end; 0: open */
};

/* Takes the next line, without newline; waits up to wait_ms. */
bool reader_take(struct line_reader *reader, int wait_ms, struct text *line);
/* Returns true if the front end is gone and its last line has been taken. */
bool reader_ended(const struct line_reader *reader);
/* Returns true if the running request is interrupted. Never waits. */
bool reader_interrupted(struct line_reader *reader);
/* Returns true if, at the last read, the front end had left over a second ago. */
bool reader_left(const struct line_reader *reader);

#endif

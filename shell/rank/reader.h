/* reader.h -- the lines that come down descriptor 0 of rank 0, of which an interrupt is seen out of turn: also
 * while the request before it is at work. It is meant for that request, and for none behind it. */
#ifndef RANKSH_READER_H
#define RANKSH_READER_H

#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

/* A zeroed struct has read nothing.
 *
 *     waiting   request 7 \n request 8 \n req          taken 6: the one at work; whole 2
 *               |------- seen ---------|               */
struct line_reader {
	struct text waiting; /* what was read and not taken */
	size_t seen, whole;  /* its whole lines: their bytes, and how many they are */
	size_t taken;        /* requests taken: the number of the one at work, from 1 */
	size_t interrupted;  /* the number of the request that the last interrupt was for */
	int64_t ended_ns;    /* wall clock when the input had ended; 0: it has not */
};

/* The next line, without its newline, in place of what is in `line`; waits up to wait_ms. false: none came. */
bool reader_take(struct line_reader *reader, int wait_ms, struct text *line);
/* Nothing more will come: the front end is gone, and its last line has been taken. */
bool reader_ended(const struct line_reader *reader);
/* Has an interrupt come behind the request at work? Asked from within long runs; waits for nothing. */
bool reader_interrupted(struct line_reader *reader);
/* The request at work goes on: what has come is no interrupt of it. */
void reader_forget_interrupt(struct line_reader *reader);
/* The front end has been gone for a second, as of the last look: nobody is there to see the rest of the run. */
bool reader_left(const struct line_reader *reader);
void reader_release(struct line_reader *reader);

#endif

/* reader.h -- a thread on rank 0 that takes lines from descriptor 0, so that Ctrl-C and the end of the input
 * are seen while rank 0 is busy. It makes no MPI call. An interrupt is meant for the request before it: it is
 * counted with that request's number. */
#ifndef RANKSH_READER_H
#define RANKSH_READER_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>

struct line_reader;
enum status reader_start(struct line_reader **reader, int descriptor);
/* The next line (mem_free), without its newline, and its number from 1; waits up to wait_ms. false: none
 * came. */
bool reader_take(struct line_reader *reader, int wait_ms, char **line, size_t *count, long *number);
/* Nothing more will come: the front end is gone, or its last line has been taken. */
bool reader_ended(struct line_reader *reader);
/* Has an interrupt come behind request `number`, or is the front end gone? Asked from within long runs. */
bool reader_interrupted(struct line_reader *reader, long number);
/* Ends the thread, also one that waits for input; lines that nobody took are gone. */
void reader_stop(struct line_reader *reader);

#endif

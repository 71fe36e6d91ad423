/* explain.h -- a row's PyTorch line or CUDA call with a line's names filled in */
#ifndef RANKSH_EXPLAIN_H
#define RANKSH_EXPLAIN_H

#include "shell/language/run/command.h"

/* explain on: shows the CUDA or NCCL call and the PyTorch line for a line that has just run. */
void explain_line(struct call *call);
/* line: of a command ("copy h -> x on io"), whose row has the usage ("copy FROM -> TO [on
 * STREAM]"); stream: its stream's name or NULL; text: the row's words ("TO.copy_(FROM)"). Appends
 * "x.copy_(h)". */
void explain_fill(const struct statement *line, const char *stream, const char *text, struct text *out);

#endif

/* predicted.h -- private to trace/: what was measured beside what the simulator had said */
#ifndef RANKSH_TRACE_PREDICTED_H
#define RANKSH_TRACE_PREDICTED_H

#include "trace/trace.h"

/* A table by kind of operation, of what has run in the section on all ranks; nothing where the backend measures nothing. */
enum status trace_predicted(const struct trace *trace, int section, int width, struct text *out);

#endif

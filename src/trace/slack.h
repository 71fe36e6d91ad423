/* slack.h -- private to trace/: how much later each operation could end */
#ifndef RANKSH_TRACE_SLACK_H
#define RANKSH_TRACE_SLACK_H

#include "trace/constraints.h"

/* *slack: by operation, ns that it may end later without moving `end`, where durations stay as they are; TIME_UNKNOWN: it
 * never ends, or is of another section than asked for (-1: any) and nothing of that waits for it. mem_free, in any case.
 * ST_INTERRUPTED */
enum status slack_find(const struct constraints *c, int section, int64_t end, int64_t **slack);

#endif

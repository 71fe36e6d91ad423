/* diff.h -- two sections, or two worlds, side by side */
#ifndef RANKSH_TRACE_DIFF_H
#define RANKSH_TRACE_DIFF_H

#include "trace/trace.h"

struct diff_side {
	struct trace trace;
	int section; /* -1: everything */
	const char *name;
};
/* Appends the figures of both. ST_INTERRUPTED */
enum status trace_diff_figures(const struct diff_side side[2], int width, struct text *out);
/* Appends number and mean time of the operations of each name, if they differ. */
enum status trace_diff_operations(const struct diff_side side[2], int width, struct text *out);

#endif

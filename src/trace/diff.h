/* diff.h -- two sections, or two worlds, side by side */
#ifndef RANKSH_TRACE_DIFF_H
#define RANKSH_TRACE_DIFF_H

#include "trace/trace.h"

struct diff_side {
	struct trace trace;
	int section; /* -1: everything */
	const char *name;
};
/* The figures of both. ST_INTERRUPTED */
enum status trace_diff_figures(const struct diff_side side[2], int width, struct text *out);
/* How often operations of one name ran, and how long each took, where that differs */
enum status trace_diff_operations(const struct diff_side side[2], int width, struct text *out);

#endif

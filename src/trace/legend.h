/* legend.h -- private to trace/: what the letters of a timeline mean, told once each, where they first
 * occur */
#ifndef RANKSH_TRACE_LEGEND_H
#define RANKSH_TRACE_LEGEND_H

#include "trace/trace.h"

struct legend_entry {
	char words[64];
	int row;
	bool told;
};
struct legend {
	struct legend_entry *entry;
	size_t count;
	int width; /* columns of the longest entry */
};                 /* row: the lane's row where it first occurs */

void legend_release(struct legend *legend);
/* Adds the words for one lane's spans, longest cause first; words that the legend has already are not
 * repeated, so the first row that shows a cause explains it. host: the lane is a host's. */
void legend_add(
        struct legend *legend, const struct trace *trace, int row, bool host, const struct spans *spans);
/* Entries that fit into `width` columns at this row, joined: those that begin here or above and are not told
 * yet. */
void legend_line(struct legend *legend, int row, int width, struct text *line);

#endif

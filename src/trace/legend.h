/* legend.h -- private to trace/: what the letters of a timeline mean, told once each, where they first
 * occur */
#ifndef RANKSH_TRACE_LEGEND_H
#define RANKSH_TRACE_LEGEND_H

#include "trace/trace.h"

/* "e waited for io" of lane compute of the rows that begin with rank 0: letter, lane, words (cut where they are longer) */
struct legend_entry {
	char letter[4], lane[20], words[64];
	int row, rank; /* the first row in which it occurs, and the first rank of that */
	bool told;
};
struct legend {
	struct legend_entry *entry;
	size_t count;
	int width; /* columns of the longest entry, once legend_close is called */
};

void legend_release(struct legend *legend);
/* Adds the words for one lane's spans, longest cause first; words that the legend has already are not
 * repeated, so the first row that shows a cause explains it. rank: the first of the lane's ranks; begun: the lane has worked
 * before the window; unlike: its ranks wait for unlike ranks, and the words are the first one's. */
void legend_add(struct legend *legend, const struct trace *trace, int row, int rank, int stream, bool begun,
        bool unlike, const struct spans *spans);
/* Words of its own, as "now 3.24 ms" */
void legend_say(struct legend *legend, const char *words);
/* All are added: a letter that stands for several things is told with each one's lane. */
void legend_close(struct legend *legend);
/* Entries that fit into `width` columns at this row, joined: those that begin here or above and are not told
 * yet. False: there is none */
bool legend_line(struct legend *legend, int row, int width, struct text *line);

#endif

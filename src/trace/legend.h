/* legend.h -- private to trace/: the words for a timeline's letters, each once, at its first
 * row */
#ifndef RANKSH_TRACE_LEGEND_H
#define RANKSH_TRACE_LEGEND_H

#include "trace/trace.h"

/* "e waited for io" of lane compute in rows that begin with rank 0: letter, lane, words (cut if
 * longer) */
struct legend_entry {
	char letter[4], lane[20], words[64];
	int row, rank; /* the first row with it, and that row's first rank */
	bool told;
};
struct legend {
	struct legend_entry *entry;
	size_t count;
	int width; /* columns of the longest entry, after legend_close */
};

void legend_release(struct legend *legend);
/* Adds the words for one lane's spans, longest cause first; words already there are not repeated,
 * so the first row of a cause explains it. rank: the lane's first rank; begun: the lane has worked
 * before the window; unlike: its ranks wait for different ranks, and the words are the first
 * one's. */
void legend_add(struct legend *legend, const struct trace *trace, int row, int rank, int stream, bool begun,
        bool unlike, const struct spans *spans);
/* Adds other words, such as "now 3.24 ms". */
void legend_say(struct legend *legend, const char *words);
/* Ends adding: a letter with several meanings gets its lane. */
void legend_close(struct legend *legend);
/* Stores the entries of this row or above that fit into `width` columns (at least one) and were
 * not stored before. Returns false if there is none. */
bool legend_line(struct legend *legend, int row, int width, struct text *line);

#endif

/* figures.h -- private to trace/: the figures of one rank in one section by name, for `stats` and `diff` */
#ifndef RANKSH_TRACE_FIGURES_H
#define RANKSH_TRACE_FIGURES_H

#include "trace/trace.h"

enum figure_kind {
	FIGURE_TIME /* ns */,
	FIGURE_PART,
	FIGURE_BYTES,
	FIGURE_COUNT,
	FIGURE_MOST, /* of all ranks */
	FIGURE_PEAK  /* bytes, the most of all ranks */
};
/* One figure by its name: "busy io", "bytes nvlink out". Figures of ranks are compared and merged by name. */
struct figure {
	char name[72];
	enum figure_kind kind;
	double value;
	bool known; /* false: something has no end yet */
};
struct figures {
	struct figure *figure;
	size_t count;
	enum status status; /* of those of a rank while they are put */
};                          /* a zeroed struct is empty */

enum status figures_of_rank(const struct trace *trace, int section, int rank, struct figures *figures);
/* Over ranks: the largest time and peak, the sum of counts and bytes, the mean of parts; names in order of
 * first use. */
enum status figures_of_section(const struct trace *trace, int section, struct figures *figures);
/* Adds those of `more` whose names are new, each behind the one that stands before it there: kinds stay
 * together. */
void figures_join(struct figures *figures, const struct figures *more);
const struct figure *figures_find(const struct figures *figures, const char *name);
void figure_text(const struct figure *figure, struct text *out);
void figures_release(struct figures *figures);
/* "prefetch", "the start" for what stands before the first mark, "everything" for -1 */
const char *section_name(const struct trace *trace, int section);
bool section_used(const struct trace *trace, int section); /* anything but initial data was queued in it */

/* predicted.c: a table by kind of operation, what was measured beside what the simulator had said, of all that has run in the section;
 * nothing where the backend measures nothing. */
enum status trace_predicted(const struct trace *trace, int section, int width, struct text *out);

#endif

/* figures.h -- private to trace/: the figures of one rank in one section by name, for `stats` and
 * `diff` */
#ifndef RANKSH_TRACE_FIGURES_H
#define RANKSH_TRACE_FIGURES_H

#include "trace/trace.h"

enum figure_kind {
	FIGURE_TIME /* ns */,
	FIGURE_PART,
	FIGURE_BYTES,
	FIGURE_COUNT,
	FIGURE_MOST, /* largest of all ranks */
	FIGURE_PEAK  /* bytes, largest of all ranks */
};
/* Ranks' figures are compared and merged by name: "busy io", "bytes nvlink out". */
struct figure {
	char name[72];
	enum figure_kind kind;
	double value;
	bool known; /* false: an operation has no end yet */
};
/* A zeroed struct is empty. */
struct figures {
	struct figure *figure;
	size_t count;
	enum status status; /* the first failure while a rank's figures are added */
};

enum status figures_of_rank(const struct trace *trace, int section, int rank, struct figures *figures);
/* Stores the figures over all ranks: the largest time and peak, the sum of counts and bytes, the
 * mean of parts. */
enum status figures_of_section(const struct trace *trace, int section, struct figures *figures);
/* Adds the figures of `more` with new names, each after its predecessor in `more`, so that kinds
 * stay together. */
void figures_join(struct figures *figures, const struct figures *more);
const struct figure *figures_find(const struct figures *figures, const char *name);
void figure_text(const struct figure *figure, struct text *out);
void figures_release(struct figures *figures);
/* Returns "prefetch", "the start" before the first mark, "everything" for -1. */
const char *section_name(const struct trace *trace, int section);
/* True if the section has any operation but initial data. */
bool section_used(const struct trace *trace, int section);

/* predicted.c: appends measured and simulated times by kind of operation for the section's
 * finished operations; nothing if the backend measures nothing. */
enum status trace_predicted(const struct trace *trace, int section, int width, struct text *out);

#endif

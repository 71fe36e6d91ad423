/* intervals.h -- private to trace/: interval sets of time, for figures such as overlap.
 *
 * An interval is [from, to) in nanoseconds. Once joined, a set's parts are
 *   1. not empty,   2. in the order of their starts,   3. apart: part[i].to < part[i + 1].from.
 * Lengths and intersections are then one pass each; before that a set is only a list. */
#ifndef RANKSH_TRACE_INTERVALS_H
#define RANKSH_TRACE_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

struct interval {
	int64_t from, to;
};
/* A zeroed struct is the empty set. */
struct intervals {
	struct interval *part;
	size_t count;
};

/* Adds an interval, in any order; ignores empty ones. Call intervals_join before asking for
 * lengths. */
void intervals_add(struct intervals *set, int64_t from, int64_t to);
/* Sorts the parts, and joins those that overlap or touch. */
void intervals_join(struct intervals *set);
int64_t intervals_length(const struct intervals *set);
/* Returns the length of the intersection of two joined sets. */
int64_t intervals_common(const struct intervals *a, const struct intervals *b);
void intervals_release(struct intervals *set);

#endif

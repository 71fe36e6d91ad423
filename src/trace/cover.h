/* cover.h -- private to trace/: sets of time as sorted, disjoint intervals, for figures such as overlap */
#ifndef RANKSH_TRACE_COVER_H
#define RANKSH_TRACE_COVER_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

struct interval {
	int64_t from, to;
};
struct cover {
	struct interval *part;
	size_t count, room;
}; /* a zeroed struct is the empty set */

void cover_add(
        struct cover *cover, int64_t from, int64_t to); /* in any order; call cover_join before asking */
void cover_join(struct cover *cover);                   /* sorts, and joins what overlaps or touches */
int64_t cover_length(const struct cover *cover);
int64_t cover_common(const struct cover *a, const struct cover *b); /* time in both */
void cover_release(struct cover *cover);

#endif

/* ranks.h -- a set of ranks, 0 to RANKS_MAX-1, as bits */
#ifndef RANKSH_RANKS_H
#define RANKSH_RANKS_H

#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

enum { RANKS_MAX = 4096, RANKS_WORDS = RANKS_MAX / 64 };

struct ranks {
	uint64_t words[RANKS_WORDS];
	uint64_t some; /* bit w: words[w] is not 0 */
};
_Static_assert(RANKS_WORDS == 64, "`some` has a bit for each word");

void ranks_all(struct ranks *set, int n); /* 0 .. n-1 */
void ranks_one(struct ranks *set, int rank);
void ranks_add(struct ranks *set, int rank);
void ranks_drop(struct ranks *set, int rank);
void ranks_and(struct ranks *set, const struct ranks *other);
void ranks_or(struct ranks *set, const struct ranks *other);
bool ranks_has(const struct ranks *set, int rank);
bool ranks_empty(const struct ranks *set);
bool ranks_equal(const struct ranks *a, const struct ranks *b);
int ranks_count(const struct ranks *set);
int ranks_first(const struct ranks *set);          /* -1: empty */
int ranks_next(const struct ranks *set, int rank); /* above `rank`; -1: none */
/* Appends "0-3", "0,2", "1". */
void ranks_text(const struct ranks *set, struct text *out);
/* Words for n ranks: "ranks are 0-3", "the only rank is 0" */
struct ranks_of_text {
	char text[32];
};
struct ranks_of_text ranks_of_text(int n);
/* Appends ranks_text if it fits into `columns`; else a number and an example, as far as there is
 * room: "908 ranks, e.g. 0", "908 e.g. 0", "908x". */
void ranks_brief(const struct ranks *set, int columns, struct text *out);

#define FOR_RANKS(r, set) for (int r = ranks_first(set); r >= 0; r = ranks_next(set, r))

#endif

/* numbers.h -- the numbers that a line's answer shows, by name, for programs that read answers
 *
 *     print time rank      "time"  equal on all ranks   4520000       times are in ns, sizes in bytes
 *                          "rank"  by rank              [0,1,2,3]
 *
 * A name has its latest value. At most NUMBERS_MOST names are kept. */
#ifndef RANKSH_NUMBERS_H
#define RANKSH_NUMBERS_H

#include "base/text.h"

enum { NUMBERS_MOST = 1000 };
struct rank_number {
	int rank;
	double value;
};
struct named_number {
	char *name; /* owned */
	struct rank_number *of;
	size_t ranks;
};
/* A zeroed struct is empty, and keeps none. */
struct numbers {
	bool wanted; /* by the front end */
	struct named_number *number;
	size_t count;
};

void numbers_add(struct numbers *numbers, int rank, const char *name, double value);
/* Appends the numbers of rank `me`, to be sent to rank 0, and forgets all. */
void numbers_pack(struct numbers *numbers, int me, struct text *bytes);
/* On rank 0: adds a rank's packed numbers. Returns false if they cannot be read (a bug). */
bool numbers_unpack(struct numbers *numbers, int rank, const void *bytes, size_t count);
/* Appends {"NAME": NUMBER or a list with one for each of n ranks, null: none} if there is any, and
 * forgets all. */
void numbers_take(struct numbers *numbers, int n, struct text *json);
void numbers_release(struct numbers *numbers);

#endif

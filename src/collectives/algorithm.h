/* algorithm.h -- the collective algorithms and their names; other files pass numbers, uint8_t */
#ifndef RANKSH_COLLECTIVES_ALGORITHM_H
#define RANKSH_COLLECTIVES_ALGORITHM_H

/* X(symbol, name): NAME.c in this folder defines algorithm_NAME (inside.h). Without `algo=`,
 * `unroll` takes the first one that has steps. */
#define ALGORITHMS(X) \
	X(RING, ring) \
	X(TREE, tree) \
	X(NVLS, nvls) \
	X(PAT, pat)
enum algorithm {
	ALGORITHM_AUTO,
#define X(symbol, name) ALGORITHM_##symbol,
	ALGORITHMS(X)
#undef X
	        ALGORITHM_COUNT
};

/* The values of `algo=`, in the order of enum algorithm */
#define ALGORITHM_AFTER_BLANK(symbol, name) " " #name
#define ALGORITHM_AFTER_BAR(symbol, name) "|" #name
#define ALGORITHM_WORDS "auto" ALGORITHMS(ALGORITHM_AFTER_BLANK) /* "auto ring tree ..." */
#define ALGORITHM_CHOICE "auto" ALGORITHMS(ALGORITHM_AFTER_BAR)  /* "auto|ring|tree ..." */

/* Returns the word for an enum algorithm. */
const char *algorithm_name(int algorithm);

#endif

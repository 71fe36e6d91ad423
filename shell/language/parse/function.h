/* function.h -- the functions and metrics of expressions: one row each, and how each is computed
 * (functions.c) */
#ifndef RANKSH_FUNCTION_H
#define RANKSH_FUNCTION_H

#include "shell/language/parse/tree.h"

/* X(symbol, name, arguments at least, at most, kinds, metric)
 * kinds, one letter an argument (the last one repeats): n number, t tensor, s stream, e event, g group, c
 * cause, l link, o operation, k section
 * Rows of one family stand together: evaluate_function tells them by their first and last. */
#define FUNCTIONS(X)                          \
	X(MIN, "min", 1, 16, "n", 0)          \
	X(MAX, "max", 1, 16, "n", 0)          \
	X(ABS, "abs", 1, 1, "n", 0)           \
	X(SQRT, "sqrt", 1, 1, "n", 0)         \
	X(CEIL, "ceil", 1, 1, "n", 0)         \
	X(ROUND, "round", 1, 1, "n", 0)       \
	X(SHORT, "short", 1, 1, "n", 0)       \
	X(LOG2, "log2", 1, 1, "n", 0)         \
	X(DIVISOR, "divisor", 2, 2, "nn", 0)  \
	X(GPUS, "gpus", 0, 0, "", 0)          \
	X(CLOSE, "close", 2, 3, "ttn", 0)     \
	X(NORM, "norm", 1, 1, "t", 0)         \
	X(SUM, "sum", 1, 1, "t", 0)           \
	X(BYTES, "bytes", 1, 1, "t", 0)       \
	X(SIZE, "size", 1, 1, "g", 0)         \
	X(WORK, "work", 1, 1, "n", 0)         \
	X(MICRO, "micro", 1, 1, "n", 0)       \
	X(CHUNK, "chunk", 1, 1, "n", 0)       \
	X(DOING, "doing", 1, 1, "n", 0)       \
	X(WORKS, "works", 1, 1, "n", 0)       \
	X(MEMORIES, "memories", 1, 1, "n", 0) \
	X(TURN, "turn", 1, 1, "n", 0)         \
	X(INPUTS, "inputs", 1, 1, "n", 0)     \
	X(SLOTS, "slots", 0, 0, "", 1)        \
	X(TIME, "time", 0, 1, "k", 1)         \
	X(OVERLAP, "overlap", 2, 3, "ssk", 1) \
	X(BUSY, "busy", 1, 2, "sk", 1)        \
	X(EXPOSED, "exposed", 0, 2, "sk", 1)  \
	X(STALL, "stall", 1, 2, "ck", 1)      \
	X(ELAPSED, "elapsed", 2, 2, "ee", 1)  \
	X(PEAK, "peak", 0, 0, "", 1)          \
	X(BUBBLE, "bubble", 0, 1, "k", 1)     \
	X(SENT, "sent", 0, 2, "lk", 1)        \
	X(BUSBW, "busbw", 1, 1, "o", 1)       \
	X(COUNT, "count", 1, 2, "ok", 1)      \
	X(RACES, "races", 0, 1, "k", 1)       \
	X(STUCK, "stuck", 0, 0, "", 1)
enum function {
#define X(symbol, name, least, most, kinds, metric) FUNCTION_##symbol,
	FUNCTIONS(X)
#undef X
	        FUNCTION_ROWS
};

struct function_row {
	enum function function;
	const char *name;
	int least, most;
	const char *kinds;
	bool metric;
};
const struct function_row *function_find(const char *name, size_t length); /* NULL if none */
const struct function_row *function_at(int i);                             /* NULL behind the last */
static inline bool function_reads_data(enum function f)
{
	return f == FUNCTION_CLOSE || f == FUNCTION_NORM || f == FUNCTION_SUM;
}

#endif

/* function.h -- the functions and metrics of expressions: one row each */
#ifndef RANKSH_FUNCTION_H
#define RANKSH_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

/* X(symbol, computed by, name, arguments at least, at most, kinds, nature)
 *
 * computed by: a function of run/functions.h; a row without one does not build. kinds, one letter an argument
 * (the last one repeats): n number, t tensor, s stream, e event, g group, c cause, l link, o operation, k
 * section (left out: the one that runs now), x stream, or alone a section. nature: enum function_nature */
#define FUNCTIONS(X)                                               \
	X(MIN, value_of_least_or_most, "min", 1, 16, "n", PLAIN)   \
	X(MAX, value_of_least_or_most, "max", 1, 16, "n", PLAIN)   \
	X(ABS, value_of_rounded, "abs", 1, 1, "n", PLAIN)          \
	X(CEIL, value_of_rounded, "ceil", 1, 1, "n", PLAIN)        \
	X(ROUND, value_of_rounded, "round", 1, 1, "n", PLAIN)      \
	X(SHORT, value_of_rounded, "short", 1, 1, "n", PLAIN)      \
	X(SQRT, value_of_root, "sqrt", 1, 1, "n", PLAIN)           \
	X(LOG2, value_of_root, "log2", 1, 1, "n", PLAIN)           \
	X(DIVISOR, value_of_divisor, "divisor", 2, 2, "nn", PLAIN) \
	X(GPUS, value_of_gpus, "gpus", 0, 0, "", PLAIN)            \
	X(CLOSE, value_of_close, "close", 2, 3, "ttn", DATA)       \
	X(NORM, value_of_read, "norm", 1, 1, "t", DATA)            \
	X(SUM, value_of_read, "sum", 1, 1, "t", DATA)              \
	X(BYTES, value_of_bytes, "bytes", 1, 1, "t", PLAIN)        \
	X(SIZE, value_of_size, "size", 1, 1, "g", PLAIN)           \
	X(WORK, value_of_task, "work", 1, 1, "n", PLAIN)           \
	X(MICRO, value_of_task, "micro", 1, 1, "n", PLAIN)         \
	X(CHUNK, value_of_task, "chunk", 1, 1, "n", PLAIN)         \
	X(DOING, value_of_task, "doing", 1, 1, "n", PLAIN)         \
	X(WORKS, value_of_task, "works", 1, 1, "n", PLAIN)         \
	X(MEMORIES, value_of_task, "memories", 1, 1, "n", PLAIN)   \
	X(TURN, value_of_task, "turn", 1, 1, "n", PLAIN)           \
	X(INPUTS, value_of_task, "inputs", 1, 1, "n", PLAIN)       \
	X(SLOTS, value_of_slots, "slots", 0, 0, "", WORD)          \
	X(TIME, value_of_time, "time", 0, 1, "k", RANK)            \
	X(OVERLAP, value_of_share, "overlap", 2, 3, "ssk", RANK)   \
	X(BUSY, value_of_share, "busy", 1, 2, "sk", RANK)          \
	X(EXPOSED, value_of_time, "exposed", 0, 2, "xk", RANK)     \
	X(STALL, value_of_stall, "stall", 1, 2, "ck", RANK)        \
	X(ELAPSED, value_of_elapsed, "elapsed", 2, 2, "ee", RANK)  \
	X(PEAK, value_of_peak, "peak", 0, 0, "", RANK)             \
	X(BUBBLE, value_of_share, "bubble", 0, 1, "k", ALL)        \
	X(SENT, value_of_share, "sent", 0, 2, "lk", RANK)          \
	X(BUSBW, value_of_busbw, "busbw", 1, 1, "o", RANK)         \
	X(COUNT, value_of_count, "count", 1, 2, "ok", RANK)        \
	X(RACES, value_of_races, "races", 0, 1, "k", ALL)          \
	X(STUCK, value_of_stuck, "stuck", 0, 0, "", ALL)
enum function {
#define X(symbol, compute, name, least, most, kinds, nature) FUNCTION_##symbol,
	FUNCTIONS(X)
#undef X
	        FUNCTION_ROWS
};
enum function_nature {
	NATURE_PLAIN, /* of its arguments and the books */
	NATURE_WORD,  /* ... and it needs no bracket */
	NATURE_DATA,  /* reads tensors, for all ranks at once before it is computed (run/data.c) */
	NATURE_RANK,  /* a metric: of the rank's trace up to now. Needs no bracket */
	NATURE_ALL    /* a metric of all ranks together */
};

struct function_row {
	enum function function;
	const char *name;
	int least, most;
	const char *kinds;
	enum function_nature nature;
};
const struct function_row *function_find(const char *name, size_t length); /* NULL if none */
const char *function_near(const char *word);                               /* the nearest name, or NULL */
static inline bool function_is_metric(const struct function_row *row)
{
	return row->nature >= NATURE_RANK;
}
/* `peak` alone is the function: its word names nothing else */
static inline bool function_is_word(const struct function_row *row)
{
	return !row->least && (row->nature == NATURE_WORD || function_is_metric(row));
}

#endif

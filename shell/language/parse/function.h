/* function.h -- the functions and metrics in expressions: one row each */
#ifndef RANKSH_FUNCTION_H
#define RANKSH_FUNCTION_H

#include "shell/language/parse/rows.h"

#include <stdbool.h>

/* X(symbol, computed by, name, arguments at least, kinds, nature)
 *
 * computed by: value_of_ that, of run/functions.h. nature: enum function_nature. kinds, one letter
 * an argument: n number, t tensor, s stream, e event, g group, c cause, l link, group, stream or
 * tensor, o operation, m kind of memory, k section (default: the current one), x stream, group or
 * kind of work, w kind of work, y stream or tensor. As the last argument, m, w, x and y may also
 * be a section. */
#define FUNCTIONS(X)                                               \
	X(MIN, least_or_most, "min", 1, "nnnnnnnnnnnnnnnn", PLAIN) \
	X(MAX, least_or_most, "max", 1, "nnnnnnnnnnnnnnnn", PLAIN) \
	X(ABS, rounded, "abs", 1, "n", PLAIN)                      \
	X(CEIL, rounded, "ceil", 1, "n", PLAIN)                    \
	X(ROUND, rounded, "round", 1, "n", PLAIN)                  \
	X(SHORT, rounded, "short", 1, "n", PLAIN)                  \
	X(SQRT, rounded, "sqrt", 1, "n", PLAIN)                    \
	X(LOG2, rounded, "log2", 1, "n", PLAIN)                    \
	X(DIVISOR, divisor, "divisor", 2, "nn", PLAIN)             \
	X(GPUS, gpus, "gpus", 0, "", PLAIN)                        \
	X(CLOSE, close, "close", 2, "ttn", DATA)                   \
	X(CLOSE_STEP, close, "close_step", 3, "tttn", DATA)        \
	X(NORM, read, "norm", 1, "t", DATA)                        \
	X(SUM, read, "sum", 1, "t", DATA)                          \
	X(KNOWN, known, "known", 2, "nn", PLAIN)                   \
	X(BYTES, bytes, "bytes", 1, "t", PLAIN)                    \
	X(SIZE, size, "size", 1, "g", PLAIN)                       \
	X(WORK, task, "work", 1, "n", PLAIN)                       \
	X(MICRO, task, "micro", 1, "n", PLAIN)                     \
	X(CHUNK, task, "chunk", 1, "n", PLAIN)                     \
	X(DOING, task, "doing", 1, "n", PLAIN)                     \
	X(WORKS, task, "works", 1, "n", PLAIN)                     \
	X(MEMORIES, task, "memories", 1, "n", PLAIN)               \
	X(PIECE, task, "piece", 1, "n", PLAIN)                     \
	X(HOLDER, task, "holder", 1, "n", PLAIN)                   \
	X(ITS_CHUNK, task, "its_chunk", 1, "n", PLAIN)             \
	X(SLOTS, task, "slots", 0, "", WORD)                       \
	X(TIME, figure, "time", 0, "k", CLOCK)                     \
	X(NOW, now, "now", 0, "", CLOCK)                           \
	X(OVERLAP, figure, "overlap", 2, "ssk", CLOCK)             \
	X(BUSY, figure, "busy", 1, "sk", CLOCK)                    \
	X(EXPOSED, figure, "exposed", 0, "xk", CLOCK)              \
	X(OVERLAPPED, figure, "overlapped", 0, "wk", CLOCK)        \
	X(IDLE, figure, "idle", 0, "k", CLOCK)                     \
	X(HOSTWAIT, figure, "hostwait", 0, "k", CLOCK)             \
	X(STALL, figure, "stall", 1, "ck", CLOCK)                  \
	X(ELAPSED, elapsed, "elapsed", 2, "ee", CLOCK)             \
	X(PEAK, figure, "peak", 0, "mk", RANK)                     \
	X(BUBBLE, figure, "bubble", 0, "k", CLOCK_OF_ALL)          \
	X(SENT, figure, "sent", 0, "lk", RANK)                     \
	X(BUSBW, figure, "busbw", 1, "o", CLOCK)                   \
	X(FLOP_SHARE, figure, "flop_share", 1, "ok", CLOCK)        \
	X(BYTE_SHARE, figure, "byte_share", 1, "ok", CLOCK)        \
	X(MFU, figure, "mfu", 0, "k", CLOCK_OF_ALL)                \
	X(HFU, figure, "hfu", 0, "k", CLOCK_OF_ALL)                \
	X(COUNT, figure, "count", 1, "oyk", RANK)                  \
	X(STALE, figure, "stale", 0, "k", CLOCK)                   \
	X(BEST, best, "best", 1, "n", CLOCK)                       \
	X(RACES, races, "races", 0, "k", ALL)                      \
	X(STUCK, stuck, "stuck", 0, "", CLOCK_OF_ALL)
enum function {
#define X(symbol, compute, name, least, kinds, nature) FUNCTION_##symbol,
	FUNCTIONS(X)
#undef X
	        FUNCTION_ROWS
};
enum function_nature {
	NATURE_PLAIN, /* of its arguments and the world */
	NATURE_WORD,  /* ... and it needs no bracket */
	/* reads tensors, for all ranks at once before it is evaluated */
	NATURE_DATA,
	NATURE_RANK,  /* a metric of the rank's queued work so far; needs no bracket */
	NATURE_ALL,   /* a metric of all ranks together */
	NATURE_CLOCK, /* NATURE_RANK, of times: on a GPU it may differ when the line runs again */
	NATURE_CLOCK_OF_ALL
};

struct function_row {
	enum function function;
	const char *name;
	int least;
	const char *kinds;
	enum function_nature nature;
};
const struct function_row *function_find(struct slice_of_text name); /* NULL if none */
const char *function_near(const char *word);
static inline bool function_is_metric(const struct function_row *row)
{
	return row->nature >= NATURE_RANK;
}
static inline bool function_reads_clock(const struct function_row *row)
{
	return row->nature >= NATURE_CLOCK;
}
/* It compares tensors: an `expect` on it holds without data. */
static inline bool function_is_close(const struct function_row *row)
{
	return row->function == FUNCTION_CLOSE || row->function == FUNCTION_CLOSE_STEP;
}
/* `peak` alone is the function: nothing else has its name. */
static inline bool function_is_word(const struct function_row *row)
{
	return !row->least && (row->nature == NATURE_WORD || function_is_metric(row));
}

#endif

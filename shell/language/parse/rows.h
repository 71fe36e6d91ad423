/* rows.h -- rows of commands, and of functions in expressions. A command's row has its name, help
 * texts, arguments, options, and a function to run. The parser checks a line against the row, so
 * the function receives valid arguments.
 *
 * shell/commands is above the language, so its rows are passed in when a process starts. */
#ifndef RANKSH_ROWS_H
#define RANKSH_ROWS_H

#include "base/number.h"
#include <stdbool.h>
#include <stdint.h>

enum argument_kind {
	ARG_END,
	ARG_TENSOR, /* NAME[slice].T, present on every rank in the set */
	/* a tensor to write, which may be new */
	ARG_RESULT,
	ARG_NEW,        /* a new name */
	ARG_EXPRESSION, /* number, text, metric ... */
	ARG_SHAPE,      /* [64,64] */
	ARG_WORD,       /* one of `words` (divided by blanks; NULL: any word) */
	ARG_STREAM,
	ARG_EVENT,
	ARG_WAITABLE /* an event or a stream */,
	ARG_GROUP,
	ARG_FILE,      /* a path or text */
	ARG_TEXT,      /* "text" */
	ARG_ARROW,     /* -> */
	ARG_RANKS,     /* 0-1 or 1,3 */
	ARG_KEYS,      /* any KEY=VALUE words (set, mesh): call_key() */
	ARG_PRINTABLE, /* a tensor (slice), or else an expression */
	ARG_OP,        /* y, allreduce#3, F3 */
	/* NAME[slice]@PLACE: call_tensor gives this rank's own tensor, call_number the place */
	ARG_REMOTE,
	ARG_BLOCK, /* { } */
};
enum { ARG_OPTIONAL = 1, ARG_MANY = 2 /* one or more; with OPTIONAL none or more */ };
struct argument_row {
	enum argument_kind kind;
	int flags;
	const char *words;
	const char *name; /* in usage and messages */
};
struct option_row {
	const char *name;
	enum argument_kind kind;
	enum unit unit;
	const char *words;
	const char *about;
};

enum command_class {
	COMMAND_PROGRAM, /* runs on the host of each of its ranks */
	COMMAND_LOOK,    /* changes nothing, and is not in the session's log */
	COMMAND_STEER,   /* changes what later lines do */
	COMMAND_SESSION, /* undo, explain, lessons: changes the session but not the world */
};
enum { ARGUMENT_ROWS_MAX = 6, OPTION_ROWS_MAX = 14 };
struct call;
struct shell;
struct slice_of_text {
	const char *at;
	uint32_t length;
};
/* Arguments for "%.*s": a whole slice; its first 60 characters; at most `most` characters of
 * [at, after) */
#define WHOLE(slice) (int)(slice).length, (slice).at
#define SHOWN(slice) (int)((slice).length > 60 ? 60 : (slice).length), (slice).at
#define UP_TO(most, at, after) (int)((after) - (at) < (most) ? (after) - (at) : (most)), (at)
/* the most parts of a line that `+` alone divides; of one that `+` and `/` divide */
enum { PARTS_MAX = 6, PARTS_ALL = 48 };
/* A line's work on one rank. It is called for every rank with act false, to check; then, if no
 * rank refused the line, for every rank with act true. */
typedef enum status one_rank(struct call *call, int rank, bool act);
/* Appends the text that a command shows for argument i on a rank, without a final newline. An
 * empty text is not shown. A text that comes from data is empty except on the rank's own
 * process. */
typedef enum status answer_of(struct call *call, int i, int rank, struct text *text);
struct command {
	const char *name;
	/* of `help`: "make" "compute" "move" "order" "read" "look" "steer" "learn" "write" */
	const char *topic;
	const char *usage, *help; /* usage NULL: the name; help: a sentence without full stop */
	const char *example;      /* lines that run in an empty world on 4 ranks; the tests do */
	const char *torch, *cuda; /* PyTorch line; CUDA or NCCL call; NULL if there is none */
	enum command_class class;
	/* the line has this class instead if its first argument is one of `words` ("*": if it has
	 * any argument or option) */
	struct {
		const char *words;
		enum command_class class;
	} unless;
	/* "+" or "+/": these signs divide the line into parts, each with its own KEY=VALUE */
	const char *divided;
	/* a kernel has the same name; this row is for lines with `->`: `add g -> w@0` */
	bool beside_kernel;
	/* it only shows values read from data: the log does not keep them (session/steering.h) */
	bool shows;
	/* the rest of its line, `;` and braces included, is one text, the argument of row 0 */
	bool verbatim;
	bool stream_ok, group_ok, results_ok /* OUT ... = */;
	/* the thing it changes, if all ranks share that ("the machine"); such a line must be for
	 * all ranks */
	const char *for_all;
	struct argument_row argument[ARGUMENT_ROWS_MAX];
	struct option_row option[OPTION_ROWS_MAX];
	enum status (*run)(struct call *call);
	one_rank *each;     /* replaces run: what the line does on one rank */
	answer_of *answers; /* replaces run: its text for one rank (answer_each) */
	/* TAB, on rank 0 alone: appends the words that may follow, "word\n" each. name: the first
	 * word after the command, or after a ` + `, without its =VALUE; "" if none yet */
	void (*follows)(const char *name, struct text *out);
	const struct kernel *kernel; /* of a row made from a kernel (submit/rows.c); else NULL */
	const struct collective *collective;
};
static inline const char *command_usage(const struct command *row)
{
	return row->usage ? row->usage : row->name;
}
/* Each finds a command, kernel or collective; NULL if none has the name. */
const struct command *command_find(const char *name);
const struct command *command_called(struct slice_of_text name);
const struct command *command_beside_kernel(struct slice_of_text name);
const struct command *commands_at(int i); /* sorted by name; NULL after the last */

/* Rows made from src/kernels and src/collectives. A row of shell/commands/ with the same name
 * replaces them. A kernel's row: argument[0] any number of tensors, in order, with other words
 * between them; [1] a SHAPE; [2] EXPRESSIONs without a key (`spin 2ms x`, `fill x 0`), which fill
 * the kernel's options, those without a default first; [3] a dtype word (sources). A collective's
 * row: argument[0] the tensor (none for barrier), [1] the word `unroll`. */
enum { KERNEL_TENSORS, KERNEL_SHAPE, KERNEL_NUMBERS, KERNEL_DTYPE };
enum { COLLECTIVE_TENSOR, COLLECTIVE_UNROLL };

/* Adds rows, up to a NULL. The first call requires different names; later, a row whose name is
 * taken is dropped. */
void rows_add(const struct command *const *rows);
const char *command_near(const char *word); /* NULL if none is near */

/* ---- functions and metrics in expressions: a row each ---- */

/* X(symbol, computed by, name, fewest arguments, kinds, nature)
 *
 * computed by: the C function is value_of_ and this word (run/functions.h). kinds: a letter for
 * each argument: n number; t tensor; s stream; e event; g group; c cause; l link, group, stream or
 * tensor; o operation; m kind of memory; k section (default: the current one); x stream, group or
 * kind of work; w kind of work; y stream or tensor. A last argument m, w, x or y may also be a
 * section. */
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
	NATURE_PLAIN, /* depends on its arguments and the world */
	NATURE_WORD,  /* as PLAIN; it is called without brackets */
	/* reads tensors, which are fetched for all ranks before the evaluation */
	NATURE_DATA,
	NATURE_RANK,        /* a metric of the rank's work so far */
	NATURE_ALL,         /* a metric of all ranks together */
	NATURE_CLOCK,       /* as RANK, of times: on a GPU they differ from run to run */
	NATURE_CLOCK_OF_ALL /* as ALL, of times */
};

struct function_row {
	enum function function;
	const char *name;
	int least;
	const char *kinds;
	enum function_nature nature;
};
const struct function_row *function_find(struct slice_of_text name); /* NULL if none */
const char *function_near(const char *word);                         /* NULL if none is near */
static inline bool function_is_metric(const struct function_row *row)
{
	return row->nature >= NATURE_RANK;
}
/* Returns true for a comparison of tensors, which holds with --dry. */
static inline bool function_is_close(const struct function_row *row)
{
	return row->function == FUNCTION_CLOSE || row->function == FUNCTION_CLOSE_STEP;
}
/* Returns true if the name alone is a call, as `peak` is; it is then reserved. */
static inline bool function_is_word(const struct function_row *row)
{
	return !row->least && (row->nature == NATURE_WORD || function_is_metric(row));
}

#endif

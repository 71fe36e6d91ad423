/* rows.h -- a command is a row: name, words for help, what it takes, and a function that starts with
 * valid input. The row does the checking: argument counts, kinds, ranges, usage, help, completion and
 * "did you mean" come from it, before `run`.
 *
 * Commands stand above the language, so their rows are handed down when a process starts. */
#ifndef RANKSH_ROWS_H
#define RANKSH_ROWS_H

#include "base/number.h"
#include <stdbool.h>
#include <stdint.h>

enum argument_kind {
	ARG_END,
	ARG_TENSOR, /* NAME[slice].T that must exist on every rank of the set */
	ARG_RESULT, /* a tensor or slice that is written: may be new (left of '=', or where the row says) */
	ARG_NEW,    /* a name to be made */
	ARG_EXPRESSION, /* number, text, metric ... */
	ARG_SHAPE,      /* [64,64] */
	ARG_WORD,       /* one of `words` (separated by blanks; NULL: any word) */
	ARG_STREAM,
	ARG_EVENT,
	ARG_WAITABLE /* an event or a stream */,
	ARG_GROUP,
	ARG_FILE,      /* a path or text */
	ARG_TEXT,      /* "text" */
	ARG_ARROW,     /* -> */
	ARG_RANKS,     /* 0-1 or 1,3 */
	ARG_KEYS,      /* any KEY=VALUE words (set, mesh): see call_key() */
	ARG_PRINTABLE, /* a tensor (slice) or else an expression */
	ARG_OP,        /* y, allreduce#3, F3 */
	ARG_REMOTE,    /* NAME[slice]@PLACE: call_tensor gives this rank's own, call_number the place */
	ARG_BLOCK,     /* { } */
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
	COMMAND_PROGRAM, /* joins the host programs of its ranks; not while looking only */
	COMMAND_LOOK,    /* changes nothing: no line of the session's log */
	COMMAND_STEER,   /* changes what later lines do */
	COMMAND_SESSION, /* undo, explain, lessons: changes the session and not the world */
};
enum { ARGUMENT_ROWS_MAX = 6, OPTION_ROWS_MAX = 14 };
struct call; /* the line at hand: run/command.h */
struct shell;
struct slice_of_text {
	const char *at;
	uint32_t length;
};
/* Arguments of a "%.*s": all of a slice; no more of it than a message shows; no more than `most` of [at,
 * after) */
#define WHOLE(slice) (int)(slice).length, (slice).at
#define SHOWN(slice) (int)((slice).length > 60 ? 60 : (slice).length), (slice).at
#define UP_TO(most, at, after) (int)((after) - (at) < (most) ? (after) - (at) : (most)), (at)
enum { PARTS_MAX = 6 /* of a line that `+` divides */, PARTS_ALL = 48 /* that `/` divides too */ };
/* The two halves of a line that runs rank by rank: with act false `one` checks, and any mistake refuses the
 * line; when all ranks have passed it runs again with act true. */
typedef enum status one_rank(struct call *call, int rank, bool act);
/* What argument i of the line comes to on a rank; without a newline at its end. What stays empty is not shown:
 * with data it is made by the rank's own process alone. */
typedef enum status answer_of(struct call *call, int i, int rank, struct text *text);
struct command {
	const char *name;
	const char
	        *topic; /* of `help`: "make" "compute" "move" "order" "read" "look" "steer" "learn" "write" */
	const char *usage, *help; /* help: one sentence, no final full stop needed */
	const char *example;      /* lines that run in an empty world on 4 ranks; the tests do */
	const char *torch, *cuda; /* PyTorch line; CUDA or NCCL call. NULL where there is none */
	enum command_class class; /* COMMAND_PROGRAM where a row does not say */
	/* of a COMMAND_LOOK: its first words ("*": any) that make the line one of another class */
	struct {
		const char *words;
		enum command_class class;
	} unless;
	/* each of these signs ("+", "+/") between its words divides the line into parts, which have keys of their own */
	const char *divided;
	/* the row of lines with `->`, where a kernel has the same name: `add g -> w@0`, beside `y = add a b` */
	bool beside_kernel;
	/* what its expressions read is only shown: no line goes on otherwise because of it (session/steering.h) */
	bool shows;
	/* all behind its name, to the end of the line, is one text as it stands, `;` and braces too: the argument of row 0 */
	bool verbatim;
	bool stream_ok, group_ok, results_ok /* OUT ... = */;
	const char
	        *for_all; /* what it changes, "the machine", is one for all ranks: refused for some of them */
	struct argument_row argument[ARGUMENT_ROWS_MAX];
	struct option_row option[OPTION_ROWS_MAX];
	enum status (*run)(struct call *call);
	one_rank *each;     /* in place of run: what the line does on one rank */
	answer_of *answers; /* in place of run: what it says on one (answer_each) */
	/* TAB, by rank 0 alone: what may follow, "word\n" each, where the row's words do not tell. name: the
	 * first word behind the command, or behind a ` + `, without its =VALUE; "": none is there yet */
	void (*follows)(const char *name, struct text *out);
	const struct kernel *kernel; /* of a row made from one: submit/rows.c; else NULL */
	const struct collective *collective;
};
/* Commands, kernels and collectives; NULL: none of that name */
const struct command *command_find(const char *name);
const struct command *command_called(struct slice_of_text name);
const struct command *command_beside_kernel(struct slice_of_text name);
const struct command *commands_at(int i); /* sorted by name; NULL behind the last */

/* Rows made from src/kernels and src/collectives; a row of shell/commands/ with the same name comes
 * first. A kernel's row: argument[0] tensors (any number of words; their order counts, not
 * their place among the other words), [1] a SHAPE,
 * [2] EXPRESSIONs that stand by themselves (`spin 2ms x`, `fill x 0`, `scale x 0.5`: they fill the kernel's
 * options in the row's order, those that have no default first), [3] a dtype word (sources). Its options are
 * the row's options. A collective's row: argument[0] the tensor (none for barrier), [1] the word `unroll`;
 * options op= root= algo=. */
enum { KERNEL_TENSORS, KERNEL_SHAPE, KERNEL_NUMBERS, KERNEL_DTYPE };
enum { COLLECTIVE_TENSOR, COLLECTIVE_UNROLL };

/* The rows, ended by NULL, join those that are there. Of two with one name the first stays. */
void rows_add(const struct command *const *rows);
/* The nearest name of a command, or NULL when none is near */
const char *command_near(const char *word);

#endif

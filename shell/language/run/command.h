/* command.h -- a command is a row: name, words for help, what it takes, and a function that starts with valid
 * input.
 *
 * The row does the checking: argument counts, kinds, ranges, usage, help, completion and "did you mean" come
 * from it, before `run`. To add a command: one file in shell/commands/ that defines `const struct command
 * command_NAME` (the build lists them by itself: every `command_` symbol in that folder goes into the
 * table). */
#ifndef RANKSH_COMMAND_H
#define RANKSH_COMMAND_H

#include "base/number.h"
#include "shell/session/read.h"
#include "shell/session/shell.h"

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
	COMMAND_LOOK,    /* moves no clock; takes no @RANKS unless ranks_ok */
	COMMAND_STEER,
	COMMAND_SESSION, /* help, undo, journal, lessons */
};
enum { ARGUMENT_ROWS_MAX = 6, OPTION_ROWS_MAX = 14 };
struct call;
struct slice_of_text {
	const char *at;
	uint32_t length;
};
struct command {
	const char *name, *aliases; /* aliases: other spellings that give a hint, not a run (see hints.c) */
	const char
	        *topic; /* of `help`: "make" "compute" "move" "order" "read" "look" "steer" "learn" "write" */
	const char *usage, *help; /* help: one sentence, no final full stop needed */
	const char *example;      /* lines that run in an empty world on 4 ranks; the tests do */
	const char *torch, *cuda; /* PyTorch line; CUDA or NCCL call. NULL where there is none */
	enum command_class class;
	bool stream_ok, group_ok, results_ok /* OUT ... = */;
	struct argument_row argument[ARGUMENT_ROWS_MAX];
	struct option_row option[OPTION_ROWS_MAX];
	enum status (*run)(struct shell *shell, struct call *call);
	const struct kernel *kernel; /* of a row made from one: submit/rows.c; else NULL */
	const struct collective *collective;
};
const struct command *command_find(const char *name); /* commands, kernels and collectives; NULL if none */
const struct command *command_at(int i);              /* sorted by name; NULL behind the last */

/* ---- what `run` asks of its line. Values may differ by rank, so each question names one. ---- */

const struct command *call_command(const struct call *call);
const struct ranks *call_ranks(const struct call *call);   /* the line's ranks; never empty */
int call_line(const struct call *call);                    /* number in the journal */
struct slice_of_text call_source(const struct call *call); /* the line as typed, for labels and messages */
/* Where the statement stands in call_text, a line typed now or before: from its first byte to behind its
 * last. false: in a block or file */
const char *call_text(const struct call *call);
bool call_span(const struct call *call, size_t *from, size_t *to);
bool call_alone(const struct call *call);     /* ... and nothing else stands in that line */
bool call_at_prompt(const struct call *call); /* the prompt's own line: in no block, def, loop or file */
const char *call_argument_text(struct call *call, int row,
        int i); /* the argument as typed; valid until the line ends; "" when there is no memory for it */
int call_results(const struct call *call);                /* names left of '=' */
bool call_adds(const struct call *call);                  /* += */
bool call_result_dropped(const struct call *call, int i); /* `_` */
int call_count(const struct call *call, int row);         /* arguments that fell to argument[row] */
enum argument_kind call_kind(
        const struct call *call, int row, int i); /* of a PRINTABLE: ARG_TENSOR or ARG_EXPRESSION */
/* row: index of the argument row; i: which of its (0 unless ARG_MANY). All word failures with the word, what
 * was expected and the nearest. */
enum status call_result(struct call *call, int i, int rank, struct view *view);
enum status call_tensor(struct call *call, int row, int i, int rank, struct view *view);
enum status call_number(struct call *call, int row, int i, int rank, struct number *number);
enum status call_expression_text(
        struct call *call, int row, int i, int rank, struct text *out); /* the value as print shows it */
bool call_expression_reads_data(struct call *call, int row, int i);
enum status call_shape(struct call *call, int row, int i, int rank, int *dims, int64_t *dim);
enum status call_word(struct call *call, int row, int i, int rank,
        const char **word); /* WORD NEW FILE TEXT OP, $ replaced; valid until the line ends */
enum status call_name(
        struct call *call, int row, int i, int rank, name_id *name); /* NEW STREAM EVENT GROUP */
enum status call_thing(struct call *call, int row, int i, int rank,
        struct thing *thing); /* STREAM EVENT WAITABLE GROUP: found */
enum status call_ranks_argument(struct call *call, int row, int i, struct ranks *set);
bool call_has(const struct call *call, const char *option);
enum status call_option(
        struct call *call, const char *option, int rank, struct number *number); /* ST_ARGUMENT if absent */
enum status call_option_word(struct call *call, const char *option, int rank, const char **word);
int call_keys(const struct call *call); /* KEY=VALUE words of ARG_KEYS */
enum status call_key(
        struct call *call, int i, int rank, const char **key, struct number *number, const char **word);
enum status call_stream(struct call *call, int rank,
        int *number); /* `on`, or `use`, or the default stream: its number on the rank */
enum status call_group(
        struct call *call, int rank, int *group); /* `in`, or `use`, or world: index into world.groups */
enum status call_block(struct call *call);        /* runs the line's { } for call_ranks */

/* The phase, section and line of the moment, filled in: begin every record with it. */
void call_record(const struct call *call, struct record *record, enum op_kind kind, const char *title);
/* call_record takes the phase of the line's first rank; this sets phase, colour and micro-batch as they are
 * on `rank`. */
void call_record_phase(const struct call *call, int rank, struct record *record);
/* A record with the line's title, phase (of this rank), section and number; no group, no root, costs not
 * known yet. */
void record_begin(struct call *call, int rank, struct record *record, enum op_kind kind, const char *title);
/* call_record's phase: set by `phase` to the end of the block. */
/* What the memory is for (enum tensor_kind) that a line on `rank` takes now for a tensor of that name. */
int interpreter_kind(const struct shell *shell, int rank, name_id name);
enum status interpreter_phase(struct shell *shell, const struct ranks *set, const char *text);
void interpreter_section(struct shell *shell, int section);
int interpreter_section_now(const struct shell *shell);
/* slots, work(k), micro(k), chunk(k) speak of it from here on; a stage is a place in `group` */
struct schedule_ask;
enum status interpreter_schedule(struct shell *shell, const struct schedule_ask *ask, int group);
enum status interpreter_use(struct shell *shell, struct call *call, const char *stream, const char *group,
        const struct ranks *set);

/* ---- rows made from src/kernels and src/collectives; a row of shell/commands/ with the same name comes
 * first -------------- A kernel's row: argument[0] tensors (any number of words; their order counts, not
 * their place among the other words), [1] a SHAPE,
 * [2] EXPRESSIONs that stand by themselves (`spin 2ms x`, `fill x 0`, `scale x 0.5`: they fill the kernel's
 * options in the row's order, those that have no default first), [3] a dtype word (sources). Its options are
 * the row's options. A collective's row: argument[0] the tensor (none for barrier), [1] the word `unroll`;
 * options op= root= algo=. */
enum { KERNEL_TENSORS, KERNEL_SHAPE, KERNEL_NUMBERS, KERNEL_DTYPE };
enum { COLLECTIVE_TENSOR, COLLECTIVE_UNROLL };
const struct kernel *call_kernel(const struct call *call); /* the row's kernel, or NULL; no search by name */
const struct collective *call_collective(const struct call *call);

/* The text of `help grammar`. */
const char *grammar_text(void);

#endif

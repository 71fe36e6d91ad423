/* command.h -- what a command's `run` asks about its line, and sets for later lines.
 *
 * To add a command, add one file in shell/commands/ that defines `const struct command
 * command_NAME` (row: parse/rows.h; the build lists every `command_` symbol of that folder). A
 * command that queues work first resolves its line on every rank in the set, then changes the
 * world, so a line takes effect on all of its ranks or on none. An umbrella header. */
#ifndef RANKSH_COMMAND_H
#define RANKSH_COMMAND_H

#include "shell/language/parse/tree.h"
#include "shell/values/read.h"
#include "shell/session/shell.h"

/* An option's value; word NULL: the number */
struct given {
	const char *name;
	struct number number;
	const char *word;
	const char *digits; /* a literal number as typed, "8k"; else NULL */
};
/* Returns true if the value is one of the words; `*.csv` matches an ending. */
bool option_is_of(const char *words, struct slice_of_text value);
void given_text(const struct given *given, struct text *out); /* as the language reads it */

/* Questions of `run`. Each names a rank, or COMMON, the value that all the line's ranks have;
 * ST_RANK if they differ. */
enum { COMMON = -1 };

/* The current line. Its statement holds the row, `+=`, results, arguments, options. */
struct word_slot;
struct call {
	struct shell *shell;
	struct statement *statement;
	const struct ranks *set; /* never empty */
	struct word_slot *slot;  /* known values of its words (run.h) */
	/* submit/host.c: the record of the last rank's operation, its fields that may differ by
	 * rank, and the operations that the line's hosts wait for */
	struct {
		uint32_t record;
		name_id phase, object;
		int64_t duration_ns;
	} last;
	op_id *wait;
	size_t waits;
	/* submit/collective.c: the counts of a line with counts, by world rank; else NULL */
	const struct split *split;
};
/* Finds the statement's first byte and end in its line, which it returns; NULL: in a block or
 * file */
const char *call_span(const struct call *call, size_t *from, size_t *to);
/* Appends a line that can be typed to do the same on this rank: with its `@`, and values. */
void call_line(const struct call *call, int rank, struct text *out);
/* the prompt's own line: in no block, def, loop or file */
bool call_at_prompt(const struct call *call);
bool call_outermost(const struct call *call);     /* ... or a script's own line */
bool call_alone(const struct call *call);         /* the prompt's, and alone in its line */
int call_count(const struct call *call, int row); /* number of arguments of argument[row] */
/* Returns argument i of the row; requires i < call_count. */
struct argument *call_argument(const struct call *call, int row, int i);
/* Returns its text as written, "" if it is missing; valid until the line ends. */
const char *call_argument_text(const struct call *call, int row, int i);
/* of a PRINTABLE: a tensor, not an expression */
bool call_is_tensor(const struct call *call, int row, int i);
/* row: index of the argument row; i: index among its arguments (0 unless ARG_MANY) */
enum status call_result(struct call *call, int i, int rank, struct view *view);
enum status call_tensor(struct call *call, int row, int i, int rank, struct view *view);
enum status call_number(struct call *call, int row, int i, int rank, struct number *number);
/* appends the value as `print` shows it */
enum status call_expression_text(struct call *call, int row, int i, int rank, struct text *out);
enum status call_shape(struct call *call, int row, int i, int rank, int *dims, int64_t *dim);
/* WORD NEW FILE TEXT OP, `$` replaced; valid until the line ends */
enum status call_word(struct call *call, int row, int i, int rank, const char **word);
/* NEW STREAM EVENT GROUP */
enum status call_name(struct call *call, int row, int i, int rank, name_id *name);
/* STREAM EVENT WAITABLE GROUP, looked up */
enum status call_thing(struct call *call, int row, int i, int rank, struct thing *thing);
enum status call_ranks_argument(struct call *call, int row, int i, struct ranks *set);
/* COMMON; unchanged if the line has no such word. A row's word, */
enum status call_common(struct call *call, int row, const char **word);
/* ... a whole number from least to most, else ST_RANGE */
enum status call_whole(struct call *call, int row, int64_t least, int64_t most, int64_t *value);
/* Whole numbers from the tensors that two options name, on the line's ranks. The line's hosts wait
 * for them as for `let`. With --dry, or on a walk ahead, `value` is meaningless. *lists begins as
 * {0} and is always released. ST_NAME, ST_DTYPE */
struct lists {
	struct list_counts {
		int64_t first, second; /* numbers in each tensor */
	} * count;                     /* by rank of the line's set, ascending */
	/* rank i's values begin at value[i * each]: the first tensor's, then the second's */
	size_t each;
	double *value;
};
enum status call_lists(struct call *call, const char *first, const char *second, struct lists *lists);
void lists_release(struct lists *lists);
bool call_has(const struct call *call, const char *option);
/* An option's value on a rank, unchanged if the line has none: a number in the row's unit, */
enum status call_option(struct call *call, const char *option, int rank, struct number *number);
/* ... a word, one of the row's, */
enum status call_option_word(struct call *call, const char *option, int rank, const char **word);
/* ... a whole number from least to most, else ST_RANGE */
enum status call_option_whole(
        struct call *call, const char *option, int rank, int64_t least, int64_t most, int64_t *value);
/* The i-th KEY=VALUE of ARG_KEYS, COMMON */
enum status call_key(struct call *call, int i, struct given *given);
/* `on`, `use`, or the default stream: its number on the rank */
enum status call_stream(struct call *call, int rank, int *number);
/* ... for a line that shows or saves host memory; STREAM_HOST if none is named */
int call_read_stream(struct call *call, int rank);
/* ... for work of the GPU: a thread of the host is refused */
enum status call_device_stream(struct call *call, int rank, int *number);
/* `in`, `use`, or world: index into world.groups */
enum status call_group(struct call *call, int rank, int *group);
enum status call_block(struct call *call); /* runs the line's { } */

enum status call_each_rank(struct call *call, one_rank *one);

/* With the line's number, and the phase and section of `rank`; no group, no root, no costs (-1) */
struct record call_record(const struct call *call, int rank, enum op_kind kind, const char *title);
/* `phase`. name: 0 none; colour: of F R B W O C D, 0 none; microbatch: -1 none */
struct phase {
	name_id name;
	char colour;
	int16_t microbatch;
};
struct phase interpreter_phase_at(const struct shell *shell, int rank);
void interpreter_phase(struct shell *shell, const struct ranks *set, const char *text);
/* Returns the purpose (enum tensor_kind) of memory that a line on `rank` takes. */
int interpreter_kind(struct shell *shell, int rank);
void interpreter_section(struct shell *shell, int section);
int interpreter_section_now(const struct shell *shell);
/* The schedule for slots, work(k), micro(k), chunk(k); a stage is a rank of `group`. */
struct schedule;
/* Takes ownership of *schedule's contents; frees the previous ones. */
void interpreter_schedule(struct shell *shell, const struct schedule *schedule, int group);
const struct schedule *interpreter_schedule_now(const struct shell *shell); /* NULL if none */
/* `use`, to the block's end: a stream's name or group; ranks */
void interpreter_use(struct shell *shell, bool stream, const char *name);
void interpreter_use_ranks(struct shell *shell, const struct ranks *set);

#endif

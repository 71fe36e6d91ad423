/* command.h -- how a command reads its line, rank by rank, and changes settings for later lines
 *
 * To add a command, add a file to shell/commands/ that defines `const struct command
 * command_NAME` (parse/rows.h). The build lists every `command_` symbol of that folder. A
 * command that queues work first resolves its line on every rank in the set, then changes the
 * world, so a line takes effect on all of its ranks or on none. An umbrella header. */
#ifndef RANKSH_COMMAND_H
#define RANKSH_COMMAND_H

#include "shell/language/parse/tree.h"
#include "shell/values/read.h"
#include "shell/session/shell.h"

/* An option's value: a word, or, if `word` is NULL, a number */
struct given {
	const char *name;
	struct number number;
	const char *word;
	const char *digits; /* a literal number as typed, "8k"; else NULL */
};
/* Returns true if the value is one of the words; the word `*.csv` matches any ending in .csv. */
bool option_is_of(const char *words, struct slice_of_text value);
void given_text(const struct given *given, struct text *out); /* parses to the same value */

/* Passed as `rank`: asks for the value that all the line's ranks share. The call fails with
 * ST_RANK if their values differ. */
enum { COMMON = -1 };

/* The current line */
struct word_slot;
struct call {
	struct shell *shell;
	struct statement *statement;
	const struct ranks *set; /* never empty */
	struct word_slot *slot;  /* cached values of its words (run.h) */
	/* submit/host.c: the last rank's record, with the fields that may differ by rank; then the
	 * operations that the line's hosts wait for */
	struct {
		uint32_t record;
		name_id phase, object;
		int64_t duration_ns;
	} last;
	op_id *wait;
	size_t waits;
	/* submit/collective.c: split sizes by world rank; NULL if the line has none */
	const struct split *split;
};
/* Returns the typed text, and sets [*from, *to) to the statement in it; NULL in a block or
 * file. */
const char *call_span(const struct call *call, size_t *from, size_t *to);
/* Appends the line as it could be typed for this rank: its `@`, and values for expressions. */
void call_line(const struct call *call, int rank, struct text *out);
/* Returns true for a typed line that is in no block, def, loop or file. */
bool call_at_prompt(const struct call *call);
bool call_outermost(const struct call *call);     /* true for such a line of a script, too */
bool call_alone(const struct call *call);         /* at the prompt, and the only statement */
int call_count(const struct call *call, int row); /* number of arguments of argument[row] */
/* Returns argument i of the row; requires i < call_count. */
struct argument *call_argument(const struct call *call, int row, int i);
/* Returns its text as written, "" if it is missing; valid until the line ends. */
const char *call_argument_text(const struct call *call, int row, int i);
/* Returns true if a PRINTABLE is a tensor, not an expression. */
bool call_is_tensor(const struct call *call, int row, int i);
/* row: index of the argument row; i: index among its arguments (0 unless ARG_MANY) */
enum status call_result(struct call *call, int i, int rank, struct view *view);
enum status call_tensor(struct call *call, int row, int i, int rank, struct view *view);
enum status call_number(struct call *call, int row, int i, int rank, struct number *number);
/* Appends the value as `print` shows it. */
enum status call_expression_text(struct call *call, int row, int i, int rank, struct text *out);
/* Returns true if the expression, whose text was made before, is a number. */
bool call_expression_number(struct call *call, int row, int i, int rank, double *number);
enum status call_shape(struct call *call, int row, int i, int rank, int *dims, int64_t *dim);
/* Stores a WORD, NEW, FILE, TEXT or OP with `$` replaced, valid until the line ends. */
enum status call_word(struct call *call, int row, int i, int rank, const char **word);
/* Stores the name of a NEW, STREAM, EVENT or GROUP. */
enum status call_name(struct call *call, int row, int i, int rank, name_id *name);
/* Stores the thing named by a STREAM, EVENT, WAITABLE or GROUP. Fails with ST_NAME. */
enum status call_thing(struct call *call, int row, int i, int rank, struct thing *thing);
enum status call_ranks_argument(struct call *call, int row, int i, struct ranks *set);
/* Stores the first argument of the row, a word or a whole number, which must be equal on all ranks
 * (COMMON). If the line lacks it, the value is unchanged. Fails with ST_RANGE if a number is not
 * from least to most. */
enum status call_common(struct call *call, int row, const char **word);
enum status call_whole(struct call *call, int row, int64_t least, int64_t most, int64_t *value);
/* Reads the whole numbers in the tensors that two options name. The line's hosts wait for them as
 * for `let`. `value` is meaningless with --dry, and NULL on a walk (interpreter_walks). *lists
 * begins as {0}; always release it. Fails with ST_NAME, ST_DTYPE. */
struct lists {
	struct list_counts {
		int64_t first, second; /* numbers in each tensor */
	} * count;                     /* by rank of the line's set, ascending */
	/* the numbers of the set's i-th rank begin at value[i * each]: the first tensor's, then
	 * the second's */
	size_t each;
	double *value;
};
enum status call_lists(struct call *call, const char *first, const char *second, struct lists *lists);
void lists_release(struct lists *lists);
bool call_has(const struct call *call, const char *option);
/* Store an option's value on a rank: a number in the row's unit, one of the row's words, or a
 * whole number. If the line lacks the option, the value is unchanged. Fail with ST_RANGE if a
 * whole number is not from least to most. */
enum status call_option(struct call *call, const char *option, int rank, struct number *number);
enum status call_option_word(struct call *call, const char *option, int rank, const char **word);
enum status call_option_whole(
        struct call *call, const char *option, int rank, int64_t least, int64_t most, int64_t *value);
/* Stores the i-th KEY=VALUE of ARG_KEYS, which must be equal on all ranks. */
enum status call_key(struct call *call, int i, struct given *given);
/* Stores the number of the line's stream on the rank: of `on`, else `use`, else the default
 * stream. */
enum status call_stream(struct call *call, int rank, int *number);
/* Returns the stream for which a line that shows or saves host memory waits: STREAM_HOST if
 * neither `on` nor `use` names one. */
int call_read_stream(struct call *call, int rank);
/* As call_stream, for work of the GPU. Fails with ST_ARGUMENT for a thread of the host. */
enum status call_device_stream(struct call *call, int rank, int *number);
/* Stores the line's group, an index into world.groups: of `in`, else `use`, else the world. */
enum status call_group(struct call *call, int rank, int *group);
enum status call_block(struct call *call); /* runs the line's { } */

enum status call_each_rank(struct call *call, one_rank *one);

/* Returns a record with the line's number, the rank's phase and the section; group, root and costs
 * are -1. */
struct record call_record(const struct call *call, int rank, enum op_kind kind, const char *title);
/* Set by `phase` */
struct phase {
	name_id name;       /* 0: none */
	char colour;        /* one of F R B W O C D; 0: none */
	int16_t microbatch; /* -1: none */
};
struct phase interpreter_phase_at(const struct shell *shell, int rank);
void interpreter_phase(struct shell *shell, const struct ranks *set, const char *text);
/* Returns the purpose (enum tensor_kind) of memory that the line allocates on `rank`. */
int interpreter_kind(struct shell *shell, int rank);
void interpreter_section(struct shell *shell, int section);
int interpreter_section_now(const struct shell *shell);
struct schedule;
/* Sets the schedule that slots, work(k), micro(k) and chunk(k) read; a stage is a rank of `group`.
 * Takes ownership of the contents of *schedule; frees those of the previous schedule. */
void interpreter_schedule(struct shell *shell, const struct schedule *schedule, int group);
const struct schedule *interpreter_schedule_now(const struct shell *shell); /* NULL if none */
/* Set `use` until the end of the block, for a stream (`stream` false: a group) or for ranks. */
void interpreter_use(struct shell *shell, bool stream, const char *name);
void interpreter_use_ranks(struct shell *shell, const struct ranks *set);

#endif

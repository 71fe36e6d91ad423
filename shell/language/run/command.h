/* command.h -- what a command's `run` asks of its line, and sets for the lines after it.
 *
 * To add a command: one file in shell/commands/ that defines `const struct command command_NAME`
 * (parse/rows.h says what a row holds; the build lists every `command_` symbol of that folder). A program
 * command has two halves: first it resolves and checks its line on every rank of the set, then it changes the
 * books; so a line takes effect on all of its ranks or on none.
 * An umbrella header: it brings along what it includes. */
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
	const char *digits; /* a number that is written out, as it was typed: "8k"; else NULL */
};
/* One of the words; of `*.csv` any that ends so */
bool option_is_of(const char *words, struct slice_of_text value);
void given_text(const struct given *given, struct text *out); /* as the language reads it */

/* ---- what `run` asks of its line. Values may differ by rank, so each question names one, or COMMON: the value that all
 * ranks of the line have, ST_RANK where they differ. ---- */
enum { COMMON = -1 };

/* The line at hand. Its statement holds what was written: the row, `+=`, results, arguments, options. */
struct word_slot;
struct call {
	struct shell *shell;
	struct statement *statement;
	const struct ranks *set; /* never empty */
	struct word_slot *slot;  /* what is known about its words (call.h) */
	/* submit/host.h: the record that the last rank's operation got, with what of it may differ by rank, and the
	 * operations by which the line's hosts wait */
	struct {
		uint32_t record;
		name_id phase, object;
		int64_t duration_ns;
	} last;
	op_id *wait;
	size_t waits;
	const struct split
	        *split; /* submit/collective.c: of a line with counts, by rank of the world; else NULL */
};
/* Where the statement stands in a line typed now or before: from its first byte to behind its last. Gives the
 * line; NULL: it stands in a block or file */
const char *call_span(const struct call *call, size_t *from, size_t *to);
/* Appends the line as it can be typed to do what it does on this rank: with its `@`, and values in place of variables. */
void call_line(const struct call *call, int rank, struct text *out);
bool call_at_prompt(const struct call *call);     /* the prompt's own line: in no block, def, loop or file */
bool call_outermost(const struct call *call);     /* ... or a script's own line, likewise */
bool call_alone(const struct call *call);         /* the prompt's, and nothing else stands in that line */
int call_count(const struct call *call, int row); /* arguments that fell to argument[row] */
/* Argument i of the row, which must be there: see call_count */
struct argument *call_argument(const struct call *call, int row, int i);
/* its letters, "" when it is not there; valid until the line ends */
const char *call_argument_text(const struct call *call, int row, int i);
/* of a PRINTABLE, which may be a tensor or an expression */
bool call_is_tensor(const struct call *call, int row, int i);
/* row: index of the argument row; i: which of its (0 unless ARG_MANY). All word failures with the word, what
 * was expected and the nearest. */
enum status call_result(struct call *call, int i, int rank, struct view *view);
enum status call_tensor(struct call *call, int row, int i, int rank, struct view *view);
enum status call_number(struct call *call, int row, int i, int rank, struct number *number);
/* the value as print shows it */
enum status call_expression_text(struct call *call, int row, int i, int rank, struct text *out);
enum status call_shape(struct call *call, int row, int i, int rank, int *dims, int64_t *dim);
/* WORD NEW FILE TEXT OP, $ replaced; valid until the line ends */
enum status call_word(struct call *call, int row, int i, int rank, const char **word);
/* NEW STREAM EVENT GROUP */
enum status call_name(struct call *call, int row, int i, int rank, name_id *name);
/* STREAM EVENT WAITABLE GROUP: found */
enum status call_thing(struct call *call, int row, int i, int rank, struct thing *thing);
enum status call_ranks_argument(struct call *call, int row, int i, struct ranks *set);
/* COMMON to all ranks of the line; what the line does not say is left as it is. The word of a row: */
enum status call_common(struct call *call, int row, const char **word);
/* ... and a whole number from least to most, else ST_RANGE */
enum status call_whole(struct call *call, int row, int64_t least, int64_t most, int64_t *value);
/* Whole numbers of the tensors that two options name, on each rank of the line. They are read as `let` reads: the line's
 * hosts wait for them, and all processes know them. With --dry, or on a walk ahead, `value` says nothing.
 * *lists begins as {0}, and is released in any case. ST_NAME, ST_DTYPE */
struct lists {
	struct list_counts {
		int64_t first, second; /* how many numbers each tensor has */
	} * count;                     /* by rank of the line's set, ascending */
	size_t each; /* values of rank i begin at value[i * each]: the first tensor's, then the second's */
	double *value;
};
enum status call_lists(struct call *call, const char *first, const char *second, struct lists *lists);
void lists_release(struct lists *lists);
bool call_has(const struct call *call, const char *option);
/* An option's value on a rank, left as it is where the line has none: a number in the row's unit, */
enum status call_option(struct call *call, const char *option, int rank, struct number *number);
/* ... a word, one of the row's, */
enum status call_option_word(struct call *call, const char *option, int rank, const char **word);
/* ... a whole number from least to most, else ST_RANGE */
enum status call_option_whole(
        struct call *call, const char *option, int rank, int64_t least, int64_t most, int64_t *value);
/* The i-th KEY=VALUE of ARG_KEYS, COMMON */
enum status call_key(struct call *call, int i, struct given *given);
/* `on`, or `use`, or the default stream: its number on the rank */
enum status call_stream(struct call *call, int rank, int *number);
/* ... of a line that shows or saves the host's own memory: the stream that `on` or `use` names, which the host
 * waits for; STREAM_HOST: none is named, and it waits for nothing */
int call_read_stream(struct call *call, int rank);
/* ... for work of the GPU: a thread of the host is refused */
enum status call_device_stream(struct call *call, int rank, int *number);
/* `in`, or `use`, or world: index into world.groups */
enum status call_group(struct call *call, int rank, int *group);
enum status call_block(struct call *call); /* runs the line's { } for its ranks */

/* Runs `one` on each rank of the line: both halves. */
enum status call_each_rank(struct call *call, one_rank *one);

/* A record with the line's number, and the phase and section that are set on `rank`; no group, no root, no
 * costs yet (-1). */
struct record call_record(const struct call *call, int rank, enum op_kind kind, const char *title);
/* `phase`, to the end of the block. name: 0 none; colour: of F R B W O C D, 0 none; microbatch: -1 none */
struct phase {
	name_id name;
	char colour;
	int16_t microbatch;
};
struct phase interpreter_phase_at(const struct shell *shell, int rank);
void interpreter_phase(struct shell *shell, const struct ranks *set, const char *text);
/* What the memory is for (enum tensor_kind) that a line on `rank` takes now. */
int interpreter_kind(struct shell *shell, int rank);
void interpreter_section(struct shell *shell, int section);
int interpreter_section_now(const struct shell *shell);
/* slots, work(k), micro(k), chunk(k) speak of it from here on; a stage is a place in `group` */
struct schedule;
/* Takes over what is in *schedule, in place of the one before. */
void interpreter_schedule(struct shell *shell, const struct schedule *schedule, int group);
const struct schedule *interpreter_schedule_now(const struct shell *shell); /* NULL: none stands */
/* `use`, to the end of the block: a stream's or group's name; ranks */
void interpreter_use(struct shell *shell, bool stream, const char *name);
void interpreter_use_ranks(struct shell *shell, const struct ranks *set);

#endif

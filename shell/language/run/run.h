/* run.h -- what the files share that run a tree: values, variables by rank, scopes, the interpreter's
 * state.
 *
 * Lines run for a set of ranks at once, like the lanes of a warp. What is the same on all of them is
 * computed and stored once: evaluation says by `varies` whether a result hung on the rank.
 *
 *     { lines }  @0-3 for m in 0:2 { ... }       set      a statement's clauses narrow the set of the block
 *                                                0 1 2 3  around it, never widen it:
 *       @(rank > 0) {                              1 2 3    scope.bound of the inner block
 *         use @2-3                                   2 3    scope.use, for the lines behind it in this block
 *         @1-2 print m                             1 2      a clause starts from bound again, not from use
 *         if rank == 1 { ... } else { ... }      1 | 2 3    a condition that varies splits the set
 *       }
 *
 * A name is looked for in the frame of the call that runs, then in the namespace of its file:
 *
 *     frame of the call      parameters, loop names, `let` in a def      frame.local, latest first
 *       |  not the caller's: a def sees its own names and those of its namespace
 *     namespace of the def   learner: the prompt and its scripts         frame.space
 *                            program: model and strategies' files
 *       |  only of a learner's def that a program calls
 *     the learner's          so that it still finds what it was written with   frame.outer */
#ifndef RANKSH_RUN_H
#define RANKSH_RUN_H

#include "shell/language/run/interpreter.h"
#include "shell/language/parse/function.h"

enum {
	CALLS_MAX = 100 /* of defs within each other */,
	RUNS_MAX = 40 /* of `source` */,
	BLOCKS_MAX = 400 /* blocks and calls within each other */
};

enum value_kind { VALUE_NONE, VALUE_NUMBER, VALUE_NAME, VALUE_TEXT };
/* What an expression is worth on a rank. NAME: of a tensor, stream or the like, as a def gets it; TEXT: of
 * a quoted text, whose letters are among the world's names too; NONE: a variable has no value on this rank.
 * unit: enum unit, of a number */
struct value {
	uint8_t kind, unit;
	name_id name;
	double number;
};

/* By rank of the world. While every rank of `domain` has one value it is stored once, and a line that asks
 * for it stays the same line on all ranks. */
struct variable {
	name_id name;
	bool uniform; /* `one` holds for all of `domain` */
	struct value one;
	struct value *each;         /* by world rank; NULL until values differ */
	const struct ranks *domain; /* the ranks that can see it */
};
struct variables {
	struct variable *item;
	size_t count, room;
};

/* A def. Defs of one name form a chain, the latest first: `replaced` in a def calls the one behind it. */
struct definition {
	struct definition *before;
	name_id name;
	unsigned serial; /* counts all defs of the session: a later one has a larger number */
	struct tree *tree;
	struct statement *statement;
	bool learners; /* of his namespace */
};

/* Variables and defs by name. There are two: the learner's (the prompt and the scripts it runs), and the
 * program's, which a model's and the strategies' files share, so that their `let i` is not the learner's
 * i. */
struct name_entry {
	int variable;                  /* index into variables + 1; 0: none */
	struct definition *definition; /* the latest */
};
struct namespace
{
	struct variables variables;
	struct name_entry *entry; /* by name */
	size_t room;
	unsigned born;   /* of a program: the learner's defs with a larger serial stand before its own */
	unsigned latest; /* serial of its latest def; 0: it has none */
};

/* A def's call; the outermost is the file's or the prompt's */
struct frame {
	struct frame *caller;
	struct variables local; /* parameters, loop names, and what `let` makes in a def */
	const struct ranks *set;
	/* Where a name that is not local is looked for. `outer`: of a learner's def that a program calls, its
	 * own namespace, behind the program's. */
	struct namespace *space, *outer;
	/* which def this is a call of; serial 0: of none */
	name_id def;
	unsigned serial;
	bool learners;
};

/* A name that lines without one of their own get. each: by world rank, where they differ; NULL: `one` holds
 * for all. It belongs to the scope that made it, and a scope within borrows it. */
struct setting {
	name_id one, *each;
};
static inline name_id setting_at(const struct setting *setting, int rank)
{
	return setting->each ? setting->each[rank] : setting->one;
}
enum setting_of { SETTING_STREAM, SETTING_GROUP, SETTING_PHASE, SETTINGS };

/* A block: what a line without a clause gets. Copied from the block around it, undone at its end. */
struct scope {
	struct scope *up;
	const struct ranks *bound; /* no line in it leaves these ranks */
	struct ranks *use;         /* within bound, owned; NULL: bound itself */
	struct setting setting[SETTINGS];
};

/* Loops that run now, innermost first: a message says their values */
struct loop {
	struct loop *up;
	struct frame *frame;
	size_t variable;
}; /* for messages */
/* "t[3]" as the value of a parameter: its name, read once as a tensor. The list grows with the names that
 * calls hand over, and is dropped with the world. */
struct reference {
	name_id name;
	struct tree *tree;
	struct tensor_ref *tensor;
};

/* What runs: the prompt's lines and a program each have one. A program that is suspended on a stack of its
 * own keeps its here meanwhile (player.c). Frames, scopes and loops are on the C stack and linked, so an
 * error only has to unwind. */
struct running {
	struct frame *frame;
	struct scope *scope;
	struct loop *loops;
	const struct tree *tree;        /* whose lines run */
	const struct player_file *file; /* of a program, that runs; NULL: none */
	int blocks, calls, runs;
	int flows;      /* of `blocks`, those of if, for and repeat */
	int closed;     /* texts of which no line can have a wish granted */
	int sealed;     /* blocks of commands and of `expect error` around: no step begins in them */
	int fault_rank; /* of the failure on its way out; -1 unknown */
	bool located;   /* it says its place already */
};

/* The state of the language, one for the whole process. */
struct interpreter {
	struct running now;
	enum status (*grant)(struct shell *shell); /* of the text that runs: interpreter_run_granting */
	uint32_t generation;                       /* of name ids in trees: a reset makes the old ones void */
	int n;                                     /* ranks of the world */
	struct ranks all;
	struct namespace learner, *program; /* program: NULL unless its lines run */
	unsigned serial;                    /* of the latest def */
	struct name *purpose;               /* `kind=` of the line that runs; NULL: it does not say */
	struct player *player;              /* is told each line that runs; NULL: none */
	struct schedule *pipeline;          /* of `schedule`; its stages are the places in this group */
	int pipeline_group;
	struct reference *reference;
	size_t reference_count, reference_room; /* tensors with a slice that were given to defs */
	struct value *scratch;                  /* by rank: values before they are taken */
	struct frame base_frame;
	struct scope base_scope;
	int section;
	bool told_dry;
	bool guesses; /* a walk ahead of the program: what is read from data is 0 */
	bool guessed; /* ... and something was */
	/* lines that would queue or make something do nothing: what runs is the flow from one `##` to the
	 * next */
	bool counts;
	uint64_t digest;
};

/* One evaluation: on one rank at a time; `varies` gathers over several, and is never cleared on the way */
struct eval {
	struct shell *shell;
	const struct ranks *set; /* for messages */
	int rank;
	bool varies;
	bool assume; /* --dry: close() holds */
	const double *data;
	int data_stride, data_index; /* values read: data[place * stride + index] */
	int depth;                   /* of names that stand for names */
};

/* What the node reads on the rank */
static inline double eval_read(const struct eval *eval, const struct formula *formula)
{
	return eval->data[formula->place * eval->data_stride + eval->data_index];
}

/* ---- value.c */
enum status value_binary(enum formula_kind kind, struct value a, struct value b, const struct formula *at,
        struct value *result);
struct value value_number(double number, enum unit unit);
static inline bool value_true(struct value value)
{
	return value.kind == VALUE_NUMBER ? value.number != 0 : value.kind != VALUE_NONE;
}
enum status value_whole(struct value value, struct slice_of_text what, int64_t *whole);
void value_text(const struct shell *shell, struct value value, struct text *out);
void value_exact(struct value value, struct text *out);
/* As an expression that has this value: a text stands in quotes. */
void value_written(const struct shell *shell, struct value value, struct text *out);

/* ---- flow.c: the formula's value on each rank of eval->set, into in->scratch; without eval->varies only the
 * first rank's is there. A failure notes its rank. */
enum status evaluate_all(struct eval *eval, const struct formula *formula);
/* ... of the set, with the data that it reads fetched before. reason: of the read (command.h) */
enum status values_of(struct shell *shell, const struct formula *formula, const struct ranks *set,
        const char *reason, bool *varies);

/* ---- evaluate.c */
enum status evaluate(struct eval *eval, const struct formula *formula, struct value *value);
/* As evaluate; ST_ARGUMENT: a text or a name */
enum status evaluate_number(struct eval *eval, const struct formula *formula,
        struct value *value); /* ST_ARGUMENT: a text or a name */
/* ST_ARGUMENT: a text or a name */
enum status must_be_number(const struct shell *shell, struct value value, struct slice_of_text written);
enum status evaluate_written(struct eval *eval, struct name *name, name_id *id); /* `$` replaced */
enum status evaluate_name(struct eval *eval, struct name *name,
        name_id *id); /* `$` replaced; a local name that stands for a name: that */
/* The digits of a number, at `to` (24 bytes at most, no NUL); gives their end */
char *put_digits(char *to, int64_t value);
/* Appends to `out` the letters of a text or name with its `$` replaced. After a failure `out` holds a part
 * of them. */
enum status evaluate_text(struct eval *eval, const struct name *name, struct text *out);
enum status evaluate_function(struct eval *eval, const struct formula *formula, struct value *value);
/* The set of a @ or AXIS=, within `bound`. ST_RANK: no such rank. */
enum status evaluate_ranks(
        struct shell *shell, struct ranks_ref *ref, const struct ranks *bound, struct ranks *set);

/* ---- schedules.c */
void schedule_forget(struct interpreter *in);

/* ---- data.c: fetches what a formula reads, for all ranks of the set; *values is to be mem_free'd (NULL: it
 * reads none). call: the line on whose stream it waits; NULL: the default stream */
enum status fetch(struct shell *shell, const struct formula *formula, const struct ranks *set,
        struct call *call, const char *reason, double **values);

/* ---- view.c: a tensor as written, on a rank. cache may be NULL. */
struct view_cache {
	bool named, full;
	name_id base, name;
};
/* A tensor as written, on eval->rank: *view is a copy, good until the world changes. result: the name may
 * be new, then view->tensor is -1. cache: kept for the next ranks of the same line; NULL: none. ST_NAME: no
 * such tensor; ST_RANGE, ST_SHAPE: the slice does not fit. */
enum status evaluate_view(struct eval *eval, struct tensor_ref *tensor, struct view_cache *cache, bool result,
        struct view *view);
/* ---- unknown.c. Always a failure: ST_NAME, with the nearest name, the ranks that lack it, and the line that makes one */
enum status no_such(const struct eval *eval, const char *name, enum thing_kind kind, enum thing_kind other);

/* Always a failure: what the word may have been meant to be, a foreign word, a neighbour, or the name of a
 * thing */
enum status unknown_word(struct shell *shell, const struct statement *statement, const char *word);
enum status unknown_variable(const struct eval *eval, const char *name);

/* ---- scope.c */
struct variable *variable_find(struct interpreter *in, name_id name);
struct value variable_at(const struct variable *variable, int rank, bool *varies);
/* values: by world rank where `varies`, else values[first of set] for all */
void variable_set(struct interpreter *in, struct variable *variable, const struct ranks *set,
        const struct value *values, bool varies);
enum status variable_make(struct shell *shell, name_id name, const struct ranks *set,
        struct variable **made); /* `let` of a new name */
/* `let` of one value for all ranks */
enum status variable_let(struct shell *shell, name_id name, struct value value);
/* A parameter or a loop's name; gives its index in frame->local */
size_t local_push(struct frame *frame, name_id name, const struct ranks *domain);
void local_drop(struct frame *frame, size_t index);
void frame_release(struct frame *frame);
/* *scope becomes the innermost one: a copy of that around it, bound to `bound`, which must outlive it. Ends
 * with scope_pop, also after a failure. */
void scope_push(struct interpreter *in, struct scope *scope, const struct ranks *bound);
void scope_release(struct scope *scope); /* what it owns */
void scope_pop(struct interpreter *in);
/* What `on` and `in` say, into the innermost scope. ST_NAME: no such stream or group. */
enum status scope_clauses(struct shell *shell, const struct clauses *clauses, const struct ranks *set);
/* The name for the ranks of the set, from here to the end of the innermost scope */
void scope_name(struct interpreter *in, enum setting_of which, const struct ranks *set, name_id name);
const struct ranks *scope_ranks(const struct scope *scope);
/* What a variable of this file or prompt is: not of a def's call */
static inline bool frame_is_top(const struct frame *frame)
{
	return !frame->caller;
}
void namespace_forget(struct namespace *space);
/* The def that a call of `name` means where `frame` runs; NULL: none */
struct definition *definition_find(struct interpreter *in, const struct frame *frame, name_id name);
/* The def that the running one replaced; NULL: none */
struct definition *definition_replaced(struct interpreter *in, const struct frame *frame);
void definition_add(struct interpreter *in, name_id name, struct tree *tree, struct statement *statement);
void fold(struct interpreter *in, const void *bytes, size_t count);

/* ---- setting.c: what the line's tensors are for, until it is over. ST_ARGUMENT: no such word */
enum status purpose_is(struct shell *shell, struct name *purpose, const struct ranks *set);

/* clauses: its own `on` and `in`, or NULL. Stops at the first statement that fails, which has said its place
 * then. bound must outlive it; no rank
 * outside it is touched. */
enum status run_block(
        struct shell *shell, struct block *block, const struct clauses *clauses, const struct ranks *bound);
enum status step(struct shell *shell); /* one step of the budget */
void prepare(struct shell *shell);     /* the world may be new: before a text is read */
/* First words that are neither commands nor defs, before anything runs: ST_NAME, of the first in the text.
 * A text that brings in files may bring defs with them: then nothing is refused here. */
enum status check_calls(struct shell *shell, const struct tree *tree);
enum status run_tree(struct shell *shell, struct tree *tree);
/* Statements of a whole file, those before `last` (NULL: all), once its first words are known. */
enum status run_file(struct shell *shell, struct tree *tree, const struct statement *last);

/* ---- command.c, making.c, defs.c, flow.c, expect.c: one kind of statement each */
enum status run_command(struct shell *shell, struct statement *statement, const struct ranks *set);
/* VALUE of NAME=VALUE on the command line; NULL: not given */
const char *command_line_text(const struct shell *shell, struct slice_of_text name);
/* The values of options, against the `option` lines of the file; what: who speaks, "strategy ddp" */
enum status givens_fit(const char *what, const struct tree *tree, const struct given *given, int count);
enum status run_title(struct shell *shell, struct statement *statement, const struct ranks *set);
enum status run_option(struct shell *shell, struct statement *statement, const struct ranks *set);
enum status run_refuse(struct shell *shell, struct statement *statement, const struct ranks *set);
enum status run_view(struct shell *shell, struct statement *statement, const struct ranks *set);
enum status run_making(struct shell *shell, struct statement *statement, const struct ranks *set);
enum status run_call(struct shell *shell, struct statement *statement, const struct ranks *set);
enum status run_chosen(struct shell *shell, struct statement *statement, const struct ranks *set);
/* A statement as its kind says, for ranks that its clauses leave */
enum status run_kind(struct shell *shell, struct statement *statement, const struct ranks *set);
enum status run_def(struct shell *shell, struct statement *statement, const struct ranks *set);
enum status run_for(struct shell *shell, struct statement *statement, const struct ranks *set);
enum status run_let(struct shell *shell, struct statement *statement, const struct ranks *set);
enum status run_if(struct shell *shell, struct statement *statement, const struct ranks *set);
enum status run_expect(struct shell *shell, struct statement *statement, const struct ranks *set);
enum status run_expect_error(struct shell *shell, struct statement *statement, const struct ranks *set);
enum status argument_value(struct eval *eval, struct argument *argument, struct value *value);
/* An argument of a def, a word of a `for`: its value on each rank, into in->scratch; `varies` as in
 * variable_set */
enum status argument_values(
        struct shell *shell, struct argument *argument, const struct ranks *set, bool *varies);

#endif

/* state.h -- what is kept while a tree runs: values, variables by rank, scopes, defs, the interpreter's state.
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
 *     the learner's          only of a def of his that a program calls: it finds
 *       |                    first what it was written with              frame.outer
 *     namespace of the def   learner: the prompt and its scripts         frame.space
 *                            program: model and strategies' files */
#ifndef RANKSH_STATE_H
#define RANKSH_STATE_H

#include "shell/language/run/command.h"

enum {
	CALLS_MAX = 100 /* of defs within each other */,
	RUNS_MAX = 40 /* of `source` */,
	BLOCKS_MAX = 400 /* blocks and calls within each other */
};

enum value_kind { VALUE_NONE, VALUE_NUMBER, VALUE_TEXT };
/* What an expression is worth on a rank. TEXT: the name of a tensor, stream or the like, as a def gets it, or
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
/* A frame's are few and found from behind; a namespace's by name_entry */
struct variables {
	struct variable *item;
	size_t count;
};

/* A def. Defs of one name form a chain, the latest first: `replaced` in a def calls the one behind it. */
struct definition {
	struct definition *before;
	name_id name;
	unsigned serial; /* counts all defs of the session: a later one has a larger number */
	struct tree *tree;
	struct statement *statement;
	bool learners;  /* of his namespace */
	bool overrides; /* there was one of its name before */
	bool called;
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
	struct variables local;  /* parameters, loop names, and what `let` makes in a def */
	const struct ranks *set; /* that run the call: the domain of its names */
	/* Where a name that is not local is looked for. `outer`: of a learner's def that a program calls, its
	 * own namespace, before the program's. */
	struct namespace *space, *outer;
	/* which def this is a call of; serial 0: of none */
	name_id def;
	unsigned serial;
	bool learners;
};

/* A name that lines without one of their own get. each: by world rank, where they differ; NULL: `one` holds
 * for all. It belongs to the scope that made it, and a scope within borrows it. */
struct scope_setting {
	name_id one, *each;
};
static inline name_id setting_at(const struct scope_setting *setting, int rank)
{
	return setting->each ? setting->each[rank] : setting->one;
}
enum setting_of { SETTING_STREAM, SETTING_GROUP, SETTING_PHASE, SETTINGS };

/* A block: what a line without a clause gets. Copied from the block around it, undone at its end. */
struct scope {
	struct scope *up;
	const struct ranks *bound; /* no line in it leaves these ranks */
	struct ranks *use;         /* within bound, owned; NULL: bound itself */
	struct scope_setting setting[SETTINGS];
};

/* Loops that run now, innermost first: a message says their values */
struct loop {
	struct loop *up;
	struct frame *frame;
	size_t variable; /* index into frame->local; `repeat` has one without a name */
};
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
	struct tree *tree;              /* whose lines run */
	const struct player_file *file; /* of a program, that runs; NULL: none */
	int blocks;                     /* { } around, also those of the calls: at most BLOCKS_MAX */
	int calls;                      /* of defs within each other */
	int runs;       /* texts within each other: 1 at the prompt, one more for each `source` */
	int flows;      /* of `blocks`, those of if, for and repeat */
	int closed;     /* texts of which no line can have a wish granted */
	int no_steps;   /* blocks of commands and of `expect error` around: no step begins in them */
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
	size_t reference_count; /* tensors with a slice that were given to defs */
	/* by rank: values between their evaluation and their use (evaluate_all, variable_set). Nothing that
	 * runs in between may evaluate for several ranks */
	struct value *scratch;
	struct text spelled; /* names with `$` that are being put together, one within the other */
	struct frame base_frame;
	struct scope base_scope;
	int section;     /* of `mark`: index into the world's */
	bool noted_even; /* that with --dry what data would say is guessed */
	bool noted_dry;  /* that `expect` does not look at data */
	bool guesses;    /* a walk ahead of the program: what is read from data is 0 */
	bool guessed;    /* ... and something was */
	/* lines that would queue or make something do nothing: what runs is the flow from one `##` to the
	 * next */
	bool counts;
	uint64_t
	        did; /* statements that have run, but for those that only look or ask something of the front end */
	/* of all that was set, in its order. The processes compare it: each runs every line, and one that has
	 * come to another value would go other ways from here on */
	uint64_t digest;
};

/* ---- scope.c */
/* The variable that the name means in the frame that runs; NULL: none. Good until a variable is made. */
struct variable *variable_find(struct interpreter *in, name_id name);
/* Its value on the rank, VALUE_NONE where it was given none. *varies becomes true when other ranks may have
 * another, and is left alone otherwise. */
struct value variable_at(const struct variable *variable, int rank, bool *varies);
/* To in->scratch: by world rank where `varies`, else the value of the set's first for all */
void variable_set(struct interpreter *in, struct variable *variable, const struct ranks *set, bool varies);
/* `let` of a new name, without a value. ST_NAME: a thing has the name on a rank that would see both. */
enum status variable_make(struct shell *shell, name_id name, const struct ranks *set, struct variable **made);
/* `let` of a name that may be new: of the values in in->scratch (variable_set); of one value for all ranks */
enum status variable_assign(struct shell *shell, name_id name, const struct ranks *set, bool varies);
enum status variable_let(struct shell *shell, name_id name, struct value value);
/* A parameter or a loop's name; gives its index in frame->local */
size_t local_push(struct frame *frame, name_id name, const struct ranks *domain);
/* It goes; what was pushed behind it moves up by one */
void local_drop(struct frame *frame, size_t index);
/* What the frame owns: its variables */
void frame_release(struct frame *frame);
/* *scope becomes the innermost one: a copy of that around it, bound to `bound`, which must outlive it. Ends
 * with scope_pop, also after a failure. */
void scope_push(struct interpreter *in, struct scope *scope, const struct ranks *bound);
void scope_release(struct scope *scope); /* what it owns */
void scope_pop(struct interpreter *in);
/* What a line on the rank gets that has none of its own; 0: nothing was set */
name_id setting_now(const struct shell *shell, enum setting_of which, int rank);
/* The number on the rank of the stream that `use`, or a block's `on`, names; STREAM_DEFAULT: none is named */
int setting_stream(const struct shell *shell, int rank);
/* What `on` and `in` say, into the innermost scope. ST_NAME: no such stream or group. */
enum status scope_clauses(struct shell *shell, const struct clauses *clauses, const struct ranks *set);
/* The name for the ranks of the set, from here to the end of the innermost scope */
void scope_name(struct interpreter *in, enum setting_of which, const struct ranks *set, name_id name);
const struct ranks *scope_ranks(const struct scope *scope);
/* Its variables and defs. Defs that run keep their trees (tree_use). */
void namespace_forget(struct namespace *space);
/* The def that a call of `name` means where `frame` runs; NULL: none */
struct definition *definition_find(struct interpreter *in, const struct frame *frame, name_id name);
/* The def that the running one replaced; NULL: none */
struct definition *definition_replaced(struct interpreter *in, const struct frame *frame);
/* Of the namespace that runs; the tree that runs is kept as long as the def can be called */
void definition_add(struct interpreter *in, name_id name, struct statement *statement);
/* Into the digest */
void digest_add(struct interpreter *in, const void *bytes, size_t count);

/* ---- schedules.c: no schedule stands any more */
void schedule_forget(struct interpreter *in);

#endif

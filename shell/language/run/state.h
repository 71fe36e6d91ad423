/* state.h -- the state of running trees: values, variables by rank, scopes, defs, the interpreter.
 *
 * Lines run for a set of ranks at once, like a warp's lanes. A value that is equal on all of them
 * is computed and stored once: `varies` tells whether a result depends on the rank.
 *
 *     { lines }  @0-3 for m in 0:2 { ... }       set      a statement's clauses narrow the
 *                                                0 1 2 3  set, never widen it:
 *       @(rank > 0) {                              1 2 3    scope.bound of the inner block
 *         use @2-3                                   2 3    scope.use, for later lines in it
 *         @1-2 print m                             1 2      a clause starts from bound
 *         if rank == 1 { ... } else { ... }      1 | 2 3    a condition that varies splits the set
 *       }
 *
 * A name is looked up in the call's frame that runs, then in the namespace of its file:
 *
 *     frame of the call      parameters, loop names, `let` in a def      frame.local, latest first
 *       |                    the caller's frame is not searched
 *     the learner's          only for a learner's def that a program     frame.outer
 *       |                    calls: it finds first the names it was written with
 *     namespace of the def   learner: the prompt and its scripts         frame.space
 *                            program: model and strategies' files */
#ifndef RANKSH_STATE_H
#define RANKSH_STATE_H

#include "shell/language/run/command.h"

enum {
	CALLS_MAX = 100 /* of defs within each other */,
	RUNS_MAX = 40 /* of `source` */,
	BLOCKS_MAX = 400 /* nested blocks and calls */
};

enum value_kind { VALUE_NONE, VALUE_NUMBER, VALUE_TEXT };
/* An expression's value on a rank. TEXT: a tensor's or stream's name, or a quoted text. NONE: a
 * variable without a value on this rank. unit: enum unit, of a number */
struct value {
	uint8_t kind, unit;
	name_id name;
	double number;
};

/* While all ranks in `domain` have one value it is stored once. */
struct variable {
	name_id name;
	bool uniform; /* `one` is the value on all of `domain` */
	struct value one;
	struct value *each;         /* by world rank; NULL until values differ */
	const struct ranks *domain; /* the ranks that can see it */
};
struct variables {
	struct variable *item;
	size_t count;
};

/* Defs with one name form a chain, the latest first: `replaced` in a def calls the next one. */
struct definition {
	struct definition *before;
	name_id name;
	unsigned serial; /* counts all defs of the session */
	struct tree *tree;
	struct statement *statement;
	bool learners;  /* in the learner's namespace */
	bool overrides; /* an earlier def has its name */
	bool called;
};

/* Variables and defs by name: the learner's, or a program's, which its files share */
struct name_entry {
	int variable;                  /* index into variables + 1; 0: none */
	struct definition *definition; /* the latest */
};
struct namespace
{
	struct variables variables;
	struct name_entry *entry; /* by name */
	size_t room;
	/* of a program: learner's defs with a larger serial come before its own */
	unsigned born;
	unsigned latest; /* serial of its latest def; 0 if none */
};

struct frame {
	struct frame *caller;
	struct variables local;  /* parameters, loop names, `let` in a def */
	const struct ranks *set; /* runs the call: its names' domain */
	/* for names that are not local. outer: of a learner's def that a program calls */
	struct namespace *space, *outer;
	/* of this call; serial 0: none */
	name_id def;
	unsigned serial;
	bool learners;
};

/* The name for lines without a clause. each: by world rank, if they differ; owned by its scope */
struct scope_setting {
	name_id one, *each;
};
static inline name_id setting_at(const struct scope_setting *setting, int rank)
{
	return setting->each ? setting->each[rank] : setting->one;
}
enum setting_of { SETTING_STREAM, SETTING_GROUP, SETTING_PHASE, SETTINGS };

/* A block: settings for lines without a clause; a copy of the outer block's */
struct scope {
	struct scope *up;
	const struct ranks *bound; /* contains the ranks of all its lines */
	struct ranks *use;         /* within bound, owned; NULL: bound itself */
	struct scope_setting setting[SETTINGS];
};

struct loop {
	struct loop *up;
	struct frame *frame;
	size_t variable; /* index into frame->local; `repeat` has one without a name */
};
/* "t[3]" as a parameter's value: its name, parsed once as a tensor. Dropped with the world. */
struct reference {
	name_id name;
	struct tree *tree;
	struct tensor_ref *tensor;
};

/* The prompt's lines and a program each have one. Frames, scopes and loops are linked on the C
 * stack, so an error only unwinds. */
struct running {
	struct frame *frame;
	struct scope *scope;
	struct loop *loops;
	struct tree *tree; /* its lines run */
	const struct player_file *file;
	/* nested { }, those of calls included: at most BLOCKS_MAX */
	int blocks;
	int calls;      /* nested def calls */
	int runs;       /* nested texts: 1 at the prompt, one more for each `source` */
	int flows;      /* of `blocks`, those of if, for and repeat */
	int closed;     /* nested texts in which no wish is granted */
	int no_steps;   /* nested blocks in which no step may begin */
	int fault_rank; /* of the current failure; -1 if unknown */
	bool located;   /* the failure already says its place */
};

struct interpreter {
	struct running now;
	/* of the running text: interpreter_run_granting */
	enum status (*grant)(struct shell *shell);
	/* of name ids in trees: a reset invalidates the older ones */
	uint32_t generation;
	int n; /* ranks of the world */
	struct ranks all;
	struct namespace learner, *program; /* program: NULL unless its lines run */
	unsigned serial;                    /* of the latest def */
	struct name *purpose;               /* `kind=` of the running line; NULL: none */
	struct player *player;              /* is notified of each line; NULL if none */
	struct schedule *pipeline;          /* of `schedule`; a stage is a rank of this group */
	int pipeline_group;
	struct reference *reference;
	size_t reference_count; /* tensors with a slice, given to defs */
	/* by rank: values between their evaluation and their use (evaluate_all, variable_set);
	 * code in between must not evaluate for several ranks */
	struct value *scratch;
	struct text spelled; /* names with `$` under construction, nested */
	struct frame base_frame;
	struct scope base_scope;
	int section;     /* of `mark`: index into the world's sections */
	bool noted_even; /* reported: with --dry, unknown counts are taken to be even */
	bool noted_dry;  /* reported: `expect` does not check data */
	bool guesses;    /* a walk before the program: data reads as 0 */
	bool guessed;    /* ... and a read was replaced so */
	/* lines that queue or make something do nothing: only the flow between two `##` runs */
	bool counts;
	uint64_t did; /* completed statements, except those that only look or ask the front end */
	/* of all values that were set, in order; equal on all processes */
	uint64_t digest;
};

/* Returns the running frame's variable; NULL if none. Valid until a variable is made. */
struct variable *variable_find(struct interpreter *in, name_id name);
/* VALUE_NONE if it has none there. Sets *varies if other ranks may have another value. */
struct value variable_at(const struct variable *variable, int rank, bool *varies);
/* From in->scratch: by world rank if `varies`, else the value of the set's first rank for all */
void variable_set(struct interpreter *in, struct variable *variable, const struct ranks *set, bool varies);
/* `let` of a name that may be new, from in->scratch; of one value for all ranks. ST_NAME: a thing
 * has the name on a rank that would see both. */
enum status variable_assign(struct shell *shell, name_id name, const struct ranks *set, bool varies);
enum status variable_let(struct shell *shell, name_id name, struct value value);
/* A parameter or a loop's name; returns its index in frame->local. */
size_t local_push(struct frame *frame, name_id name, const struct ranks *domain);
void local_drop(struct frame *frame, size_t index);
void variables_forget(struct variables *variables); /* of a frame that ends */
/* A copy of the outer one with `bound`, which must outlive it. Ends with scope_pop in any case. */
void scope_push(struct interpreter *in, struct scope *scope, const struct ranks *bound);
void scope_release(struct scope *scope); /* frees its settings */
void scope_pop(struct interpreter *in);
/* Returns the rank's setting for lines without one of their own; 0 if none. */
name_id setting_now(const struct shell *shell, enum setting_of which, int rank);
/* Returns the rank's stream of `use` or a block's `on`; STREAM_DEFAULT if none. */
int setting_stream(const struct shell *shell, int rank);
/* ST_NAME: no such stream or group */
enum status scope_clauses(struct shell *shell, const struct clauses *clauses, const struct ranks *set);
/* For the set's ranks, to the end of the innermost scope */
void scope_name(struct interpreter *in, enum setting_of which, const struct ranks *set, name_id name);
const struct ranks *scope_ranks(const struct scope *scope);
/* Running defs keep their trees (tree_use). */
void namespace_forget(struct namespace *space);
/* Returns the def that a call of `name` in `frame` means; NULL if none. */
struct definition *definition_find(struct interpreter *in, const struct frame *frame, name_id name);
/* Returns the def that the running one replaced; NULL if none. */
struct definition *definition_replaced(struct interpreter *in, const struct frame *frame);
void definition_add(struct interpreter *in, name_id name, struct statement *statement);
void digest_add(struct interpreter *in, const void *bytes, size_t count);

void schedule_forget(struct interpreter *in);

#endif

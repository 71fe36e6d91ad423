/* state.h -- the state of running trees: values, variables by rank, scopes, defs, the interpreter.
 *
 * Lines run for a set of ranks at once, like the lanes of a warp. A value that is equal on all of
 * them is computed and stored once; `varies` is true if a result depends on the rank.
 *
 *     { lines }  @0-3 for m in 0:2 { ... }       set      a statement's clauses narrow the
 *                                                0 1 2 3  set, never widen it:
 *       @(rank > 0) {                              1 2 3    scope.bound of the inner block
 *         use @2-3                                   2 3    scope.use, for later lines in it
 *         @1-2 print m                             1 2      a clause starts from bound
 *         if rank == 1 { ... } else { ... }      1 | 2 3    a condition that varies splits the set
 *       }
 *
 * A name is looked up in the frame of the running call, then in the namespace of its file:
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
	CALLS_MAX = 100 /* nested calls of defs */,
	RUNS_MAX = 40 /* nested texts, by `source` */,
	BLOCKS_MAX = 400 /* nested blocks and calls */
};

enum value_kind { VALUE_NONE, VALUE_NUMBER, VALUE_TEXT };
/* An expression's value on a rank. NUMBER: `number` with `unit` (enum unit). TEXT: `name` is that
 * of a tensor or stream, or a quoted text. NONE: a variable has no value on this rank */
struct value {
	uint8_t kind, unit;
	name_id name;
	double number;
};

/* A value that all ranks in `domain` share is stored once. */
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

/* Defs of one name are a list, latest first: `replaced` in a def calls the next one. */
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
	/* of a program: the learner's defs with a larger serial replace its own */
	unsigned born;
	unsigned latest; /* serial of its latest def; 0 if none */
};

struct frame {
	struct frame *caller;
	struct variables local;  /* parameters, loop names, `let` in a def */
	const struct ranks *set; /* the ranks that run the call, and see its names */
	/* for names that are not local; outer: see above, or NULL */
	struct namespace *space, *outer;
	/* the called def; serial 0: none */
	name_id def;
	unsigned serial;
	bool learners;
};

/* The stream, group or phase of lines that name none. each: by world rank, if they differ; NULL:
 * all have `one` */
struct scope_setting {
	name_id one, *each;
};
static inline name_id setting_at(const struct scope_setting *setting, int rank)
{
	return setting->each ? setting->each[rank] : setting->one;
}
enum setting_of { SETTING_STREAM, SETTING_GROUP, SETTING_PHASE, SETTINGS };

/* A block's ranks, and its settings, which begin as a copy of the outer block's */
struct scope {
	struct scope *up;
	const struct ranks *bound; /* the ranks that its lines may have */
	struct ranks *use;         /* of `use`, within bound; owned; NULL: bound itself */
	struct scope_setting setting[SETTINGS];
};

struct loop {
	struct loop *up;
	struct frame *frame;
	size_t variable; /* index into frame->local; `repeat` has one without a name */
};
/* A parameter's value such as "t[3]", parsed once as a tensor. Freed with the world. */
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
	struct tree *tree;              /* of the running lines */
	const struct player_file *file; /* of a program; else NULL */
	/* nested { }, those of calls included: at most BLOCKS_MAX */
	int blocks;
	int calls;      /* nested def calls */
	int runs;       /* nested texts: 1 at the prompt, one more for each `source` */
	int flows;      /* those of `blocks` that belong to if, for and repeat */
	int closed;     /* above 0: wishes are refused */
	int no_steps;   /* above 0: no step may begin */
	int fault_rank; /* of the current failure; -1 if unknown */
	bool located;   /* the failure's message already has its place */
};

struct interpreter {
	struct running now;
	/* fulfils the wishes of the running text (interpreter_run_granting) */
	enum status (*grant)(struct shell *shell);
	/* counts resets, which invalidate the name ids in trees */
	uint32_t generation;
	int n; /* ranks of the world */
	struct ranks all;
	struct namespace learner, *program; /* program: NULL unless its lines run */
	unsigned serial;                    /* of the latest def */
	struct name *purpose;               /* `kind=` of the running line; NULL: none */
	struct player *player;              /* receives each line (player_line); NULL if none */
	struct schedule *pipeline;          /* set by `schedule`; NULL if none */
	int pipeline_group;                 /* a stage is a rank of this group */
	struct reference *reference;
	size_t reference_count;
	/* values by rank between evaluate_all and variable_set; code in between must not evaluate
	 * for several ranks */
	struct value *scratch;
	struct text spelled; /* stack of names with `$` under construction */
	struct frame base_frame;
	struct scope base_scope;
	int section;     /* of `mark`: index into the world's sections */
	bool noted_even; /* the note of --dry about equal counts was shown */
	bool noted_dry;  /* the note of --dry about an `expect` on data was shown */
	bool guesses;    /* a walk through the program in advance: all data reads as 0 */
	bool guessed;    /* such a walk has read data */
	/* count steps only: lines that queue or make something do nothing */
	bool counts;
	uint64_t did; /* interpreter_did */
	/* digest of all values set so far; equal on all processes */
	uint64_t digest;
};

/* Returns the variable that the running frame sees; NULL if none. Valid until a variable is
 * made. */
struct variable *variable_find(struct interpreter *in, name_id name);
/* Returns the rank's value, VALUE_NONE if it has none. Sets *varies if ranks may differ. */
struct value variable_at(const struct variable *variable, int rank, bool *varies);
/* Sets it on the ranks of `set`: from in->scratch[rank] if `varies`, else to the value of the
 * set's first rank. */
void variable_set(struct interpreter *in, struct variable *variable, const struct ranks *set, bool varies);
/* The same for a name that may be new. Fails with ST_NAME if a thing has the name on a rank that
 * would see both. */
enum status variable_assign(struct shell *shell, name_id name, const struct ranks *set, bool varies);
/* As variable_assign, with one value on all ranks. */
enum status variable_let(struct shell *shell, name_id name, struct value value);
/* Adds a parameter or a loop's name; returns its index in frame->local. */
size_t local_push(struct frame *frame, name_id name, const struct ranks *domain);
void local_drop(struct frame *frame, size_t index);
void variables_forget(struct variables *variables); /* when a frame ends */
/* Begins a block's scope, a copy of the outer one with `bound`, which must outlive it. End it with
 * scope_pop, also after a failure. */
void scope_push(struct interpreter *in, struct scope *scope, const struct ranks *bound);
void scope_release(struct scope *scope); /* frees its settings */
void scope_pop(struct interpreter *in);
/* Returns the rank's setting for lines without one of their own; 0 if none. */
name_id setting_now(const struct shell *shell, enum setting_of which, int rank);
/* Returns the rank's stream of `use` or a block's `on`; STREAM_DEFAULT if none. */
int setting_stream(const struct shell *shell, int rank);
/* Applies `on` and `in` to the innermost scope. Fails with ST_NAME if the stream or group is
 * missing. */
enum status scope_clauses(struct shell *shell, const struct clauses *clauses, const struct ranks *set);
/* Sets a name for the set's ranks, until the innermost scope ends. */
void scope_name(struct interpreter *in, enum setting_of which, const struct ranks *set, name_id name);
const struct ranks *scope_ranks(const struct scope *scope);
/* Frees variables and defs. Running defs keep their trees (tree_use). */
void namespace_forget(struct namespace *space);
/* Returns the def that a call of `name` in `frame` runs; NULL if none. */
struct definition *definition_find(struct interpreter *in, const struct frame *frame, name_id name);
/* Returns the def that the running one replaced; NULL if none. */
struct definition *definition_replaced(struct interpreter *in, const struct frame *frame);
void definition_add(struct interpreter *in, name_id name, struct statement *statement);
void digest_add(struct interpreter *in, const void *bytes, size_t count);

void schedule_forget(struct interpreter *in);

#endif

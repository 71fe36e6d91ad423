/* interpreter.h -- text to effects. The grammar of the whole text is checked before any of it runs. */
#ifndef RANKSH_INTERPRETER_H
#define RANKSH_INTERPRETER_H

#include "shell/language/run/command.h"

enum status interpreter_create(struct interpreter **interpreter);
void interpreter_free(struct interpreter *interpreter);
/* Forgets variables, defs, `use` and phases: shell->world is new and empty. Texts may be running, but no
 * statement that holds anything by name. */
void interpreter_reset(struct shell *shell);
/* Runs text (a line, several, or a file's whole content) for all ranks. file: for messages, NULL at the
 * prompt. first_line: number of its first line. ST_INCOMPLETE (nothing ran) when a bracket or quote is still
 * open. On a refused line the lines before it have taken effect and the message says file, line, rank and
 * loop values. A false `expect` is said (out), counted in shell->expects_failed, and the lines go on: it is
 * no refusal. May be called while a line runs (source, undo, check). */
enum status interpreter_run(
        struct shell *shell, const char *text, size_t count, const char *file, int first_line);
/* The same for a text that nothing runs around, or (grant NULL) one of which the lines stand for the
 * line at hand, as a file's do for `source`. When a statement leaves a wish (shell->wish), `grant`
 * fulfils it once the statement is over; after ST_AGAIN the statement then runs again. Elsewhere a wish
 * is refused. */
enum status interpreter_run_granting(struct shell *shell, const char *text, size_t count, const char *file,
        int first_line, enum status (*grant)(struct shell *shell));
/* What the text's commands may change: COMMAND_LOOK nothing, COMMAND_SESSION nothing of the world, else
 * COMMAND_STEER. */
enum command_class interpreter_class(const char *text, size_t count);
/* Grammar only: ST_OK, ST_INCOMPLETE or the failure. Names and shapes are not looked at. */
enum status interpreter_check(
        struct shell *shell, const char *text, size_t count, const char *file, int first_line);
/* Grammar only: *taken is the bytes of the first line with something on it, with the lines of its block. */
enum status interpreter_first(
        const char *text, size_t count, const char *file, int first_line, size_t *taken);
/* Possible endings of the word before `cursor`: "name\n" each. */
enum status interpreter_complete(struct shell *shell, const char *line, int cursor, struct text *out);
/* Variables with values by rank, for `let` from the command line and for the prompt. */
enum status interpreter_let(struct shell *shell, const char *name, const char *expression);
/* A tensor as written ("w1", "flat[0:64]") on a rank. */
enum status interpreter_view(struct shell *shell, int rank, const char *text, struct view *view);
/* ---- a program's files: a model's and strategies'. Their variables and defs stand in a namespace of
 * their own, which the files share: the learner's variables are not seen in them, nor theirs at the
 * prompt. A def that he types after interpreter_program_new counts for them as the latest. ---- */
struct namespace;
/* An option's value; word NULL: the number */
struct given {
	const char *name;
	struct number number;
	const char *word;
};
struct namespace *interpreter_program_new(struct shell *shell);
/* What files run in from here on; gives what it was (NULL: none), which is the caller's to free or to set
 * again. A reset frees it. */
struct namespace *interpreter_program_set(struct interpreter *interpreter, struct namespace *space);
void interpreter_program_free(struct namespace *space);
/* A variable that the files find there: ST_NAME when there is one. */
enum status interpreter_program_let(struct shell *shell, const struct given *given);
/* As interpreter_run, in the program's namespace. `given` is held to the `option` lines of the file before
 * anything runs; what: who speaks, "strategy ddp". ST_INCOMPLETE: a bracket or quote is open at its end. */
enum status interpreter_program_run(struct shell *shell, const char *what, const char *text, size_t count,
        const char *file, int first_line, const struct given *given, int givens);
/* What runs, as far as the interpreter keeps it between two statements: a program that is suspended on a
 * stack of its own has one, the prompt's lines the other. Zeroed: nothing. */
struct running {
	struct frame *frame;
	struct scope *scope;
	struct loop *loops;
	const struct tree *tree;
	int blocks, flows, calls, runs, sealed, closed;
	int fault_rank;
	bool located;
};
void interpreter_exchange(struct interpreter *interpreter, struct running *other);

/* ---- lines as they ran ---- */
enum ran {
	RAN_LINE,  /* a command, `tensor`, a view, `expect` */
	RAN_CALL,  /* of a def: what it does comes next, one deeper */
	RAN_BLOCK, /* a command with a block (`capture G {`): its lines come next */
	RAN_END,   /* ... of it */
};
struct statement;
struct line_hook {
	/* Before the statement runs, for `set`; depth: the defs' calls around it */
	void (*ran)(struct line_hook *hook, struct shell *shell, enum ran ran, struct statement *statement,
	        const struct ranks *set, int depth);
	/* A step's `##`, at which a program may stop; NULL: it is a comment */
	enum status (*title)(struct line_hook *hook, struct shell *shell, const struct statement *statement,
	        const struct ranks *set);
};
/* NULL: none. Gives what it was. */
struct line_hook *interpreter_hook(struct interpreter *interpreter, struct line_hook *hook);
/* Inside `ran`: the line as it is on `rank` of the set, without @, block and phase: variables,
 * expressions and the streams and groups of the blocks around it filled in. What reads data or the clock
 * stays an expression. *varies becomes true when it may be another line on another rank of the set. */
void interpreter_render(struct shell *shell, struct statement *statement, const struct ranks *set, int rank,
        struct text *out, bool *varies);

/* "use @1" etc. as the prompt shows it: "@1 " or "" */
void interpreter_prompt(const struct shell *shell, struct text *out);
/* The ranks that a line at the prompt is for */
const struct ranks *interpreter_ranks(const struct shell *shell);
uint64_t interpreter_digest(const struct interpreter *interpreter); /* of variables, defs, use */

#endif

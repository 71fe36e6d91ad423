/* choose.h -- models and strategies by name or file, and the program made of them */
#ifndef RANKSH_CHOOSE_H
#define RANKSH_CHOOSE_H

#include "shell/language/run/command.h"
#include "shell/language/run/player.h"
#include "shell/training/checkpoint.h"
#include "shell/training/training.h"

/* The top of a model's or a strategy's file: its help, and what it requires
 *
 *     # ddp: every rank has the whole model              NAME: one sentence
 *     # memory: parameters whole on every rank           a note; further lines are indented
 *     # sends: gradients, averaged                       a note that the help of a stack repeats
 *     # axis dp: share out the batch                     its mesh axis, and what it does there
 *     # after tp pp                                      read after the files of these axes
 *     # alone: rank 0 has the model                      it does not stack, and why
 *     # loses hook != "none": the hook leaves out        when verify may differ, and why
 *     # parts replicas*micros: places are by part        verify: into how many parts; 0: any
 *     # own pace mode == "async": no rank waits          `run` reads losses at its end only
 *     option bucket=25M "bytes of a bucket"              in the tree */
struct tree;
struct embedded;
struct option_line;
enum { HEAD_TREES = 12 };
enum head_text {
	HEAD_HELP,
	HEAD_NOTES,
	HEAD_AXIS, /* "": none */
	HEAD_CUTS, /* ": share out the batch" */
	HEAD_AFTER,
	HEAD_ALONE, /* " why"; "": it stacks */
	HEAD_LOSES, /* "EXPR: why", a line each */
	HEAD_PARTS, /* "EXPR: why" */
	HEAD_OWN_PACE,
	HEAD_TEXTS
};
struct head {
	/* tree[0]: the file; then built-in parts; NULL after the last */
	struct tree *tree[HEAD_TREES + 1];
	struct text text[HEAD_TEXTS];
};

enum { GIVENS_MAX = 32, FILES_MAX = PARTS_MAX + 1 };
/* A strategy of the line, or a model */
struct choice {
	const char *name; /* "ddp", or a file "mine.rsh" */
	int size;         /* of its axis; 0: not given */
	struct given given[GIVENS_MAX];
	int givens;
	/* ---- valid from choose_file and head_read to choice_release */
	struct player_file file;
	struct head head;
};

/* named.c: returns the i-th built-in name; NULL after the last */
const char *choice_name(bool model, int i);
bool choice_is_path(const char *name);
/* Reads the file into choice->file. Fails with ST_NAME, naming the nearest, or ST_FILE. */
enum status choose_file(struct shell *shell, bool model, struct choice *choice);
/* As choose_file; also reads the file's head into choice->head. Fails also with ST_SYNTAX. */
enum status choose_head(struct shell *shell, bool model, struct choice *choice);
void choice_release(struct choice *choice);
/* Returns NULL if the option is not given. */
const struct given *choice_given(const struct choice *choice, const char *name);
/* Sets or replaces the option. The world's names own its texts. */
struct given *choice_give(struct choice *choice, const struct given *given);
/* places.c: checks the files in reading order, the model's first. Fails with ST_ARGUMENT or
 * ST_NAME if a def has another number of words than the one it overrides or a name close to one,
 * or if a strategy has an option of the model. */
enum status choices_fit(const struct choice *choice, const int *order, int count);
/* Appends a line for each def of a user's file that hides an earlier one. */
void choices_lost(const struct choice *choice, const int *order, int count, struct text *out);

/* stack.c: orders the files so that each comes after those of the axes in its `# after`. Requires
 * choice[0], the model, and all heads. Fails with ST_ARGUMENT for a cycle, naming its files, and
 * for a strategy that does not stack. */
enum status stack_order(const struct choice *choice, int count, int *order);
/* Appends "mesh dp=2 tp=2", in the line's order. One missing size follows from `ranks`. Fails with
 * ST_ARGUMENT or ST_RANGE. */
enum status stack_mesh(struct choice *choice, int count, int ranks, struct text *out);
/* Appends "mesh dp=2 tp=2: tp within nvlink, dp over the adapters", if there are two axes or more.
 * Call after stack_mesh. */
void stack_links(
        const struct choice *choice, int count, const struct machine *machine, int ranks, struct text *out);
/* Gives each option to all files that have it, or if none has it to the model. Fails with
 * ST_ARGUMENT if only other strategies have it, or if it has two values. */
enum status stack_options(struct choice *choice, int count);
/* places.c: appends the options without effect; of the model's, those from index `from` on. Call
 * after stack_options. */
void stack_idle(const struct choice *choice, int count, int from, struct text *out);
void program_say_idle(struct shell *shell, const struct program *program);
/* Reads key i of the line as an option. */
enum status choice_key(struct call *call, int i, struct choice *choice);
/* Makes `model` the model of later strategies, after a walk through it on one rank. */
enum status choose_model(struct shell *shell, struct choice *model);
/* Makes the chosen model, if any, again for other data. */
enum status choose_model_again(struct shell *shell);
/* choose_otherwise returns a variant of a model's program on one rank; NULL if its file lacks the
 * options. */
struct otherwise {
	bool f32;
	int micros;        /* above 1: the number of parts of the batch */
	double loss_scale; /* above 0: multiplies the loss's gradient; the optimizer divides */
	int seed;          /* added to the model's */
};
struct program *choose_otherwise(struct shell *shell, const struct program *alone, struct names *names,
        const struct otherwise *otherwise);
/* For TAB: appends the names, or after `name` the keys of its options. */
void strategy_follows(const char *name, struct text *out);
void model_follows(const char *name, struct text *out);
/* Appends every "KEY=" that a replay may change, a line each. */
void choice_changes(struct text *out);
/* Appends the built-in strategies with that option. */
void choice_those_with(const char *option, struct text *out);
/* Prints the built-in models or strategies. */
void choice_list(struct shell *shell, bool models);
/* Prints the help of a model or strategy, or (source) its text. */
enum status choice_tell(struct shell *shell, bool model, const char *name, bool source);
/* Prints the help of a stack. Fails with ST_ARGUMENT if the choices do not stack. */
enum status choice_tell_several(struct shell *shell, struct choice *choice, int count);
/* Makes the program of choice[0], the model (without a name: the chosen one), and the strategies
 * after it. */
enum status choose_program(struct shell *shell, struct choice *choice, int count, struct program **made);
/* Makes and starts the program of the strategies after choice[0], into which it puts the chosen
 * model (else mlp). Empties the world; changes nothing on failure. */
enum status choose_strategies(struct shell *shell, struct choice *choice, int count);
/* Restarts the program in an empty world; it loads the checkpoint after its setup. */
enum status choose_resumed(struct shell *shell, const struct checkpoint *c);

/* ---- head.c ---- */

/* Fails with ST_SYNTAX; *head is then empty. */
enum status head_read(struct head *head, const struct player_file *file);
void head_release(struct head *head);
/* Appends "  NAME=DEFAULT   of: a b" and the sentence, for each option. */
void head_options(const struct head *head, int width, struct text *out);
/* Appends "options: NAME=DEFAULT NAME=DEFAULT"; nothing without options. */
void head_defaults(const struct head *head, struct text *out);
/* Appends "NAME=", and "NAME=WORD" for its words or default, one a line. */
void head_keys(const struct head *head, struct text *out);
/* Returns NULL if there is none. */
const struct embedded *built_in_part(const char *name);
/* Returns NULL if there is none. */
const struct option_line *head_option(const struct head *head, const char *name);
/* As head_option, for a file whose head is not read */
bool file_has_option(const struct player_file *file, const char *name);

#endif

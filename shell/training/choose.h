/* choose.h -- models and strategies by name or file, and the program that they make together */
#ifndef RANKSH_CHOOSE_H
#define RANKSH_CHOOSE_H

#include "shell/language/run/command.h"
#include "shell/language/run/player.h"
#include "shell/training/checkpoint.h"
#include "shell/training/head.h"
#include "shell/training/training.h"

enum { GIVENS_MAX = 32, FILES_MAX = PARTS_MAX + 1 };
/* A strategy of the line `strategy ddp=2 + tp=2`, or a model */
struct choice {
	const char *name; /* "ddp", or a file "mine.rsh" */
	int size;         /* of its axis; 0: not given */
	struct given given[GIVENS_MAX];
	int givens;
	/* ---- while a program is made of it: by choose_file and head_read, until choice_release */
	struct player_file file;
	struct head head;
};

/* named.c: the i-th name of those in the binary; NULL behind the last */
const char *choice_name(bool model, int i);
/* It is a file's, not that of one in the binary */
bool choice_is_path(const char *name);
/* choice->file becomes the file of its name, embedded or on disk. ST_NAME: no such one, worded with the
 * nearest; ST_FILE. */
enum status choose_file(struct shell *shell, bool model, struct choice *choice);
/* ... and choice->head what its head says. ST_SYNTAX too */
enum status choose_head(struct shell *shell, bool model, struct choice *choice);
void choice_release(struct choice *choice);
/* The option as it was given; NULL: it was not */
const struct given *choice_given(const struct choice *choice, const char *name);
/* Sets the option, given before or not. Names and words belong to the world's names. */
struct given *choice_give(struct choice *choice, const struct given *given);
/* places.c: the files of a program in the order in which they are read, the model's first. ST_ARGUMENT, ST_NAME
 * with file and line: a def with another number of words than the place that it replaces, one whose name is
 * nearly a place's, an option of a name that the model has. */
enum status choices_fit(const struct choice *choice, const int *order, int count);
/* Appends a line for each def of a user's own strategy that keeps an earlier one from being called: of the same file, or of another
 * strategy of the line. */
void choices_lost(const struct choice *choice, const int *order, int count, struct text *out);

/* stack.c: the strategies of a line, in the order written; choice[0] is the model; the heads are read.
 * order[i]: whose file is the i-th, so that each stands behind those of the axes that its head names behind
 * `after`. ST_ARGUMENT: these lines go in a circle; worded with the files of it; or one of several stands alone. */
enum status stack_order(const struct choice *choice, int count, int *order);
/* "mesh dp=2 tp=2": an axis for each strategy that has one, in the order written. At most one size may be left out: it is
 * worked out from the number of ranks, and set. ST_ARGUMENT, ST_RANGE. */
enum status stack_mesh(struct choice *choice, int count, int ranks, struct text *out);
/* "mesh pp=2 dp=2 tp=2: tp within nvlink, pp and dp over the adapters": by which links neighbours along each axis
 * reach each other on this machine; nothing of less than two axes. Behind stack_mesh. */
void stack_links(
        const struct choice *choice, int count, const struct machine *machine, int ranks, struct text *out);
/* Options given behind a strategy go to all files of the line that have them, or to the model where no strategy
 * has. ST_ARGUMENT: another one has it; two values of one option. */
enum status stack_options(struct choice *choice, int count);
/* idle.c: a line, without a newline before it, for each given option that has no effect: its line's `with` and `unless`. Of the
 * model those from number `from` on. Behind stack_options. */
void stack_idle(const struct choice *choice, int count, int from, struct text *out);
void program_say_idle(struct shell *shell, const struct program *program);
/* Key i of the line becomes an option's value. */
enum status choice_key(struct call *call, int i, struct choice *choice);
/* The model for strategies to come; `given` is held to its options, and one rank walks through it. Says how
 * many parameters it has. */
enum status choose_model(struct shell *shell, struct choice *model);
/* The same model with other data */
enum status choose_model_again(struct shell *shell);
/* The program of a model alone on one rank, computed otherwise. NULL: its file has not the options for that. */
struct otherwise {
	bool f32;          /* in f32 */
	int micros;        /* above 1: the batch in so many parts */
	double loss_scale; /* above 0: the loss's gradient is multiplied by it, the optimizer divides */
	int seed;          /* added to its own */
};
struct program *choose_otherwise(struct shell *shell, const struct program *alone, struct names *names,
        const struct otherwise *otherwise);
/* For TAB, without a word to other processes: the names that there are, or behind `name` the keys of its
 * options. */
void strategy_follows(const char *name, struct text *out);
void model_follows(const char *name, struct text *out);
/* What a replay may change, "KEY=", each once, a line each: the numbers of the machine, and the options of all
 * strategies and models that come with ranksh */
void choice_changes(struct text *out);
/* The names of the strategies in the binary that have an option of that name, a blank between */
void choice_those_with(const char *option, struct text *out);
/* tell.c: a line for each that there is in the binary: its name, and in a few words what it is */
void choice_list(struct shell *shell, bool models);
/* Its help from its head; source: its text. */
enum status choice_tell(struct shell *shell, bool model, const char *name, bool source);
/* Of the strategies of a line, choice[1] to choice[count-1], what each is and does beside the others. ST_ARGUMENT: they do
 * not stack. */
enum status choice_tell_several(struct shell *shell, struct choice *choice, int count);
/* The program alone; choice[0] is the model, the chosen one where it has no name. */
enum status choose_program(struct shell *shell, struct choice *choice, int count, struct program **made);
/* The program of the chosen model (mlp where none is), which becomes choice[0], and of the strategies behind
 * it, the outermost axis first. count: of all. The world is an empty one then; on failure it is as it was. */
enum status choose_strategies(struct shell *shell, struct choice *choice, int count);
/* The chosen strategies' program again, at its start in an empty world: behind its setup it is restored from the
 * checkpoint, and its first iteration is the one behind. */
enum status choose_resumed(struct shell *shell, const struct checkpoint *c);

#endif

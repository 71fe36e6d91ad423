/* training.h -- what is trained, and the program that does it: `model`, `data`, `strategy`, and `program`'s
 * steps.
 *
 * A program is text cut into steps (strategies/strategies.h says how it looks). It is played through the same
 * interpreter as typed lines; the world knows nothing of it. A reset empties the world and puts the program
 * at its start; the program itself stays. */
#ifndef RANKSH_TRAINING_H
#define RANKSH_TRAINING_H

#include "shell/session/shell.h"
#include "strategies/strategies.h"

struct step {
	size_t title, title_count, why, why_count, lines, lines_count;
	int line;
}; /* bytes of program.text; number of the first line */
struct program {
	struct text text;
	char name[64]; /* of the strategy or the file, for messages */
	struct step *step;
	size_t count, room;
	size_t setup; /* steps before the iteration; count when there is none */
	bool loops;
	size_t loop, loop_count; /* bytes of the line that begins the iteration */
};
/* ST_SYNTAX names the line. Takes the text over; on failure *program is empty and the text still the
 * caller's. */
enum status program_read(struct program *program, struct text *text, const char *name);
void program_release(struct program *program);
enum status program_copy(const struct program *from, struct program *to);

/* What lines before the world's last reset have set */
struct plan {
	struct model model;
	bool model_given, data_given;
	struct data data;
	int vocab;                   /* of the data; 0: not text */
	int64_t width_in, width_out; /* of the data's rows; 0: the model says */
	struct {
		bool given;
		double f, b, w, comm;
	} stage;                   /* ns: by `stage`, instead of a model; `model` takes them back */
	struct strategy_call call; /* call.strategy NULL: none */
	struct program program;
};
struct training {
	struct plan now,
	        /* at_reset: what `undo` starts from: as it was before the line that emptied the world */
	        at_reset;
	struct plan at_line; /* before the line that runs; without its program */
	size_t at;           /* the step that comes next */
	int iteration;       /* it belongs to, from 0 */
	long played;         /* steps since the world was empty */
	long limit;          /* while lines run again: no step behind this one; -1: any */
	long played_before;  /* ... before the line that runs */
	long cut;  /* the steps that the last command played before the limit stopped it; -1: all of its */
	bool torn; /* the step at `at` was begun and not finished: it was refused, or Ctrl-C fell into it */
};

/* shell->training, made when first asked for; NULL: ST_MEMORY. */
struct training *training_of(struct shell *shell);
void training_free(struct shell *shell);
/* Before a line is run, typed or again. */
void training_line(struct shell *shell);
/* Around shell_reset: the plan of the new world, copied before the old one goes (all that can fail), and put in
 * place. again: lines of this world run again, with the plan that it began with. */
enum status training_keep(const struct shell *shell, bool again, struct plan *plan);
void training_reset(struct shell *shell, bool again, struct plan *plan);
/* Enter on an empty line means the next step. */
bool program_running(const struct shell *shell);

void plan_release(struct plan *plan);
enum status plan_copy(const struct plan *from, struct plan *to);
/* What the model takes from the data (vocabulary, columns), and default data. */
void plan_complete(struct plan *plan);
/* Makes the program of the plan's strategy, or of `call`: it is at its start, in an empty world. */
enum status program_generate(struct shell *shell, const struct strategy_call *call);
/* A script as a program. */
enum status program_load(struct shell *shell, const char *path, const char *bytes, size_t count);
/* Plays `steps` steps, or whole iterations (the one begun is finished, and counts). show: each step's title
 * and lines. */
enum status program_steps(struct shell *shell, long steps, bool show);
enum status program_iterations(struct shell *shell, long iterations, bool progress);
void program_list(struct shell *shell);
/* The program as a script that plays the iterations begun so far. */
void program_script(const struct shell *shell, struct text *out);
/* The loss after the iterations played: mean over the ranks that have the tensor `loss`; NAN when none has,
 * and with --dry. Moves nothing. */
enum status program_loss(struct shell *shell, double *loss);

/* Plays until `iterations` are done (0: those that are), trains the same model on one rank, and compares. */
enum status training_verify(struct shell *shell, long iterations);

#endif

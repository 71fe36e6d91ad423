/* training.h -- what is trained, and the program that does it: `model`, `data`, `strategy`, and `program`'s
 * steps.
 *
 * A program (program.h) is played through the same interpreter as typed lines; the world knows nothing of it.
 * A reset empties the world and puts the program at its start; the program itself stays.
 * An umbrella header: it brings along what it includes. */
#ifndef RANKSH_TRAINING_H
#define RANKSH_TRAINING_H

#include "shell/session/shell.h"
#include "shell/training/transcript.h"
#include "shell/training/parts.h"
#include "shell/training/program.h"
#include "shell/training/curves.h"

enum data_kind { DATA_SYNTHETIC, DATA_TEXT, DATA_NPY };
struct dataset {
	enum data_kind kind;
	char path[2][512]; /* TEXT: the file; NPY: samples, targets */
	int64_t count;     /* samples, or tokens; 0: as many as the model wants */
	int vocab;         /* of a text; else 0 */
	int64_t in, out;   /* columns of samples and targets; 0: the model says */
};
/* Each rank's, by `loader` */
struct loader {
	int workers /* 0: there is none */, prefetch;
	double read /* bytes a second; 0: the machine's disk_read */, decode /* ns a micro-batch */;
};
/* Of a pipeline's stage, in ns */
struct stage_times {
	bool given;
	double f, b, w, comm;
};
/* What lines before the world's last reset have set */
struct plan {
	bool data_given;
	struct dataset data;
	struct loader loader;
	struct stage_times stage; /* by `stage`, instead of a model; `model` takes them back */
	struct {
		long every; /* iterations of this program, or of the first one; 0: none is written */
		bool force; /* over files of any kind */
		char prefix[512];
	} checkpoint;
	struct program *program; /* NULL: none */
	struct program *
	        /* the chosen model on one rank: its file is the second. NULL: none was chosen */
	        model_program;
};
/* What the learner had typed when step `played` of the program began: lines (interpreter_typed) */
struct typed_lines {
	long played;
	struct text lines;
};
struct training {
	struct plan now,
	        /* at_reset: what `undo` starts from: as it was before the line that emptied the world */
	        at_reset;
	struct plan at_line;   /* before the line that runs; without its program */
	struct player *player; /* of now.program, from its first step on */
	bool ended;            /* it has come to its end */
	/* the step that comes next, from 0, of the setup or of iteration `iteration` */
	bool in_setup;
	size_t at;
	int iteration;
	size_t round;       /* steps of the last whole iteration; 0: none yet */
	long played;        /* steps since the world was empty */
	long limit;         /* while lines run again: no step behind this one; -1: any */
	long played_before; /* ... before the line that runs */
	long began;         /* ... before the command that plays them */
	bool cut;           /* the limit stopped that command */
	/* since the limit was set: of a line that it stopped the log keeps another one than ran, as `step 19` of
	 * a run that had read a loss already */
	bool rewritten;
	bool torn; /* the step at `at` was begun and not finished: it was refused, or Ctrl-C fell into it */
	struct part_lines parts;
	struct curves curves;
	struct transcript *transcript; /* of the last step shown */
	/* for `program save`: before the program, and whenever there was something new */
	struct typed_lines *typed;
	size_t typed_count;
	unsigned typed_latest; /* number of the learner's latest def in there */
};

/* shell->training, for as long as the session is open */
struct training *training_make(void);
void training_free(struct shell *shell);
/* Before a line is run, typed or again. */
void training_line(struct shell *shell);
/* Before the world of the program's lines goes: what was played of it is given up. */
void training_stop(struct shell *shell);
/* In the new world: its plan. again: lines of this world run again, with the plan that it began with. */
void training_reset(struct shell *shell, bool again);
/* Enter on an empty line means the next step. */
bool program_running(const struct shell *shell);

/* "loader: 4 workers a rank, 2 micro-batches each ahead, read at 2 GB/s, decode 3.00 ms"; or that there is none */
void loader_text(const struct loader *loader, struct text *out);
void plan_release(struct plan *plan);
void plan_copy(const struct plan *from, struct plan *to);
/* save.c: a step begins: what the learner has typed meanwhile is kept for program_script. */
void typed_note(struct shell *shell);
void typed_forget(struct training *t);
/* The program takes the world over: an empty one. What was before it is what `undo` goes back to. One that cannot run to the end of its first iteration is refused, and the
 * world is as it was. */
enum status program_take(struct shell *shell, struct program *program);
/* Likewise, another training: checkpoints that were asked for of the program before have an end, or files of the two
 * would stand under the same names. */
enum status program_begin(struct shell *shell, struct program *program);
/* ST_ARGUMENT where there is none: says how one is made. */
enum status program_wanted(const struct shell *shell);
/* A file's script as a program. Collective: rank 0 reads it. */
enum status program_load_file(struct shell *shell, const char *path);
enum status program_load(struct shell *shell, const char *path, const char *bytes, size_t count);
/* Plays `steps` steps, or whole iterations (the one begun is finished, and counts). show: each step's title
 * and lines. */
enum status program_steps(struct shell *shell, long steps, bool show);
enum status program_iterations(struct shell *shell, long iterations, bool progress);
void program_list(struct shell *shell);
/* What the last step that was shown did, line by line */
enum status program_inside(struct shell *shell);
/* What the program's steps so far did, as a script of plain lines: the same timeline and numbers. */
enum status program_script(struct shell *shell, struct text *out);
/* The loss after the iterations played: mean over the ranks that have the tensor `loss`; NAN when none has,
 * and with --dry. Moves nothing. */
enum status program_loss(struct shell *shell, double *loss);

/* Why the program cannot agree with one rank, if its strategies say so: "the hook leaves something out on the way"; else
 * nothing. */
enum status program_loses(struct shell *shell, struct text *out);
/* In how many parts the one rank must train the batch to be the same, as the model says; 0: in any */
void program_parts(const struct shell *shell, int *parts);
/* Plays until `iterations` are done (0: those that are), trains the same model on one rank, and compares. */
enum status training_verify(struct shell *shell, long iterations);

#endif

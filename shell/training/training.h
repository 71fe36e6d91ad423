/* training.h -- a session's training: `model`, `data`, `strategy`, and the program that they
 * make
 *
 * The world does not know the program. A reset empties the world and rewinds the program. An
 * umbrella header. */
#ifndef RANKSH_TRAINING_H
#define RANKSH_TRAINING_H

#include "shell/session/shell.h"
#include "shell/training/program.h"
#include "shell/values/read.h"
#include "trace/plot.h"

enum data_kind { DATA_SYNTHETIC, DATA_TEXT, DATA_NPY };
struct dataset {
	enum data_kind kind;
	char path[2][512]; /* TEXT: the file; NPY: samples, targets */
	int64_t count;     /* samples or tokens; 0: as many as the model asks for */
	int vocab;         /* of a text; else 0 */
	int64_t in, out;   /* columns of samples and targets; 0: the model decides */
};
struct loader {
	int workers /* 0: none */, prefetch;
	double read /* bytes/s; 0: the machine's disk_read */, decode /* ns a micro-batch */;
};
/* Times of a pipeline's stage, ns */
struct stage_times {
	bool given;
	double f, b, w, comm;
};
/* Settings that outlive a reset */
struct plan {
	bool data_given;
	struct dataset data;
	struct loader loader;
	struct stage_times stage; /* by `stage`; a new `model` clears it */
	struct {
		long every; /* iterations between two; 0: none */
		bool force;
		char prefix[512];
	} checkpoint;
	struct program *program; /* NULL: none */
	/* the chosen model on one rank, with its file as file[1]; NULL: none */
	struct program *model_program;
};
/* The parts of parameters in each rank's tensors, from `part` lines
 *
 *     part w1 of w1                       the whole parameter
 *     part w1 of w1 row=64*tp             a shard: its rows from 64*tp on
 *     part flat[0:4096] of w1 at=8192     a run in the flattened parameter
 *     part flat[0:64] of w1 row=8 col=16 rows=8 cols=16 at=64
 *                                         a run in a flattened block: ZeRO and tensor parallel
 *     part w1_m of w1 as=m                its optimizer state
 *
 * Tensors are resolved by name when needed: one may have been freed and made again. */
struct part_line {
	int rank;
	const char *tensor;     /* as written: "flat[0:4096]" */
	const char *of, *state; /* the parameter; "": its values, else "m", "v" */
	/* at=, rows= or cols= given: the block is flattened, and the tensor begins at `at` */
	bool flat;
	int64_t row, col, at;
	int64_t rows, cols; /* of a flat block; 0: to the parameter's end */
};
struct part_lines {
	struct part_line *line; /* in order of declaration */
	size_t count;
	struct names *places; /* "RANK TENSOR"; the id is the number of its line, from 1 */
};

/* The loss against virtual time: a curve for each program of the session */
struct curves {
	struct curve *curve; /* by age; the last may be this world's */
	size_t count;
	bool open; /* the last one is this world's */
	/* of this world, by iteration and rank: the last writer of `loss`; 0: none */
	op_id *loss;
	size_t losses; /* entries, of all iterations played */
};

/* Lines typed before step `played` (interpreter_typed) */
struct typed_lines {
	long played;
	struct text lines;
};
struct transcript;
struct training {
	/* at_reset: the plan before the line that emptied the world; `undo` starts from it */
	struct plan now, at_reset;
	struct plan at_line;   /* before the current line; without its program */
	struct player *player; /* of now.program */
	bool ended;            /* the player is at its end */
	/* the next step, of the setup or of `iteration` */
	bool in_setup;
	size_t at;
	int iteration;
	size_t round;       /* steps of the last whole iteration; 0: none yet */
	long played;        /* steps since the world was empty */
	long limit;         /* during a replay: `played` may not exceed it; -1: no limit */
	long played_before; /* `played` before the current line */
	long began;         /* `played` before the current command that plays steps */
	bool cut;           /* the limit stopped that command */
	/* since the limit was set, the journal has stored another line than the one that ran */
	bool rewritten;
	bool torn; /* step `at` failed or was interrupted */
	struct part_lines parts;
	struct curves curves;
	struct transcript *transcript; /* of the last step shown */
	struct typed_lines *typed;     /* for `program save` */
	size_t typed_count;
	unsigned typed_latest; /* the latest def in it */
};

/* Make and free shell->training, for an open session. */
struct training *training_make(void);
void training_free(struct shell *shell);
/* Call before a line runs. */
void training_line(struct shell *shell);
/* Call before the program's world is freed. */
void training_stop(struct shell *shell);
/* Call in the new world. again: restores the plan with which the old world began */
void training_reset(struct shell *shell, bool again);
/* Returns true if Enter on an empty line plays the next step. */
bool program_running(const struct shell *shell);

/* Appends "loader: 4 workers a rank, ...", or that there is none. */
void loader_text(const struct loader *loader, struct text *out);
void plan_release(struct plan *plan);
void plan_copy(const struct plan *from, struct plan *to);
/* walk.c: keeps the lines typed since the last step, for `program save`. */
void typed_note(struct shell *shell);
void typed_forget(struct training *t);
/* Makes `program` the session's program. Fails, and changes nothing, if it cannot run to the end
 * of its first iteration. ST_AGAIN: the world is not empty yet (session_wants_empty). */
enum status program_take(struct shell *shell, struct program *program);
/* The same; also ends an earlier program's `checkpoint every=`. */
enum status program_begin(struct shell *shell, struct program *program);
/* Fails with ST_ARGUMENT if the session has no program. */
enum status program_wanted(const struct shell *shell);
/* Loads a script. Collective: rank 0 reads the file. */
enum status program_load_file(struct shell *shell, const char *path);
enum status program_load(struct shell *shell, const char *path, const char *bytes, size_t count);
/* Plays steps, or whole iterations (one already begun counts). show: titles and lines */
enum status program_steps(struct shell *shell, long steps, bool show);
enum status program_iterations(struct shell *shell, long iterations, bool progress);
void program_list(struct shell *shell);
enum status program_inside(struct shell *shell);
/* Appends the steps so far as plain lines. */
enum status program_script(struct shell *shell, struct text *out);
/* Computes the mean of `loss` over its ranks; NAN if none, and with --dry. Takes no time. */
enum status program_loss(struct shell *shell, double *loss);

/* Appends why the program's results may differ from those of one rank; nothing if they do not. */
enum status program_loses(struct shell *shell, struct text *out);
/* Sets *parts to the number of parts into which one rank cuts its batch for a comparison; 0: any.
 * Without a line `# parts`, *parts is unchanged. */
void program_parts(const struct shell *shell, int *parts);
/* Plays until `iterations` are done, but at least one and to the end of the current one. Then
 * trains as many on one rank, and compares. */
enum status training_verify(struct shell *shell, long iterations);

/* ---- parts of parameters ---- */

/* Adds the tensor's declaration, or replaces its earlier one. Copies the texts into `names`. */
void parts_declare(struct part_lines *parts, struct names *names, const struct part_line *line);
void parts_forget(struct part_lines *parts);

/* ---- curves.c ---- */

/* Call after an iteration: records the operations that wrote its losses. */
void curves_iteration(struct shell *shell);
/* Collective. Makes the curve of this world's iterations so far; none with --dry. */
enum status curves_gather(struct shell *shell);
/* Call when the world ends. again: drops its curve, because a replay will make it anew */
void curves_world_ends(struct curves *curves, bool again);
void curves_release(struct curves *curves);

/* ---- state.c: memory, loss and rate ---- */

/* Appends the ranks' device memory by kind: of tensors now, or (peak) of blocks at the peak. */
void state_memory(const struct shell *shell, const struct ranks *set, bool peak, struct text *out);
/* Reads a value of the tensor named tensor[rank] (NULL: none) on each rank. Sets *set to the ranks
 * that have one; `values` has their order. */
enum status state_read(struct shell *shell, enum read_kind kind, const char *const *tensor, struct ranks *set,
        double *values);
/* Prints an iteration's loss and rate; last: also the dynamic loss scale */
enum status state_iteration(struct shell *shell, bool last);
enum status state_progress(struct shell *shell, struct text *out);

#endif

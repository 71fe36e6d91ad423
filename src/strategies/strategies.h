/* strategies.h -- how a model is trained on many ranks: a strategy writes a program, lines that a user could
 * have typed.
 *
 *     model + data + options + number of ranks  --generate-->  text  --shell/training/program.c-->  step, run, verify
 *
 * Strategies are pure text generators: they see no tensor and no clock, and have no way to reach into the
 * engine. May call: base/.
 *
 * The program, which is a script too (`program save F`, `source F`):
 *     ## title of a step                     ... of the setup: streams, parameters
 *     # why, a sentence or two
 *     lines
 *     for it in 0:1 {                        the line that begins the iteration, alone on its line
 *                                            (PROGRAM_LOOP)
 *     ## title
 *     # why
 *     phase F
 *     lines                                  may use `it`, the number of the iteration, from 0
 *     }                                      alone on its line
 * Each step of the iteration begins with a `phase`, F<m> R<m> B<m> W<m> O C (m the micro-batch; R: forward
 * again), so that no step inherits another's. Whatever a step waits for must have been queued by the end of
 * the step or of a later one; nothing needs to be drained. After an iteration the tensor `loss` [1] of the
 * ranks that have one holds the mean loss over their part; its mean over these ranks is the batch's.
 *
 * To add a strategy: one file with its row `const struct strategy strategy_NAME` and X(NAME) in
 * strategies.c's list. layers.h has the lines of the models' layers, so that a strategy writes only what it
 * puts around them. */
#ifndef RANKSH_STRATEGIES_H
#define RANKSH_STRATEGIES_H

#include "base/dtype.h"
#include "base/number.h"
#include "base/status.h"
#include "base/text.h"

#include <stdint.h>

#define PROGRAM_LOOP "for it in 0:1 {"

enum model_kind { MODEL_MLP, MODEL_GPT };
enum optimizer { OPTIMIZER_SGD, OPTIMIZER_ADAM };

/* What `model` says, completed by `data`: in, out, vocab. Valid: shell/commands/model.c has checked it. */
struct model {
	enum model_kind kind;
	int layers;
	int64_t hidden;
	int heads;        /* gpt: divides hidden */
	int64_t seq;      /* gpt: tokens of a sequence; mlp: 1 */
	int64_t batch;    /* rows (mlp) or sequences (gpt) of one optimizer step, of all ranks together */
	int64_t vocab;    /* gpt */
	int64_t in, out;  /* mlp: columns of the samples and of the targets */
	enum dtype dtype; /* f32; f16, bf16: with f32 master weights */
	bool tied;        /* gpt: the head is the embedding, transposed */
	enum optimizer optimizer;
	double lr;
	double dropout;    /* the part of activations that becomes 0 in training; 0: none */
	double loss_scale; /* the loss's gradient is multiplied by it, the optimizer divides; 1: neither */
	int seed;
};

enum data_kind { DATA_SYNTHETIC, DATA_TEXT, DATA_NPY };
struct data {
	enum data_kind kind;
	char path[2][512]; /* TEXT: the file; NPY: samples, targets */
	int64_t count;     /* samples; gpt: tokens */
};

enum { STRATEGY_OPTIONS_MAX = 12 };
struct strategy_option {
	const char *name;
	const char *value; /* the default, as a user would write it: "25M" "on" "1"; "": none */
	const char *words; /* the words it takes, separated by blanks; NULL: a number */
	enum unit unit;    /* of a number */
	double least;      /* of a number */
	const char *about;
};
struct strategy_value {
	double number;
	char word[24];
	bool given;
};

struct strategy;
struct strategy_call {
	const struct strategy *strategy;
	int ranks;
	struct model model;
	struct data data;
	struct strategy_value option[STRATEGY_OPTIONS_MAX]; /* in the row's order, defaults filled in */
};
double option_number(const struct strategy_call *call, const char *name);
bool option_is(const struct strategy_call *call, const char *name, const char *word);

/* Where the parameters are after an iteration, for `verify`: `name` on `rank` (words of the language: "w1",
 * "flat[0:4096]") holds rows row .. row+rows and columns col .. col+cols of the parameter; or, when count is
 * above 0, elements from .. from+count of the parameter taken as one line. Of a half type it is the f32
 * master that is listed: what the optimizer steps; the rest is cast from it. */
struct portion {
	int parameter; /* index in model_parameters() */
	int rank;
	char name[64];
	int64_t row, rows, col, cols;
	int64_t from, count;
};
struct parts {
	struct portion *part;
	size_t count, room;
}; /* mem_free(part) */
enum status parts_add(struct parts *parts, const struct portion *part);

struct strategy {
	const char *name, *usage, *help;
	const char *cost; /* memory per rank and bytes sent per step, in words and formulas; several lines */
	struct strategy_option option[STRATEGY_OPTIONS_MAX];
	/* Checks degrees and shapes (ST_RANGE, ST_SHAPE: says which, and the nearest that fit), then writes
	 * the program into *out. */
	enum status (*generate)(const struct strategy_call *call, struct text *out);
	/* NULL: every parameter is whole, under its own name, on every rank. */
	enum status (*parts)(const struct strategy_call *call, struct parts *parts);
	/* What of the call leaves digits out on purpose ("hook=int8"), so that it cannot agree with one rank;
	 * NULL, or a NULL function: nothing. */
	const char *(*lossy)(const struct strategy_call *call);
};

const struct strategy *strategy_find(const char *name); /* NULL if none */
const struct strategy *strategy_at(int i);              /* in the order of help; NULL behind the last */
/* Checks what all strategies need (data large enough for a batch), then generates. */
enum status strategy_generate(const struct strategy_call *call, struct text *out);
enum status strategy_parts(const struct strategy_call *call, struct parts *parts);

/* "W is 6 on 4 ranks: it must divide ...; the nearest that fit are 4 and 8": ST_RANGE. what: "heads=6";
 * divisor must divide value. */
enum status wants_divisor(const char *what, int64_t value, const char *by, int64_t divisor);

#endif

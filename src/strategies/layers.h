/* layers.h -- the models' layers as lines of the command language, written once for all strategies.
 *
 * A model is a row of units: 0 the input (gpt: embedding and positions; mlp: nothing), 1 .. layers the
 * blocks, layers+1 the head and the loss. Unit i reads x<i-1> and writes x<i>; backward it reads dx<i> and
 * writes dx<i-1>. All activations carry the suffix; parameters do not.
 *
 *     mlp block i    z = x w ; x = relu z  (the last one: x = x w)              head: mse of x<L> and targets
 *     gpt block i    n = layernorm x ; q k v = n wq, n wk, n wv ; o = attention q k v ; p = o wo ; r = x + p
 *                    m = layernorm r ; u = m wu ; g = gelu u ; y = g wd ; x = r + y
 *     gpt head       n = layernorm x<L> ; logits = n head (tied: n table.T) ; crossentropy
 *
 * With dropout: behind the relu of an mlp's layer; in a gpt of x0, p and y (GPT-2's embd_pdrop and
 * resid_pdrop; attention's probabilities stay). The mask is made anew for the gradient: nothing of it is
 * kept.
 *
 * There are no biases, and layernorm has no weights: every parameter is a matrix. Gradients are "d" and the
 * parameter's name. */
#ifndef RANKSH_LAYERS_H
#define RANKSH_LAYERS_H

#include "strategies/strategies.h"

/* How tensor parallelism cuts a parameter: columns (wq wk wv wu), rows (wo wd), or not. */
enum split { SPLIT_NONE, SPLIT_COLUMNS, SPLIT_ROWS };
struct parameter {
	char name[24]; /* "w2"; gpt: "table" "pos" "wq2" "wk2" "wv2" "wo2" "wu2" "wd2" "head" */
	int unit;      /* whose layer computes its gradient last */
	int64_t rows, cols;
	double scale; /* of its random beginning */
	int seed;
	enum split split;
};
/* In the order of the forward pass; *list is the caller's (mem_free). */
enum status model_parameters(const struct model *model, struct parameter **list, int *count);
/* name[0 .. length) is one of them */
bool model_has_parameter(const struct model *model, const char *name, size_t length);
int model_units(const struct model *model); /* layers + 2 */
int64_t parameter_count(const struct parameter *parameter);
const char *master_suffix(
        const struct model *model); /* of what the optimizer steps: "_f32" with a half type, else "" */
/* "2" -> "layer 2"; the input and the head by their names: for titles. */
const char *unit_title(const struct model *model, int unit, char title[32]);

/* Places in a block where a strategy may put lines of its own (tensor parallelism). The function gets the
 * tensor's name there and returns, in `name`, the one to go on with. SAVED: backward asks which tensor
 * FORWARD_IN's went on with; no lines then. */
enum layer_place {
	PLACE_FORWARD_IN, /* n, m (mlp: x): before the matmuls whose parameters are split by columns */
	/* p, y: after the matmul whose parameter is split by rows, before the residual is added */
	PLACE_FORWARD_OUT,
	PLACE_SAVED,
	PLACE_BACKWARD_OUT, /* dp, dy: before that matmul's gradients */
	PLACE_BACKWARD_IN,  /* dn, dm: after the gradients of the inputs were added up */
};
enum half { HALF_ATTENTION, HALF_MLP };

struct layers {
	const struct model *model;
	struct text *out;
	const char *on;        /* " on compute" behind each line; "" for none */
	const char *suffix;    /* of activations: "", "_3", "_$m" */
	int64_t rows;          /* batch rows (sequences) of the micro-batch; 0: `rows_text` has it */
	const char *rows_text; /* the same as an expression, where ranks differ: "rows" */
	const char *
	        /* the first of these rows in the step's batch, an expression: "0", "first1", "rank*8" */
	        first;
	const char
	        *share; /* what the loss and its gradient are multiplied by: "1/4", "share"; NULL: nothing */
	bool add;       /* dw += : not the first micro-batch of the step */
	/* micro-batches of unequal rows take turns: setup_batch makes room for `rows`, batch_lines takes a
	 * part of it */
	bool room;
	int heads; /* of this rank; 0: the model's */
	/* Dropout loses the same elements however the model is cut: a rank that has a part of a tensor only
	 * says where it lies. */
	int64_t cut,
	        /* rank r's part begins r * cut elements behind that of rank 0; width: of a row of the whole,
	         * 0: as the part's */
	        width;
	const char *
	        /* a pipeline: how many layers of the model lie before the one it calls layer 1; NULL: none */
	        below;
	int whole_layers; /* of the model, where `model` is a stage's; 0: model's */
	/* a later stage of a pipeline: x0 comes from the stage before, which wants dx0 of an mlp too */
	bool inner;
	enum { BATCH_BOTH, BATCH_INPUTS, BATCH_TARGETS } batch; /* what of the batch this rank reads */
	void (*place)(struct layers *layers, enum layer_place place, enum half half, int unit,
	        const char *tensor, char name[48]); /* NULL: none */
	void (*done)(struct layers *layers,
	        const char
	                *parameter); /* behind the line that completes a parameter's gradient; NULL: none */
	void *self;                  /* of place and done */
};

/* ---- setup ---- */
/* `tensor w1[64,64] = randn seed=11 scale=0.1`; with a half dtype also w1_f32, the master: the same
 * numbers. */
void setup_parameter(const struct layers *layers, const struct parameter *parameter);
/* `tensor dw1[64,64]`, of the model's type. Every gradient must be there before backward: a tensor, or a view
 * into a larger one. */
void setup_gradient(const struct layers *layers, const struct parameter *parameter);
/* m and v of adam, zeros: w1_m, w1_v, f32, of the shape given ("[64,64]"). Nothing for sgd. */
void setup_optimizer(const struct layers *layers, const char *name, const char *shape);
/* The data, in pinned host memory of every rank: mlp: `samples` [count,in] `targets` [count,out]; gpt: `text`
 * [count] i32. */
void setup_data(const struct layers *layers, const struct data *data);
/* The tensors that batches are copied into: mlp x0, t; gpt ids, t and `places` [rows*seq]: with the
 * suffix. */
void setup_batch(const struct layers *layers);

/* ---- one iteration ---- */
/* Copies rows first .. first+rows of iteration `it`'s batch. */
void batch_lines(const struct layers *layers, const struct data *data);
void forward_lines(struct layers *layers, int unit);
/* which: the gradient of the inputs, of the weights, or both in the order that frees the most. Unit 0 of an
 * mlp has no lines; unit 1 of an mlp has no dx0. The weights' part needs nothing but what forward and the
 * inputs' part have left under their names. */
enum { BACKWARD_INPUTS = 1, BACKWARD_WEIGHTS = 2, BACKWARD_BOTH = 3 };
void backward_lines(struct layers *layers, int unit, int which);
/* The head in parts, for whoever computes the loss elsewhere: up to what is compared with the targets (gpt:
 * logits, mlp: x<L>: output_name), the loss of it, the loss's gradient, and from there down. */
const char *output_name(const struct layers *layers, char name[48]);
void output_lines(struct layers *layers);
void loss_forward_lines(struct layers *layers, const char *outcome);
void loss_backward_lines(struct layers *layers, const char *outcome, const char *gradient);
void output_backward_lines(struct layers *layers, int which);
/* One step of the optimizer for the tensor `name` with gradient `gradient`; with a half dtype the master
 * name_f32 is stepped and cast to `name`. Adam's t is it+1. */
void optimizer_lines(const struct layers *layers, const char *name, const char *gradient);

/* The share of rows of `parts` uneven ones: first row and count of part i. */
void part_of(int64_t rows, int parts, int i, int64_t *first, int64_t *count);

#endif

/* tp.c -- tensor parallel: matrices are cut, the batch is not (Megatron-LM, arXiv:1909.08053; sequence=on:
 * arXiv:2205.05198)
 *
 *                  columns            rows
 *     x ----(f)---> x w1 --> relu --> h w2 ----(g)---> the same on all ranks
 *      whole        a part of h       a sum in parts
 *
 *     forward    f: nothing     g: allreduce          sequence=on    f: allgather       g: reduce-scatter
 *     backward   f: allreduce   g: nothing            backward       f: reduce-scatter  g: allgather
 *
 * With sequence=on what lies outside f and g (norm, residual) is cut by tokens: x1 is this rank's tokens. The
 * embedding and the head work on all tokens; their tensors carry the suffix _all. What f gathered is kept for
 * backward. */
#include "strategies/shared.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

struct tp_writer {
	const struct strategy_call *call;
	struct layers *layers, *ends; /* ends: of the input and the head */
	struct shares shares;
	struct parameter *list;
	int parameters;
	bool sequence;
};

/* An mlp's layers are cut in pairs, columns then rows; an odd last one stays whole. */
static enum split split_of(const struct model *model, const struct parameter *p)
{
	bool alone = model->kind == MODEL_MLP && p->unit == model->layers && p->split == SPLIT_COLUMNS;
	return alone ? SPLIT_NONE : p->split;
}

static enum split split_of_unit(const struct model *model, int unit)
{
	if (unit == model->layers && unit % 2)
		return SPLIT_NONE;
	return unit % 2 ? SPLIT_COLUMNS : SPLIT_ROWS;
}

/* The rank's part of a parameter. */
static void part_shape(const struct tp_writer *w, const struct parameter *p, int64_t *rows, int64_t *cols)
{
	enum split split = split_of(&w->call->model, p);
	*rows = split == SPLIT_ROWS ? p->rows / w->call->ranks : p->rows;
	*cols = split == SPLIT_COLUMNS ? p->cols / w->call->ranks : p->cols;
}

static enum status check(const struct tp_writer *w)
{
	const struct model *model = &w->call->model;
	int n = w->call->ranks;
	bool gpt = model->kind == MODEL_GPT;
	if (w->sequence && !gpt)
		return fail(ST_ARGUMENT,
		        "sequence=on cuts norms and residuals, and an mlp has none: `model gpt`, or "
		        "sequence=off");
	enum status status = gpt ? wants_divisor("heads", model->heads, "ranks", n) : ST_OK;
	if (status == ST_OK && (gpt || model->layers > 1))
		status = wants_divisor("hidden", model->hidden, "ranks", n);
	for (int m = 0; m < w->shares.micro && status == ST_OK && w->sequence; m++) {
		int64_t first, rows;
		part_of(model->batch, w->shares.micro, m, &first, &rows);
		status = wants_divisor(w->shares.micro > 1 ? "batch/accumulate*seq" : "batch*seq",
		        rows * model->seq, "ranks", n);
	}
	return status;
}

/* Both layers at micro-batch m. suffix: memory for that of the ends. */
static void at_micro_batch(struct tp_writer *w, int m, char suffix[32])
{
	shares_layers(&w->shares, m, w->layers);
	shares_layers(&w->shares, m, w->ends);
	snprintf(suffix, 32, "%s%s", w->layers->suffix, w->sequence ? "_all" : "");
	w->ends->suffix = suffix;
}

/* ---- setup ---- */

static void streams_setup(struct tp_writer *w)
{
	char suffix[32];
	step_begin(w->layers->out, "all ranks work on the same rows: it is the matrices that are cut",
	        "streams, and the data");
	text_add(w->layers->out, "stream compute\n");
	setup_data(w->layers, &w->call->data);
	shares_setup(&w->shares, w->layers->out);
	for (int m = 0; m < (w->shares.even ? 1 : w->shares.micro); m++) {
		at_micro_batch(w, m, suffix);
		setup_batch(w->ends);
	}
}

/* A part of the whole's numbers: the same whole that one rank would begin with */
static void part_setup(struct tp_writer *w, const struct parameter *p)
{
	struct text *out = w->layers->out;
	struct parameter part = *p;
	enum split split = split_of(&w->call->model, p);
	bool half = w->call->model.dtype != DT_F32;
	char shape[48];
	part_shape(w, p, &part.rows, &part.cols);
	if (split == SPLIT_NONE) {
		setup_parameter(w->layers, p);
	} else {
		text_add(out,
		        "tensor %s%s[%lld,%lld];  start = randn [%lld,%lld] seed=%d scale=%.6g on compute\n",
		        p->name, half ? "_f32" : "", (long long)part.rows, (long long)part.cols,
		        (long long)p->rows, (long long)p->cols, p->seed, p->scale);
		text_add(out,
		        "mine = shard start dim=%d;  copy mine -> %s%s on compute;  free start on compute\n",
		        split == SPLIT_COLUMNS, p->name, half ? "_f32" : "");
		if (half)
			text_add(out, "%s = cast %s_f32 to=%s on compute\n", p->name, p->name,
			        dtype_name(w->call->model.dtype));
	}
	setup_gradient(w->layers, &part);
	snprintf(shape, sizeof shape, "[%lld,%lld]", (long long)part.rows, (long long)part.cols);
	setup_optimizer(w->layers, p->name, shape);
}

static void setup(struct tp_writer *w)
{
	streams_setup(w);
	step_begin(w->layers->out,
	        "the first matrix of a pair is cut by columns, the second by rows: nothing is sent between "
	        "the two",
	        "the parameters, cut into %d parts", w->call->ranks);
	for (int i = 0; i < w->parameters; i++)
		part_setup(w, &w->list[i]);
}

/* ---- f and g ---- */

static bool is_f(const struct tp_writer *w, int unit)
{
	return w->call->model.kind == MODEL_GPT || split_of_unit(&w->call->model, unit) == SPLIT_COLUMNS;
}

static bool is_g(const struct tp_writer *w, int unit)
{
	return w->call->model.kind == MODEL_GPT || split_of_unit(&w->call->model, unit) == SPLIT_ROWS;
}

/* sequence=off: a sum in parts becomes the sum, in its place */
static void summed(struct layers *l, enum layer_place place, int unit, const char *tensor)
{
	const struct tp_writer *w = l->self;
	if ((place == PLACE_FORWARD_OUT && is_g(w, unit)) || (place == PLACE_BACKWARD_IN && is_f(w, unit)))
		text_add(l->out, "allreduce %s on compute\n", tensor);
}

/* sequence=on: from this rank's tokens to all, and back. The name gets an s (all the sequence) or a p (this
 * rank's part of the sum). */
static void sequenced(
        struct layers *l, enum layer_place place, enum half half, const char *tensor, char name[48])
{
	bool gathers = place == PLACE_FORWARD_IN || place == PLACE_BACKWARD_OUT;
	(void)half;
	snprintf(name, 48, "%s_%s", tensor, gathers || place == PLACE_SAVED ? "s" : "p");
	if (place != PLACE_SAVED)
		text_add(l->out, "%s = %s %s on compute\n", name, gathers ? "allgather" : "reducescatter",
		        tensor);
}

static void tp_place(
        struct layers *l, enum layer_place place, enum half half, int unit, const char *tensor, char name[48])
{
	const struct tp_writer *w = l->self;
	if (w->sequence)
		sequenced(l, place, half, tensor, name);
	else
		summed(l, place, unit, tensor);
}

/* Where this rank's part of what dropout works on lies: its tokens, or its columns */
static void set_part(struct tp_writer *w, int unit, int m)
{
	const struct model *model = &w->call->model;
	bool columns = model->kind == MODEL_MLP && split_of_unit(model, unit) == SPLIT_COLUMNS;
	int64_t first, rows;
	part_of(model->batch, w->shares.micro, m, &first, &rows);
	w->layers->cut = w->sequence ? rows * model->seq / w->call->ranks * model->hidden
	        : columns            ? model->hidden / w->call->ranks
	                             : 0;
	w->layers->width = columns ? model->hidden : 0;
}

/* ---- one micro-batch ---- */

static const char *why_of(const struct tp_writer *w, int unit, bool backward)
{
	const struct model *model = &w->call->model;
	if (unit == 0 || unit > model->layers)
		return "every rank does this as a whole: they all compute the same";
	if (w->sequence)
		return backward ? "gradients of all tokens are gathered before a pair of matrices, and "
		                  "summed behind it, each rank its tokens"
		                : "the tokens of all are gathered before a pair of matrices; behind it each "
		                  "rank keeps the sum of its own tokens";
	if (model->kind == MODEL_MLP && split_of_unit(model, unit) == SPLIT_NONE)
		return "the last of an odd number of layers has no partner and stays whole";
	if (model->kind == MODEL_MLP && !backward)
		return unit % 2 ? "each rank computes its columns, and nothing is sent"
		                : "each rank has a part of the sum: an allreduce adds them up";
	if (model->kind == MODEL_MLP)
		return unit % 2 ? "each rank's columns give a part of the gradient of what came in: an "
		                  "allreduce adds them up"
		                : "each rank computes the gradient of its rows, and nothing is sent";
	return backward ? "two allreduces: of the gradients of what went into the MLP, and into the attention"
	                : "two allreduces: each rank has some heads, and some columns of the MLP";
}

/* Between the ends, where all tokens are whole, and the blocks, where each rank has its own */
static void to_blocks(struct tp_writer *w, const char *base, int unit)
{
	const char *s = w->layers->suffix;
	text_add(w->layers->out, "%s%d%s = shard %s%d%s\n", base, unit, s, base, unit, w->ends->suffix);
}

static void to_ends(struct tp_writer *w, const char *base, int unit)
{
	const char *s = w->layers->suffix;
	text_add(w->layers->out, "%s%d%s = allgather %s%d%s on compute\n", base, unit, w->ends->suffix, base,
	        unit, s);
}

static void forward(struct tp_writer *w, int m)
{
	const struct model *model = &w->call->model;
	char title[32];
	for (int unit = model->kind == MODEL_GPT ? 0 : 1; unit < model_units(model); unit++) {
		bool end = unit == 0 || unit > model->layers;
		step_begin(w->layers->out, why_of(w, unit, false), "forward of %s",
		        unit_title(model, unit, title));
		text_add(w->layers->out, "phase F%d\n", m);
		if (w->sequence && unit > model->layers)
			to_ends(w, "x", model->layers);
		set_part(w, unit, m);
		forward_lines(end ? w->ends : w->layers, unit);
		if (w->sequence && unit == 0)
			to_blocks(w, "x", 0);
	}
}

static void backward(struct tp_writer *w, int m)
{
	const struct model *model = &w->call->model;
	char title[32];
	for (int unit = model_units(model) - 1; unit >= (model->kind == MODEL_GPT ? 0 : 1); unit--) {
		bool end = unit == 0 || unit > model->layers;
		step_begin(w->layers->out, why_of(w, unit, true), "backward of %s",
		        unit_title(model, unit, title));
		text_add(w->layers->out, "phase B%d\n", m);
		if (w->sequence && unit == 0)
			to_ends(w, "dx", 0);
		set_part(w, unit, m);
		backward_lines(end ? w->ends : w->layers, unit, BACKWARD_BOTH);
		if (w->sequence && unit > model->layers)
			to_blocks(w, "dx", model->layers);
	}
}

static void micro_batch(struct tp_writer *w, int m)
{
	char suffix[32];
	at_micro_batch(w, m, suffix);
	step_begin(
	        w->layers->out, "every rank copies the same rows", "the batch%s", m ? ", its next part" : "");
	text_add(w->layers->out, "phase F%d\n", m);
	batch_lines(w->ends, &w->call->data);
	forward(w, m);
	backward(w, m);
}

/* ---- the program ---- */

static enum status tp_generate(const struct strategy_call *call, struct text *out)
{
	struct layers l = {.model = &call->model, .out = out, .on = " on compute", .suffix = ""}, ends = l;
	struct tp_writer w = {
	        .call = call, .layers = &l, .ends = &ends, .sequence = option_is(call, "sequence", "on")};
	enum status status = shares_make(call, 1, (int)option_number(call, "accumulate"), &w.shares);
	if (status == ST_OK)
		status = check(&w);
	if (status == ST_OK)
		status = model_parameters(&call->model, &w.list, &w.parameters);
	if (status != ST_OK)
		return status;
	l.self = &w;
	l.place = tp_place;
	l.heads = call->model.kind == MODEL_GPT ? call->model.heads / call->ranks : 0;
	setup(&w);
	text_add(out, "%s\n", PROGRAM_LOOP);
	for (int m = 0; m < w.shares.micro; m++)
		micro_batch(&w, m);
	status = optimizer_step(&l);
	text_add(out, "}\n");
	mem_free(w.list);
	return status;
}

static enum status tp_parts(const struct strategy_call *call, struct parts *parts)
{
	struct tp_writer w = {.call = call};
	enum status status = model_parameters(&call->model, &w.list, &w.parameters);
	for (int rank = 0; rank < call->ranks; rank++)
		for (int i = 0; i < w.parameters && status == ST_OK; i++) {
			enum split split = split_of(&call->model, &w.list[i]);
			struct portion part = {.parameter = i, .rank = rank};
			snprintf(part.name, sizeof part.name, "%s%s", w.list[i].name,
			        master_suffix(&call->model));
			part_shape(&w, &w.list[i], &part.rows, &part.cols);
			part.row = split == SPLIT_ROWS ? rank * part.rows : 0;
			part.col = split == SPLIT_COLUMNS ? rank * part.cols : 0;
			status = parts_add(parts, &part);
		}
	mem_free(w.list);
	return status;
}

const struct strategy strategy_tp = {
        .name = "tp",
        .usage = "strategy tp [sequence=off] [accumulate=1]",
        .help = "tensor parallel: every matrix of a block is cut, by columns or by rows; all ranks work on "
                "the same rows of the batch",
        .cost = "memory: 1/n of the blocks' parameters, gradients and optimizer; embedding and head whole; "
                "of the activations those between\n"
                "  the two matrices of a pair are cut (heads, the MLP's inside), norms and residuals are "
                "not\n"
                "  sequence=on   norms and residuals too, by tokens; what was gathered before a pair is kept "
                "whole for backward\n"
                "bytes a rank sends, for A = bytes of a block's output (batch x seq x hidden x type):\n"
                "  a block of a gpt   2 allreduces forward and 2 backward: 4 x 2(n-1)/n A, and nothing "
                "computes meanwhile\n"
                "  a pair of an mlp   1 forward, 1 backward (not before the first pair)\n"
                "  sequence=on        a reduce-scatter and an allgather in place of each: the same bytes; "
                "and 2 allgathers at the model's ends\n"
                "ranks: they must divide heads and hidden",
        .option =
                {
                        {"sequence", "off", "on off", UNIT_PLAIN, 0, "norms and residuals are cut by tokens"},
                        OPTION_ACCUMULATE,
                },
        .generate = tp_generate,
        .parts = tp_parts,
};

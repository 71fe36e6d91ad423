/* layers.c -- an mlp's layers, the head and the loss as lines; which unit is which */
#include "strategies/lines.h"

#include <stdio.h>

/* ---- mlp ---- */

/* All layers but the last have a relu, and dropout behind it */
static void relu_forward(struct layers *l, int unit, const char *z)
{
	char x[48];
	lines_name(l, "x", unit, x);
	text_add(l->out, "%s = relu %s%s\n", x, z, l->on);
	lines_dropout(l, "dropout", x, x, unit, HALF_MLP);
}

static void relu_backward(struct layers *l, int unit)
{
	char dx[48];
	lines_name(l, "dx", unit, dx);
	lines_dropout(l, "dropout_grad", dx, dx, unit, HALF_MLP);
	lines_put(l, unit, "dz# = relu_grad dx# z#");
}

static void mlp_forward(struct layers *l, int unit)
{
	bool last = unit == l->model->layers;
	char in[48], out[48];
	lines_place(l, PLACE_FORWARD_IN, HALF_MLP, unit, "x", unit - 1, in);
	text_add(l->out, "%s%d%s = matmul %s w%d%s\n", last ? "x" : "z", unit, l->suffix, in, unit, l->on);
	lines_place(l, PLACE_FORWARD_OUT, HALF_MLP, unit, last ? "x" : "z", unit, out);
	if (!last)
		relu_forward(l, unit, out);
}

static void mlp_backward(struct layers *l, int unit, int which)
{
	bool last = unit == l->model->layers;
	char in[48], dz[48];
	if (!last && which & BACKWARD_INPUTS)
		relu_backward(l, unit);
	lines_name(l, last ? "dx" : "dz", unit, dz);
	if (l->place && which & BACKWARD_INPUTS)
		lines_place(l, PLACE_BACKWARD_OUT, HALF_MLP, unit, last ? "dx" : "dz", unit, dz);
	if (which & BACKWARD_WEIGHTS) {
		lines_place(l, PLACE_SAVED, HALF_MLP, unit, "x", unit - 1, in);
		lines_gradient(l, "w", unit, in, dz, false);
	}
	if ((unit > 1 || l->inner) && which & BACKWARD_INPUTS) {
		text_add(l->out, "dx%d%s = matmul %s w%d.T%s\n", unit - 1, l->suffix, dz, unit, l->on);
		lines_place(l, PLACE_BACKWARD_IN, HALF_MLP, unit, "dx", unit - 1, in);
	}
}

/* ---- the head and the loss ---- */

/* The loss and its gradient; with a share (several micro-batches, or ranks with unequal parts) the losses of
 * the step add up */
static void loss_lines(struct layers *l, const char *kernel, const char *outcome, const char *targets)
{
	if (l->share) {
		text_add(l->out, "l%s = %s %s %s%s\n", l->suffix, kernel, outcome, targets, l->on);
		text_add(l->out, "loss %s scale l%s (%s)%s\n", l->add ? "+=" : "=", l->suffix, l->share,
		        l->on);
	} else {
		text_add(l->out, "loss = %s %s %s%s\n", kernel, outcome, targets, l->on);
	}
}

static void scale_line(const struct layers *l, const char *name)
{
	double times = l->model->loss_scale;
	if (l->share && times != 1)
		text_add(l->out, "%s = scale %s (%s)*%.9g%s\n", name, name, l->share, times, l->on);
	else if (l->share)
		text_add(l->out, "%s = scale %s (%s)%s\n", name, name, l->share, l->on);
	else if (times != 1)
		text_add(l->out, "%s = scale %s %.9g%s\n", name, name, times, l->on);
}

const char *output_name(const struct layers *l, char name[48])
{
	if (l->model->kind == MODEL_MLP)
		lines_name(l, "x", l->model->layers, name);
	else
		snprintf(name, 48, "logits%s", l->suffix);
	return name;
}

void output_lines(struct layers *l)
{
	const char *s = l->suffix;
	if (l->model->kind == MODEL_MLP)
		return;
	text_add(l->out, "n%s = layernorm x%d%s%s\n", s, l->model->layers, s, l->on);
	text_add(l->out, "logits%s = matmul n%s %s%s\n", s, s, l->model->tied ? "table.T" : "head", l->on);
}

void loss_forward_lines(struct layers *l, const char *outcome)
{
	char targets[48];
	snprintf(targets, sizeof targets, "t%s", l->suffix);
	loss_lines(l, l->model->kind == MODEL_MLP ? "mse" : "crossentropy", outcome, targets);
}

void loss_backward_lines(struct layers *l, const char *outcome, const char *gradient)
{
	text_add(l->out, "%s = %s_grad %s t%s%s\n", gradient,
	        l->model->kind == MODEL_MLP ? "mse" : "crossentropy", outcome, l->suffix, l->on);
	scale_line(l, gradient);
}

void output_backward_lines(struct layers *l, int which)
{
	int last = l->model->layers;
	const char *s = l->suffix;
	char logits[48], n[48];
	if (l->model->kind == MODEL_MLP)
		return;
	snprintf(logits, sizeof logits, "dlogits%s", s);
	snprintf(n, sizeof n, "n%s", s);
	if (which & BACKWARD_WEIGHTS) {
		if (l->model->tied)
			lines_gradient(l, "table", 0, logits, n, false);
		else
			lines_gradient(l, "head", 0, n, logits, false);
	}
	if (which & BACKWARD_INPUTS) {
		text_add(l->out, "dn%s = matmul %s %s%s\n", s, logits, l->model->tied ? "table" : "head.T",
		        l->on);
		text_add(l->out, "dx%d%s = layernorm_grad dn%s x%d%s%s\n", last, s, s, last, s, l->on);
	}
}

static void head_forward(struct layers *l)
{
	char outcome[48];
	output_lines(l);
	loss_forward_lines(l, output_name(l, outcome));
}

static void head_backward(struct layers *l, int which)
{
	char outcome[48], gradient[52];
	output_name(l, outcome);
	snprintf(gradient, sizeof gradient, "d%s", outcome);
	if (which & BACKWARD_INPUTS)
		loss_backward_lines(l, outcome, gradient);
	output_backward_lines(l, which);
}

/* ---- units ---- */

void forward_lines(struct layers *l, int unit)
{
	if (unit > l->model->layers)
		head_forward(l);
	else if (l->model->kind == MODEL_GPT)
		gpt_forward(l, unit);
	else if (unit > 0)
		mlp_forward(l, unit);
}

void backward_lines(struct layers *l, int unit, int which)
{
	if (unit > l->model->layers)
		head_backward(l, which);
	else if (l->model->kind == MODEL_GPT)
		gpt_backward(l, unit, which);
	else if (unit > 0)
		mlp_backward(l, unit, which);
}

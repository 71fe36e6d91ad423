/* layers_setup.c -- what the layers need before their first line: parameters, gradients, data; batches; the
 * optimizer */
#include "strategies/lines.h"

#include <stdio.h>
#include <string.h>

void setup_parameter(const struct layers *l, const struct parameter *p)
{
	const char *type = dtype_name(l->model->dtype);
	if (lines_half(l))
		text_add(l->out, "tensor %s[%lld,%lld] %s = randn seed=%d scale=%.6g\n", p->name,
		        (long long)p->rows, (long long)p->cols, type, p->seed, p->scale);
	text_add(l->out, "tensor %s%s[%lld,%lld] = randn seed=%d scale=%.6g\n", p->name,
	        lines_half(l) ? "_f32" : "", (long long)p->rows, (long long)p->cols, p->seed, p->scale);
}

void setup_gradient(const struct layers *l, const struct parameter *p)
{
	const char *type = lines_half(l) ? dtype_name(l->model->dtype) : "";
	text_add(l->out, "tensor d%s[%lld,%lld]%s%s\n", p->name, (long long)p->rows, (long long)p->cols,
	        *type ? " " : "", type);
}

void setup_optimizer(const struct layers *l, const char *name, const char *shape)
{
	if (l->model->optimizer == OPTIMIZER_ADAM)
		text_add(l->out, "tensor %s_m%s %s_v%s = zeros\n", name, shape, name, shape);
}

void setup_data(const struct layers *l, const struct data *data)
{
	const struct model *m = l->model;
	long long count = data->count;
	if (data->kind == DATA_TEXT)
		text_add(l->out, "tensor text pinned = load \"%s\"\n", data->path[0]);
	else if (data->kind == DATA_NPY)
		text_add(l->out, "tensor samples pinned = load \"%s\"\ntensor targets pinned = load \"%s\"\n",
		        data->path[0], data->path[1]);
	else if (m->kind == MODEL_GPT)
		text_add(l->out, "tensor text[%lld] pinned i32 = uniform seed=%d scale=%lld\n", count,
		        m->seed + 1000, (long long)m->vocab);
	else
		text_add(l->out,
		        "tensor samples[%lld,%lld] pinned = randn seed=%d\ntensor targets[%lld,%lld] pinned "
		        "= randn seed=%d\n",
		        count, (long long)m->in, m->seed + 1000, count, (long long)m->out, m->seed + 1001);
}

void setup_batch(const struct layers *l)
{
	const struct model *m = l->model;
	const char *s = l->suffix, *wide = lines_half(l) ? "_f32" : "", *room = l->room ? "room_" : "";
	char word[64];
	text_add(l->out, "tensor");
	for (int i = 0; i < 2; i++) {
		if (l->batch == (i ? BATCH_INPUTS : BATCH_TARGETS))
			continue;
		if (m->kind == MODEL_GPT)
			text_add(l->out, " %s%s%s[%s]", room, i ? "t" : "ids", s, lines_tokens(l, word));
		else
			text_add(l->out, " %s%s%s%s[%s,%lld]", room, i ? "t" : "x0", s, wide,
			        lines_rows(l, word), (long long)(i ? m->out : m->in));
	}
	text_add(l->out, "%s\n", m->kind == MODEL_GPT ? " i32" : "");
}

/* ---- the batch ---- */

void part_of(int64_t rows, int parts, int i, int64_t *first, int64_t *count)
{
	*first = rows * i / parts;
	*count = rows * (i + 1) / parts - *first;
}

/* The part of the room that this micro-batch takes, under the name that equal ones have for the whole */
static void part_of_room(const struct layers *l, const char *name, const char *rows)
{
	const char *s = l->suffix, *wide = lines_half(l) && l->model->kind == MODEL_MLP ? "_f32" : "";
	if (l->room)
		text_add(l->out, "%s%s%s = room_%s%s%s[0:%s]\n", name, s, wide, name, s, wide, rows);
}

/* Batches follow one another in the data and begin again when less than one is left. The text gives the next
 * character as the target. */
void batch_lines(const struct layers *l, const struct data *data)
{
	const struct model *m = l->model;
	long long batches =
	        m->kind == MODEL_GPT ? (data->count - 1) / (m->batch * m->seq) : data->count / m->batch;
	char rows[64], base[128];
	const char *s = l->suffix, *wide = lines_half(l) ? "_f32" : "", *type = dtype_name(m->dtype);
	bool zero = strcmp(l->first, "0") == 0;
	snprintf(base, sizeof base, "(it%%(%lld))*%lld%s%s", batches, (long long)m->batch, zero ? "" : "+",
	        zero ? "" : l->first);
	text_add(l->out, "let at = (%s)*%lld\n", base, m->kind == MODEL_GPT ? (long long)m->seq : 1LL);
	for (int i = 0; i < 2; i++) {
		const char *to = m->kind == MODEL_GPT && i == 0 ? "ids" : i ? "t" : "x0";
		if (l->batch == (i ? BATCH_INPUTS : BATCH_TARGETS))
			continue;
		part_of_room(l, to, m->kind == MODEL_GPT ? lines_tokens(l, rows) : lines_rows(l, rows));
		if (m->kind == MODEL_GPT)
			text_add(l->out, "copy text[at%s:at%s+%s] -> %s%s%s\n", i ? "+1" : "", i ? "+1" : "",
			        rows, to, s, l->on);
		else
			text_add(l->out, "copy %s[at:at+%s] -> %s%s%s%s\n", i ? "targets" : "samples", rows,
			        to, s, wide, l->on);
		if (m->kind == MODEL_MLP && lines_half(l))
			text_add(l->out, "%s%s = cast %s%s_f32 to=%s%s\n", to, s, to, s, type, l->on);
	}
}

/* ---- the optimizer ---- */

void optimizer_lines(const struct layers *l, const char *name, const char *gradient)
{
	const struct model *m = l->model;
	const char *master = lines_half(l) ? "_f32" : "";
	bool adam = m->optimizer == OPTIMIZER_ADAM;
	if (adam && m->loss_scale != 1) {
		text_add(l->out, "unscaled = cast %s to=f32%s\nunscaled = scale unscaled 1/%.9g%s\n",
		        gradient, l->on, m->loss_scale, l->on);
		gradient = "unscaled";
	}
	if (adam)
		text_add(l->out, "adam %s%s %s %s_m %s_v lr=%g t=it+1%s\n", name, master, gradient, name,
		        name, m->lr, l->on);
	else
		text_add(l->out, "sgd %s%s %s lr=%.9g%s\n", name, master, gradient, m->lr / m->loss_scale,
		        l->on);
	if (lines_half(l))
		text_add(l->out, "%s = cast %s_f32 to=%s%s\n", name, name, dtype_name(m->dtype), l->on);
}

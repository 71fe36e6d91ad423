/* layers.c -- parameters of the models, and forward, backward and optimizer of their layers as lines */
#include "strategies/layers.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- parameters ---------------------------------------------------------------------------------------------------- */

int model_units(const struct model *model)
{
	return model->layers + 2;
}

int64_t parameter_count(const struct parameter *parameter)
{
	return parameter->rows * parameter->cols;
}

const char *unit_title(const struct model *model, int unit, char title[32])
{
	if (unit == 0)
		snprintf(title, 32, "%s", model->kind == MODEL_GPT ? "the embedding" : "the input");
	else if (unit > model->layers)
		snprintf(title, 32, "%s", model->kind == MODEL_GPT ? "the head" : "the loss");
	else
		snprintf(title, 32, "layer %d", unit);
	return title;
}

struct list { struct parameter *item; int count; const struct model *model; };

/* Its number is its seed, so that any split of the model begins with the same weights. unit 0: the name carries no number. */
static void add(struct list *list, const char *name, int unit, int64_t rows, int64_t cols, double scale, enum split split)
{
	struct parameter *p = &list->item[list->count++];
	*p = (struct parameter){ .unit = unit, .rows = rows, .cols = cols, .scale = scale, .split = split, .seed = list->model->seed + list->count };
	if (unit > 0 && unit <= list->model->layers)
		snprintf(p->name, sizeof p->name, "%s%d", name, unit);
	else
		snprintf(p->name, sizeof p->name, "%s", name);
}

/* He's deviation, sqrt(2/in), for layers behind which a relu halves the variance */
static void mlp_parameters(struct list *list)
{
	const struct model *model = list->model;
	for (int i = 1; i <= model->layers; i++) {
		int64_t rows = i == 1 ? model->in : model->hidden, cols = i == model->layers ? model->out : model->hidden;
		add(list, "w", i, rows, cols, sqrt((i == model->layers ? 1.0 : 2.0) / (double)rows), i % 2 ? SPLIT_COLUMNS : SPLIT_ROWS);
	}
}

/* GPT-2's: 0.02, and less for the two that write into the residual, by the root of their number. Wider for small models: 1/sqrt(hidden) */
static void gpt_parameters(struct list *list)
{
	const struct model *model = list->model;
	int64_t h = model->hidden;
	double wide = 1 / sqrt((double)h), residual = wide / sqrt(2.0 * model->layers);
	add(list, "table", 0, model->vocab, h, 0.02, SPLIT_NONE);
	add(list, "pos", 0, model->seq, h, 0.02, SPLIT_NONE);
	for (int i = 1; i <= model->layers; i++) {
		add(list, "wq", i, h, h, wide, SPLIT_COLUMNS);
		add(list, "wk", i, h, h, wide, SPLIT_COLUMNS);
		add(list, "wv", i, h, h, wide, SPLIT_COLUMNS);
		add(list, "wo", i, h, h, residual, SPLIT_ROWS);
		add(list, "wu", i, h, 4 * h, wide, SPLIT_COLUMNS);
		add(list, "wd", i, 4 * h, h, residual / 2, SPLIT_ROWS);
	}
	if (!model->tied)
		add(list, "head", model->layers + 1, h, model->vocab, wide, SPLIT_NONE);
}

enum status model_parameters(const struct model *model, struct parameter **list, int *count)
{
	struct list made = { .model = model };
	made.item = mem_alloc((size_t)(6 * model->layers + 3) * sizeof *made.item);
	if (!made.item)
		return ST_MEMORY;
	if (model->kind == MODEL_MLP)
		mlp_parameters(&made);
	else
		gpt_parameters(&made);
	*list = made.item;
	*count = made.count;
	return ST_OK;
}

/* ---- setup --------------------------------------------------------------------------------------------------------- */

static bool half_dtype(const struct layers *l)
{
	return l->model->dtype != DT_F32;
}

void setup_parameter(const struct layers *l, const struct parameter *p)
{
	const char *type = dtype_name(l->model->dtype);
	if (half_dtype(l))
		text_add(l->out, "tensor %s[%lld,%lld] %s = randn seed=%d scale=%.6g\n", p->name, (long long)p->rows, (long long)p->cols, type, p->seed,
			p->scale);
	text_add(l->out, "tensor %s%s[%lld,%lld] = randn seed=%d scale=%.6g\n", p->name, half_dtype(l) ? "_f32" : "", (long long)p->rows,
		(long long)p->cols, p->seed, p->scale);
}

void setup_gradient(const struct layers *l, const struct parameter *p)
{
	const char *type = half_dtype(l) ? dtype_name(l->model->dtype) : "";
	text_add(l->out, "tensor d%s[%lld,%lld]%s%s\n", p->name, (long long)p->rows, (long long)p->cols, *type ? " " : "", type);
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
		text_add(l->out, "tensor samples pinned = load \"%s\"\ntensor targets pinned = load \"%s\"\n", data->path[0], data->path[1]);
	else if (m->kind == MODEL_GPT)
		text_add(l->out, "tensor text[%lld] pinned i32 = uniform seed=%d scale=%lld\n", count, m->seed + 1000, (long long)m->vocab);
	else
		text_add(l->out, "tensor samples[%lld,%lld] pinned = randn seed=%d\ntensor targets[%lld,%lld] pinned = randn seed=%d\n", count,
			(long long)m->in, m->seed + 1000, count, (long long)m->out, m->seed + 1001);
}

/* The rows of a micro-batch as a word of an expression */
static const char *rows_word(const struct layers *l, char word[32])
{
	if (l->rows)
		snprintf(word, 32, "%lld", (long long)l->rows);
	else
		snprintf(word, 32, "%s", l->rows_text);
	return word;
}

/* "512" or "rows*64" */
static const char *times_seq(const struct layers *l, char word[64])
{
	if (l->rows)
		snprintf(word, 64, "%lld", (long long)(l->rows * l->model->seq));
	else
		snprintf(word, 64, "%s*%lld", l->rows_text, (long long)l->model->seq);
	return word;
}

void setup_batch(const struct layers *l)
{
	const struct model *m = l->model;
	const char *s = l->suffix, *wide = half_dtype(l) ? "_f32" : "";
	char word[64];
	text_add(l->out, "tensor");
	for (int i = 0; i < 2; i++) {
		if (l->batch == (i ? BATCH_INPUTS : BATCH_TARGETS))
			continue;
		if (m->kind == MODEL_GPT)
			text_add(l->out, " %s%s[%s]", i ? "t" : "ids", s, times_seq(l, word));
		else
			text_add(l->out, " %s%s%s[%s,%lld]", i ? "t" : "x0", s, wide, rows_word(l, word), (long long)(i ? m->out : m->in));
	}
	text_add(l->out, "%s\n", m->kind == MODEL_GPT ? " i32" : "");
}

/* ---- the batch ------------------------------------------------------------------------------------------------------ */

/* Batches follow one another in the data and begin again when less than one is left. The text gives the next character as the target. */
void batch_lines(const struct layers *l, const struct data *data, const char *first)
{
	const struct model *m = l->model;
	long long batches = m->kind == MODEL_GPT ? (data->count - 1) / (m->batch * m->seq) : data->count / m->batch;
	char rows[64], base[128];
	const char *s = l->suffix, *wide = half_dtype(l) ? "_f32" : "", *type = dtype_name(m->dtype);
	bool zero = strcmp(first, "0") == 0;
	snprintf(base, sizeof base, "(it%%(%lld))*%lld%s%s", batches, (long long)m->batch, zero ? "" : "+", zero ? "" : first);
	text_add(l->out, "let at = (%s)*%lld\n", base, m->kind == MODEL_GPT ? (long long)m->seq : 1LL);
	for (int i = 0; i < 2; i++) {
		const char *to = m->kind == MODEL_GPT && i == 0 ? "ids" : i ? "t" : "x0";
		if (l->batch == (i ? BATCH_INPUTS : BATCH_TARGETS))
			continue;
		if (m->kind == MODEL_GPT)
			text_add(l->out, "copy text[at%s:at%s+%s] -> %s%s%s\n", i ? "+1" : "", i ? "+1" : "", times_seq(l, rows), to, s, l->on);
		else
			text_add(l->out, "copy %s[at:at+%s] -> %s%s%s%s\n", i ? "targets" : "samples", rows_word(l, rows), to, s, wide, l->on);
		if (m->kind == MODEL_MLP && half_dtype(l))
			text_add(l->out, "%s%s = cast %s%s_f32 to=%s%s\n", to, s, to, s, type, l->on);
	}
}

/* ---- one line ------------------------------------------------------------------------------------------------------- */

/* Words like "n#" "w@": '#' stands for the unit and the suffix, '@' for the unit alone (parameters), '^' for the unit before and the
 * suffix (x^: what the unit reads). Other bytes stand for themselves. */
static void line(const struct layers *l, int unit, const char *pattern)
{
	for (const char *c = pattern; *c; c++)
		switch (*c) {
		case '#': text_add(l->out, "%d%s", unit, l->suffix); break;
		case '@': text_add(l->out, "%d", unit); break;
		case '^': text_add(l->out, "%d%s", unit - 1, l->suffix); break;
		case '~': text_add(l->out, "%s", l->suffix); break;
		default: text_put(l->out, c, 1); break;
		}
	text_add(l->out, "%s\n", l->on);
}

/* "dw2 = matmul a.T dz": the gradient of a parameter, added to that of the micro-batches before */
static void weight_line(struct layers *l, const char *parameter, int unit, const char *left, const char *right, bool also)
{
	char name[32];
	snprintf(name, sizeof name, unit ? "d%s%d" : "d%s", parameter, unit);
	text_add(l->out, "%s %s matmul %s.T %s%s\n", name, l->add || also ? "+=" : "=", left, right, l->on);
	if (l->done && strcmp(name, "dtable") != 0)     /* a tied table's is complete with the embedding's part */
		l->done(l, name + 1);
}

static void name_of(const struct layers *l, const char *base, int unit, char name[48])
{
	snprintf(name, 48, "%s%d%s", base, unit, l->suffix);
}

/* What the strategy makes of the tensor base<number><suffix> at this place of `unit` */
static void place(struct layers *l, enum place at, enum half half, int unit, const char *base, int number, char name[48])
{
	char tensor[48];
	name_of(l, base, number, tensor);
	snprintf(name, 48, "%s", tensor);
	if (l->place)
		l->place(l, at, half, unit, tensor, name);
}

/* ---- mlp ------------------------------------------------------------------------------------------------------------ */

static void mlp_forward(struct layers *l, int unit)
{
	bool last = unit == l->model->layers;
	char in[48], out[48];
	place(l, PLACE_FORWARD_IN, HALF_MLP, unit, "x", unit - 1, in);
	text_add(l->out, "%s%d%s = matmul %s w%d%s\n", last ? "x" : "z", unit, l->suffix, in, unit, l->on);
	place(l, PLACE_FORWARD_OUT, HALF_MLP, unit, last ? "x" : "z", unit, out);
	if (!last)
		text_add(l->out, "x%d%s = relu %s%s\n", unit, l->suffix, out, l->on);
}

static void mlp_backward(struct layers *l, int unit, int which)
{
	bool last = unit == l->model->layers;
	char in[48], dz[48];
	if (!last && which & BACKWARD_INPUTS)
		line(l, unit, "dz# = relu_grad dx# z#");
	name_of(l, last ? "dx" : "dz", unit, dz);
	if (l->place && which & BACKWARD_INPUTS)
		place(l, PLACE_BACKWARD_OUT, HALF_MLP, unit, last ? "dx" : "dz", unit, dz);
	if (which & BACKWARD_WEIGHTS) {
		place(l, PLACE_SAVED, HALF_MLP, unit, "x", unit - 1, in);
		weight_line(l, "w", unit, in, dz, false);
	}
	if ((unit > 1 || l->inner) && which & BACKWARD_INPUTS) {
		text_add(l->out, "dx%d%s = matmul %s w%d.T%s\n", unit - 1, l->suffix, dz, unit, l->on);
		place(l, PLACE_BACKWARD_IN, HALF_MLP, unit, "dx", unit - 1, in);
	}
}

/* ---- gpt ------------------------------------------------------------------------------------------------------------ */

static int heads(const struct layers *l)
{
	return l->heads ? l->heads : l->model->heads;
}

static void embedding_forward(struct layers *l)
{
	char rows[32];
	long long seq = l->model->seq, width = (long long)(l->model->seq * l->model->hidden);
	const char *s = l->suffix;
	text_add(l->out, "e%s = embed table ids%s%s\n", s, s, l->on);
	/* the positions are added to each sequence, taken as one row */
	text_add(l->out, "es%s = reshape e%s [%s,%lld];  ps = reshape pos [1,%lld]\n", s, s, rows_word(l, rows), width, width);
	text_add(l->out, "xs%s = add es%s ps%s\n", s, s, l->on);
	text_add(l->out, "x0%s = reshape xs%s [%s*%lld,%lld]\n", s, s, rows, seq, (long long)l->model->hidden);
}

static void embedding_backward(struct layers *l)
{
	char rows[32];
	long long width = (long long)(l->model->seq * l->model->hidden);
	const char *s = l->suffix;
	text_add(l->out, "dtable %s embed_grad dx0%s ids%s rows=%lld%s\n", l->add || l->model->tied ? "+=" : "=", s, s,
		(long long)l->model->vocab, l->on);
	if (l->done)
		l->done(l, "table");
	text_add(l->out, "dxs%s = reshape dx0%s [%s,%lld]\n", s, s, rows_word(l, rows), width);
	text_add(l->out, "one%s = ones [%s,1] %s%s\n", s, rows, dtype_name(l->model->dtype), l->on);
	text_add(l->out, "dps = reshape dpos [1,%lld];  dps %s matmul one%s.T dxs%s%s\n", width, l->add ? "+=" : "=", s, s, l->on);
	if (l->done)
		l->done(l, "pos");
}

static void block_forward(struct layers *l, int unit)
{
	char n[48], out[48];
	const char *s = l->suffix;
	line(l, unit, "n# = layernorm x^");
	place(l, PLACE_FORWARD_IN, HALF_ATTENTION, unit, "n", unit, n);
	for (const char *c = "qkv"; *c; c++)
		text_add(l->out, "%c%d%s = matmul %s w%c%d%s\n", *c, unit, s, n, *c, unit, l->on);
	text_add(l->out, "o%d%s = attention q%d%s k%d%s v%d%s heads=%d seq=%lld causal=1%s\n", unit, s, unit, s, unit, s, unit, s, heads(l),
		(long long)l->model->seq, l->on);
	line(l, unit, "p# = matmul o# wo@");
	place(l, PLACE_FORWARD_OUT, HALF_ATTENTION, unit, "p", unit, out);
	text_add(l->out, "r%d%s = add x%d%s %s%s\n", unit, s, unit - 1, s, out, l->on);
	line(l, unit, "m# = layernorm r#");
	place(l, PLACE_FORWARD_IN, HALF_MLP, unit, "m", unit, n);
	text_add(l->out, "u%d%s = matmul %s wu%d%s\n", unit, s, n, unit, l->on);
	line(l, unit, "g# = gelu u#");
	line(l, unit, "y# = matmul g# wd@");
	place(l, PLACE_FORWARD_OUT, HALF_MLP, unit, "y", unit, out);
	text_add(l->out, "x%d%s = add r%d%s %s%s\n", unit, s, unit, s, out, l->on);
}

/* dx of the block's output comes in; dr, the gradient at the residual between its halves, goes out */
static void mlp_half_backward(struct layers *l, int unit, int which)
{
	char dy[48], m[48], dm[48];
	if (which & BACKWARD_INPUTS)
		place(l, PLACE_BACKWARD_OUT, HALF_MLP, unit, "dx", unit, dy);
	else
		name_of(l, "dx", unit, dy);
	if (which & BACKWARD_WEIGHTS) {
		char g[48];
		name_of(l, "g", unit, g);
		weight_line(l, "wd", unit, g, dy, false);
	}
	if (which & BACKWARD_INPUTS) {
		text_add(l->out, "dg%d%s = matmul %s wd%d.T%s\n", unit, l->suffix, dy, unit, l->on);
		line(l, unit, "du# = gelu_grad dg# u#");
	}
	if (which & BACKWARD_WEIGHTS) {
		char du[48];
		place(l, PLACE_SAVED, HALF_MLP, unit, "m", unit, m);
		name_of(l, "du", unit, du);
		weight_line(l, "wu", unit, m, du, false);
	}
	if (which & BACKWARD_INPUTS) {
		line(l, unit, "dm# = matmul du# wu@.T");
		place(l, PLACE_BACKWARD_IN, HALF_MLP, unit, "dm", unit, dm);
		text_add(l->out, "dr%d%s = layernorm_grad %s r%d%s%s\n", unit, l->suffix, dm, unit, l->suffix, l->on);
		line(l, unit, "dr# = add dr# dx#");
	}
}

static void attention_inputs_backward(struct layers *l, int unit, const char *dp)
{
	const char *s = l->suffix;
	text_add(l->out, "do%d%s = matmul %s wo%d.T%s\n", unit, s, dp, unit, l->on);
	text_add(l->out, "dq%d%s dk%d%s dv%d%s = attention_grad do%d%s q%d%s k%d%s v%d%s heads=%d seq=%lld causal=1%s\n", unit, s, unit, s, unit, s,
		unit, s, unit, s, unit, s, unit, s, heads(l), (long long)l->model->seq, l->on);
}

static void attention_half_backward(struct layers *l, int unit, int which)
{
	char dp[48], n[48], dn[48];
	if (which & BACKWARD_INPUTS)
		place(l, PLACE_BACKWARD_OUT, HALF_ATTENTION, unit, "dr", unit, dp);
	else
		name_of(l, "dr", unit, dp);
	if (which & BACKWARD_WEIGHTS) {
		char o[48];
		name_of(l, "o", unit, o);
		weight_line(l, "wo", unit, o, dp, false);
	}
	if (which & BACKWARD_INPUTS)
		attention_inputs_backward(l, unit, dp);
	if (which & BACKWARD_WEIGHTS) {
		place(l, PLACE_SAVED, HALF_ATTENTION, unit, "n", unit, n);
		for (const char *c = "qkv"; *c; c++) {
			char w[3] = { 'w', *c }, d[3] = { 'd', *c }, gradient[48];
			name_of(l, d, unit, gradient);
			weight_line(l, w, unit, n, gradient, false);
		}
	}
	if (which & BACKWARD_INPUTS) {
		line(l, unit, "dn# = matmul dq# wq@.T");
		line(l, unit, "dn# += matmul dk# wk@.T");
		line(l, unit, "dn# += matmul dv# wv@.T");
		place(l, PLACE_BACKWARD_IN, HALF_ATTENTION, unit, "dn", unit, dn);
		text_add(l->out, "dx%d%s = layernorm_grad %s x%d%s%s\n", unit - 1, l->suffix, dn, unit - 1, l->suffix, l->on);
		line(l, unit, "dx^ = add dx^ dr#");
	}
}

/* ---- the head and the loss -------------------------------------------------------------------------------------------- */

/* The loss and its gradient; with a share (several micro-batches, or ranks with unequal parts) the losses of the step add up */
static void loss_lines(struct layers *l, const char *kernel, const char *outcome, const char *targets)
{
	if (l->share) {
		text_add(l->out, "l%s = %s %s %s%s\n", l->suffix, kernel, outcome, targets, l->on);
		text_add(l->out, "loss %s scale l%s (%s)%s\n", l->add ? "+=" : "=", l->suffix, l->share, l->on);
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
		name_of(l, "x", l->model->layers, name);
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
	text_add(l->out, "%s = %s_grad %s t%s%s\n", gradient, l->model->kind == MODEL_MLP ? "mse" : "crossentropy", outcome, l->suffix, l->on);
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
			weight_line(l, "table", 0, logits, n, false);
		else
			weight_line(l, "head", 0, n, logits, false);
	}
	if (which & BACKWARD_INPUTS) {
		text_add(l->out, "dn%s = matmul %s %s%s\n", s, logits, l->model->tied ? "table" : "head.T", l->on);
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

/* ---- units ------------------------------------------------------------------------------------------------------------- */

void forward_lines(struct layers *l, int unit)
{
	bool gpt = l->model->kind == MODEL_GPT;
	if (unit > l->model->layers)
		head_forward(l);
	else if (unit == 0 && gpt)
		embedding_forward(l);
	else if (unit > 0 && gpt)
		block_forward(l, unit);
	else if (unit > 0)
		mlp_forward(l, unit);
}

void backward_lines(struct layers *l, int unit, int which)
{
	bool gpt = l->model->kind == MODEL_GPT;
	if (unit > l->model->layers) {
		head_backward(l, which);
	} else if (unit == 0 && gpt && which & BACKWARD_WEIGHTS) {
		embedding_backward(l);
	} else if (unit > 0 && gpt) {
		mlp_half_backward(l, unit, which);
		attention_half_backward(l, unit, which);
	} else if (unit > 0) {
		mlp_backward(l, unit, which);
	}
}

/* ---- the optimizer ------------------------------------------------------------------------------------------------------ */

void optimizer_lines(const struct layers *l, const char *name, const char *gradient)
{
	const struct model *m = l->model;
	const char *master = half_dtype(l) ? "_f32" : "";
	bool adam = m->optimizer == OPTIMIZER_ADAM;
	if (adam && m->loss_scale != 1) {
		text_add(l->out, "unscaled = cast %s to=f32%s\nunscaled = scale unscaled 1/%.9g%s\n", gradient, l->on, m->loss_scale, l->on);
		gradient = "unscaled";
	}
	if (adam)
		text_add(l->out, "adam %s%s %s %s_m %s_v lr=%g t=it+1%s\n", name, master, gradient, name, name, m->lr, l->on);
	else
		text_add(l->out, "sgd %s%s %s lr=%.9g%s\n", name, master, gradient, m->lr / m->loss_scale, l->on);
	if (half_dtype(l))
		text_add(l->out, "%s = cast %s_f32 to=%s%s\n", name, name, dtype_name(m->dtype), l->on);
}

void part_of(int64_t rows, int parts, int i, int64_t *first, int64_t *count)
{
	*first = rows * i / parts;
	*count = rows * (i + 1) / parts - *first;
}

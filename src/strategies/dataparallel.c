/* dataparallel.c -- PyTorch's old DataParallel: rank 0 has the model and the batch, the others lend their
 * GPUs.
 *
 *     rank 0     rows out -> | parameters out -> | forward | outputs in <- | loss | gradients out -> |
 *                backward | sums in <- | optimizer
 *     others     rows in     | parameters in     | forward | outputs out   |      | gradients in     |
 *                                                backward | sums out   |
 *
 * Everything goes through rank 0, one after the other, in each step anew: that is why it lost to ddp. */
#include "strategies/shared.h"
#include "base/memory.h"

#include <stdio.h>

struct dataparallel {
	const struct strategy_call *call;
	struct layers part, whole; /* a rank's rows; rank 0's whole micro-batch, suffix _all */
	struct shares shares;
	struct text *out;
	struct parameter *list;
	int count, micro;
	char first[32], mine[64]; /* of a micro-batch: rows in the batch, of rank 0's and of a rank's own */
};

/* Rows of `tensor` that are rank r's; tokens of a gpt */
static void slice(const struct dataparallel *d, int r, char text[64])
{
	int64_t first, count, each = d->call->model.kind == MODEL_GPT ? d->call->model.seq : 1;
	part_of(d->whole.rows, d->call->ranks, r, &first, &count);
	snprintf(text, 64, "[%lld:%lld]", (long long)(first * each), (long long)((first + count) * each));
}

/* Rank 0's `whole` to everybody's `part`, one after the other */
static void send_out(const struct dataparallel *d, const char *whole, const char *part)
{
	char rows[64];
	text_add(d->out, "wait compute on comm\n");
	slice(d, 0, rows);
	text_add(d->out, "@0 copy %s%s -> %s on comm\n", whole, rows, part);
	for (int r = 1; r < d->call->ranks; r++) {
		slice(d, r, rows);
		text_add(d->out, "@0 send %s%s to=%d on comm\n@%d recv %s from=0 on comm\n", whole, rows, r,
		        r, part);
	}
	text_add(d->out, "wait comm on compute\n");
}

static void bring_in(const struct dataparallel *d, const char *whole, const char *part)
{
	char rows[64];
	text_add(d->out, "wait compute on comm\n");
	slice(d, 0, rows);
	text_add(d->out, "@0 copy %s -> %s%s on comm\n", part, whole, rows);
	for (int r = 1; r < d->call->ranks; r++) {
		slice(d, r, rows);
		text_add(d->out, "@%d send %s to=0 on comm\n@0 recv %s%s from=%d on comm\n", r, part, whole,
		        rows, r);
	}
	text_add(d->out, "wait comm on compute\n");
}

/* ---- setup ---- */

/* What travels between rank 0 and the others: the rows, the outputs and their gradients */
static void parts_setup(struct dataparallel *d)
{
	const struct model *m = &d->call->model;
	const char *type = dtype_name(m->dtype);
	char rows[40], tokens[64], name[48], whole[48];
	bool gpt = m->kind == MODEL_GPT;
	long long all = (long long)(d->whole.rows * m->seq), wide = (long long)(gpt ? m->vocab : m->out);
	if (d->part.rows)
		snprintf(rows, sizeof rows, "%lld", (long long)d->part.rows);
	else
		snprintf(rows, sizeof rows, "%s", d->part.rows_text);
	snprintf(tokens, sizeof tokens, gpt ? "%s*%lld" : "%s", rows, (long long)m->seq);
	output_name(&d->part, name);
	output_name(&d->whole, whole);
	if (gpt)
		text_add(d->out, "tensor ids[%s] i32\n", tokens);
	else
		text_add(d->out, "tensor x0[%s,%lld] %s\n", tokens, (long long)m->in, type);
	text_add(d->out, "tensor d%s[%s,%lld] %s\n@0 tensor %s[%lld,%lld] %s\n", name, tokens, wide, type,
	        whole, all, wide, type);
}

static void others(const struct dataparallel *d, char set[16])
{
	snprintf(set, 16, d->call->ranks > 2 ? "1-%d" : "1", d->call->ranks - 1);
}

static void setup(struct dataparallel *d)
{
	char set[16], shape[48];
	others(d, set);
	step_begin(d->out, "the data and the model are rank 0's; the others have room for copies",
	        "streams, and the data");
	text_add(d->out, "stream compute comm\n@0 {\n");
	setup_data(&d->whole, &d->call->data);
	setup_batch(&d->whole);
	text_add(d->out, "}\n");
	shares_setup(&d->shares, d->out);
	parts_setup(d);
	step_begin(
	        d->out, "gradients are everybody's; what the optimizer keeps is rank 0's", "the parameters");
	text_add(d->out, "@0 {\n");
	for (int i = 0; i < d->count; i++) {
		setup_parameter(&d->whole, &d->list[i]);
		snprintf(shape, sizeof shape, "[%lld,%lld]", (long long)d->list[i].rows,
		        (long long)d->list[i].cols);
		setup_optimizer(&d->whole, d->list[i].name, shape);
	}
	text_add(d->out, "}\n");
	for (int i = 0; i < d->count && d->call->ranks > 1; i++)
		text_add(d->out, "@%s tensor %s[%lld,%lld] %s = zeros\n", set, d->list[i].name,
		        (long long)d->list[i].rows, (long long)d->list[i].cols,
		        dtype_name(d->call->model.dtype));
	for (int i = 0; i < d->count; i++)
		setup_gradient(&d->part, &d->list[i]);
}

/* ---- the iteration ---- */

static void forward(struct dataparallel *d, int m)
{
	struct layers *l = &d->part;
	char title[32];
	for (int unit = l->model->kind == MODEL_GPT ? 0 : 1; unit <= l->model->layers; unit++) {
		step_begin(d->out, "all ranks compute, each with its rows", "forward of %s",
		        unit_title(l->model, unit, title));
		text_add(d->out, "phase F%d\n", m);
		forward_lines(l, unit);
		if (unit == l->model->layers)
			output_lines(l);
	}
}

static void backward(struct dataparallel *d, int m)
{
	struct layers *l = &d->part;
	char title[32];
	for (int unit = l->model->layers; unit >= (l->model->kind == MODEL_GPT ? 0 : 1); unit--) {
		step_begin(d->out, "all ranks compute, each with its rows", "backward of %s",
		        unit_title(l->model, unit, title));
		text_add(d->out, "phase B%d\n", m);
		if (unit == l->model->layers)
			output_backward_lines(l, BACKWARD_BOTH);
		backward_lines(l, unit, BACKWARD_BOTH);
	}
}

static void batch(struct dataparallel *d, int m)
{
	bool gpt = d->call->model.kind == MODEL_GPT;
	step_begin(d->out, "rank 0 takes the batch and sends each rank its rows, one after the other",
	        "the batch goes out");
	text_add(d->out, "phase F%d\n@0 {\n", m);
	batch_lines(&d->whole, &d->call->data);
	text_add(d->out, "}\n");
	send_out(d, gpt ? "ids_all" : "x0_all", gpt ? "ids" : "x0");
}

static void parameters_out(struct dataparallel *d)
{
	step_begin(d->out, "the copies are made anew in every step: last step's are stale",
	        "the parameters go out");
	text_add(d->out, "phase C\nwait compute on comm\n");
	for (int i = 0; i < d->count; i++)
		text_add(d->out, "broadcast %s root=0 on comm\n", d->list[i].name);
	text_add(d->out, "wait comm on compute\n");
}

static void loss(struct dataparallel *d, int m)
{
	char part[48], whole[48], gradient[52], parts[52];
	output_name(&d->part, part);
	output_name(&d->whole, whole);
	snprintf(gradient, sizeof gradient, "d%s", whole);
	snprintf(parts, sizeof parts, "d%s", part);
	step_begin(d->out, "all outputs come to rank 0, whose link is the narrow one", "the outputs come in");
	text_add(d->out, "phase F%d\n", m);
	bring_in(d, whole, part);
	step_begin(d->out, "only rank 0 computes; the others wait", "the loss, and its gradient");
	text_add(d->out, "phase B%d\n@0 {\n", m);
	loss_forward_lines(&d->whole, whole);
	loss_backward_lines(&d->whole, whole, gradient);
	text_add(d->out, "}\n");
	step_begin(d->out, "and out again, one after the other", "the gradients of the outputs go out");
	text_add(d->out, "phase B%d\n", m);
	send_out(d, gradient, parts);
}

static void sums_in(struct dataparallel *d)
{
	step_begin(d->out, "added up on rank 0, the only one that needs them", "the gradients come in");
	text_add(d->out, "phase C\nwait compute on comm\n");
	for (int i = 0; i < d->count; i++)
		text_add(d->out, "reduce d%s op=sum root=0 on comm\n", d->list[i].name);
	text_add(d->out, "wait comm on compute\n");
}

static void optimizer(struct dataparallel *d)
{
	char gradient[32];
	step_begin(d->out, "only rank 0 again", "the optimizer");
	text_add(d->out, "phase O\n@0 {\n");
	for (int i = 0; i < d->count; i++) {
		snprintf(gradient, sizeof gradient, "d%s", d->list[i].name);
		optimizer_lines(&d->whole, d->list[i].name, gradient);
	}
	text_add(d->out, "}\n");
}

static void at_micro_batch(struct dataparallel *d, int m)
{
	d->part.add = d->whole.add = m > 0;
	snprintf(d->first, sizeof d->first, "%lld", (long long)(m * d->whole.rows));
	d->whole.first = d->first;
	if (d->micro == 1)
		return; /* as shares_layers says */
	snprintf(d->mine, sizeof d->mine, "%s+rank*%lld", d->first, (long long)d->part.rows);
	d->part.first = d->mine;
}

static void iteration(struct dataparallel *d)
{
	parameters_out(d);
	for (int m = 0; m < d->micro; m++) {
		at_micro_batch(d, m);
		batch(d, m);
		forward(d, m);
		loss(d, m);
		backward(d, m);
	}
	sums_in(d);
	optimizer(d);
}

static enum status open_shares(struct dataparallel *d, char share[16])
{
	const struct model *model = &d->call->model;
	enum status status = d->micro > 1
	        ? wants_divisor("batch", model->batch, "ranks*accumulate", (int64_t)d->call->ranks * d->micro)
	        : ST_OK;
	if (status == ST_OK)
		status = shares_make(d->call, d->call->ranks, 1, &d->shares);
	if (status != ST_OK)
		return status;
	shares_layers(&d->shares, 0, &d->part);
	d->part.share = NULL;
	d->part.rows /= d->micro;
	d->whole.rows = model->batch / d->micro;
	snprintf(share, 16, "1/%d", d->micro);
	d->whole.share = d->micro > 1 ? share : NULL;
	return ST_OK;
}

static enum status dataparallel_generate(const struct strategy_call *call, struct text *out)
{
	struct layers layers = {.model = &call->model, .out = out, .on = " on compute", .suffix = ""};
	struct dataparallel d = {.call = call,
	        .part = layers,
	        .whole = layers,
	        .out = out,
	        .micro = (int)option_number(call, "accumulate")};
	char share[16];
	d.whole.suffix = "_all";
	enum status status = open_shares(&d, share);
	if (status == ST_OK)
		status = model_parameters(&call->model, &d.list, &d.count);
	if (status == ST_OK) {
		setup(&d);
		text_add(out, "%s\n", PROGRAM_LOOP);
		iteration(&d);
		text_add(out, "}\n");
	}
	mem_free(d.list);
	return status;
}

static enum status dataparallel_parts(const struct strategy_call *call, struct parts *parts)
{
	return parts_whole(call, 0, parts);
}

const struct strategy strategy_dataparallel = {
        .name = "dataparallel",
        .usage = "strategy dataparallel [accumulate=1]",
        .help = "rank 0 has the model and the batch and sends both out in every step; to see why ddp "
                "replaced it",
        .cost = "memory: rank 0: everything, and the outputs of the whole batch; the others: parameters, "
                "gradients, activations of batch/n rows\n"
                "bytes: the parameters to all and the gradients back, in every step, and rows and outputs of "
                "the batch through rank 0's link",
        .option = {OPTION_ACCUMULATE},
        .generate = dataparallel_generate,
        .parts = dataparallel_parts,
};

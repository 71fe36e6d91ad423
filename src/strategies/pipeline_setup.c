/* pipeline_setup.c -- what the stages of a pipeline have before the first iteration */
#include "strategies/blocks.h"
#include "strategies/shared.h"

#include <stdio.h>

bool pipeline_tied(const struct pipe *p)
{
	return !p->timed && p->call->model.kind == MODEL_GPT && p->call->model.tied && p->ask.stages > 1;
}

/* A stage counts its own layers; what dropout loses depends on the layer of the model */
static void layers_below(const struct pipe *p, const struct chunk *chunk, int c)
{
	char tag[16] = "";
	if (p->ask.chunks > 1)
		snprintf(tag, sizeof tag, "%d", c);
	text_add(p->out, "let below%s = %d\n", tag, chunk->first_layer - 1 - chunk->base);
}

static void stage_setup(const struct pipe *p, int stage, const struct parameter *list, int count)
{
	const struct model *model = &p->call->model;
	struct layers l = {
	        .model = model, .out = p->out, .on = " on compute", .rows = p->rows, .room = !p->even};
	char suffix[16], shape[48];

	l.suffix = suffix;
	for (int c = 0; c < p->ask.chunks; c++) {
		const struct chunk *chunk = &p->chunk[stage * p->ask.chunks + c];
		if (model->dropout > 0)
			layers_below(p, chunk, c);
		l.batch = chunk->first && chunk->last ? BATCH_BOTH
		        : chunk->first                ? BATCH_INPUTS
		                                      : BATCH_TARGETS;
		for (int s = 0; (chunk->first || chunk->last) && s < chunk->slots; s++) {
			snprintf(suffix, sizeof suffix, "_%d", s);
			setup_batch(&l);
		}
		for (int i = 0; i < count; i++) {
			struct parameter own = list[i];
			if (!stage_has(p, chunk, &list[i], own.name))
				continue;
			setup_parameter(&l, &own);
			setup_gradient(&l, &own);
			snprintf(
			        shape, sizeof shape, "[%lld,%lld]", (long long)own.rows, (long long)own.cols);
			setup_optimizer(&l, own.name, shape);
		}
	}
}

/* `tensor in_0[..] in_1[..]` where inputs arrive, and the events */
static void places_setup(const struct pipe *p, int stage, const struct parameter *list, int count)
{
	const struct model *model = &p->call->model;
	long long rows = (long long)(p->rows * model->seq), hidden = (long long)model->hidden;

	(void)list;
	(void)count;
	for (int c = 0; c < p->ask.chunks; c++) {
		const struct chunk *chunk = &p->chunk[stage * p->ask.chunks + c];
		char tag[16] = "";
		if (p->ask.chunks > 1)
			snprintf(tag, sizeof tag, "%d", c);
		for (int k = 0; k <= chunk->inputs; k++) {
			if (!chunk->first)
				text_add(p->out, "tensor in%s_%d[%lld,%lld] %s\n", tag, k, rows, hidden,
				        dtype_name(model->dtype));
			if (!chunk->last)
				text_add(p->out, "tensor din%s_%d[%lld,%lld] %s\n", tag, k, rows, hidden,
				        dtype_name(model->dtype));
			text_add(p->out, "event used%s_%d out%s_%d dout%s_%d\n", tag, k, tag, k, tag, k);
		}
	}
}

static void streams_setup(struct pipe *p)
{
	int last = p->ask.stages - 1;

	step_begin(p->out,
	        "activations go forward and gradients back, each on streams of their own, so that a stage "
	        "sends and receives while it computes",
	        "streams and groups");
	text_add(p->out, "stream compute\n");
	if (last > 0)
		text_add(p->out,
		        "stream act_in act_out grad_in grad_out\ngroup acts 0-%d\ngroup grads 0-%d\n", last,
		        last);
	if (pipeline_tied(p))
		text_add(p->out, "group ends 0,%d\n", last);
}

void pipeline_setup(struct pipe *p, const struct parameter *list, int count)
{
	struct layers l = {.model = &p->call->model};
	struct text lines = {0};
	char who[32];

	streams_setup(p);
	step_begin(p->out, "the first stage reads the inputs, the last one the targets", "the data");
	l.out = &lines;
	setup_data(&l, &p->call->data);
	snprintf(who, sizeof who, p->ask.stages > 1 ? "0,%d" : "%d", p->ask.stages - 1);
	blocks_put(p->out, who, &lines);
	text_release(&lines);
	step_begin(p->out, "every stage counts its own layers from 1, and has the parameters of no other",
	        "the parameters of each stage");
	blocks_each(p, stage_setup, list, count);
	if (p->ask.stages == 1)
		text_add(p->out, "event used_0 used_1\n");
	else
		step_begin(p->out,
		        "one more than the micro-batches whose activations a stage holds: the next can "
		        "arrive while all are in use",
		        "places for what arrives");
	if (p->ask.stages > 1)
		blocks_each(p, places_setup, list, count);
}

void pipeline_timed_setup(struct pipe *p)
{
	streams_setup(p);
	if (p->ask.stages == 1)
		return;
	step_begin(p->out, "a message of a few bytes takes the latency of its link",
	        "what is sent instead of activations");
	text_add(p->out, "set link_latency=%.0fns\nset nic_latency=%.0fns\n", p->ask.comm, p->ask.comm);
	text_add(p->out, "tensor token[1] inbox[1] dinbox[1] = zeros\n");
}

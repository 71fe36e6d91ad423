/* pipeline.c -- each rank has a stage of the model; micro-batches follow one another through the stages
 *
 * A step of the program is the next task of every stage: which one, its schedule says (schedule.h); what that takes, stages.h. Stages that
 * do the same are given the same lines. */
#include "strategies/shared.h"
#include "strategies/stages.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* ---- which ranks, which micro-batches ----------------------------------------------------------------------------------- */

/* "0-2,5" */
static void ranks_text(const bool *in, int ranks, struct text *out)
{
	const char *comma = "";

	for (int first = 0, last; first < ranks; first = last + 1) {
		last = first;
		if (!in[first])
			continue;
		while (last + 1 < ranks && in[last + 1])
			last++;
		text_add(out, last > first ? "%s%d-%d" : "%s%d", comma, first, last);
		comma = ",";
	}
}

/* `let m = ...` of the stages `in`: by rank where m changes evenly, else for each m its ranks. micro[s]: of stage s */
static void let_micro(const bool *in, const int *micro, int ranks, const char *who, struct text *out)
{
	int first = 0, second, slope, stride;

	while (!in[first])
		first++;
	for (second = first + 1; second < ranks && !in[second];)
		second++;
	if (second == ranks) {
		text_add(out, "@%s let m = %d\n", who, micro[first]);
		return;
	}
	slope = micro[second] - micro[first];
	stride = second - first;
	for (int s = second; s < ranks; s++) {
		if (in[s] && (micro[s] - micro[first]) * stride != slope * (s - first)) {
			for (int each = first; each < ranks; each++)
				if (in[each])
					text_add(out, "@%d let m = %d\n", each, micro[each]);
			return;
		}
	}
	if (slope == 0)
		text_add(out, "@%s let m = %d\n", who, micro[first]);
	else
		text_add(out, "@%s let m = %d+(rank-%d)*(%d)//%d\n", who, micro[first], first, slope, stride);
}

/* `@0-2 {`, the lines, `}`: indented, since a brace alone at a line's beginning would end the iteration */
static void block(struct text *out, const char *who, const struct text *lines)
{
	const char *line = text_string(lines), *end;

	text_add(out, "@%s {\n", who);
	for (; (end = strchr(line, '\n')); line = end + 1) {
		text_put(out, "  ", 2);
		text_put(out, line, (size_t)(end + 1 - line));
	}
	text_add(out, "  }\n");
	out->broken = out->broken || lines->broken;
}

/* ---- setup -------------------------------------------------------------------------------------------------------------- */

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
	struct layers l = { .model = model, .out = p->out, .on = " on compute", .rows = model->batch / p->ask.micros };
	char suffix[16], shape[48];

	l.suffix = suffix;
	for (int c = 0; c < p->ask.chunks; c++) {
		const struct chunk *chunk = &p->chunk[stage * p->ask.chunks + c];
		if (model->dropout > 0)
			layers_below(p, chunk, c);
		l.batch = chunk->first && chunk->last ? BATCH_BOTH : chunk->first ? BATCH_INPUTS : BATCH_TARGETS;
		for (int s = 0; (chunk->first || chunk->last) && s < (p->recompute ? 1 : chunk->slots); s++) {
			snprintf(suffix, sizeof suffix, "_%d", s);
			setup_batch(&l);
		}
		for (int i = 0; i < count; i++) {
			struct parameter own = list[i];
			if (!stage_has(p, chunk, &list[i], own.name))
				continue;
			setup_parameter(&l, &own);
			setup_gradient(&l, &own);
			snprintf(shape, sizeof shape, "[%lld,%lld]", (long long)own.rows, (long long)own.cols);
			setup_optimizer(&l, own.name, shape);
		}
	}
}

/* `tensor in_0[..] in_1[..]` where inputs arrive, and the events */
static void places_setup(const struct pipe *p, int stage, const struct parameter *list, int count)
{
	const struct model *model = &p->call->model;
	long long rows = (long long)(model->batch / p->ask.micros * model->seq), hidden = (long long)model->hidden;

	(void)list;
	(void)count;
	for (int c = 0; c < p->ask.chunks; c++) {
		const struct chunk *chunk = &p->chunk[stage * p->ask.chunks + c];
		char tag[16] = "";
		if (p->ask.chunks > 1)
			snprintf(tag, sizeof tag, "%d", c);
		for (int k = 0; k <= chunk->slots; k++) {
			if (!chunk->first)
				text_add(p->out, "tensor in%s_%d[%lld,%lld] %s\n", tag, k, rows, hidden, dtype_name(model->dtype));
			if (!chunk->last)
				text_add(p->out, "tensor din%s_%d[%lld,%lld] %s\n", tag, k, rows, hidden, dtype_name(model->dtype));
			text_add(p->out, "event used%s_%d out%s_%d dout%s_%d\n", tag, k, tag, k, tag, k);
		}
	}
}

/* What each stage has, in one block where several have the same */
typedef void stage_writer(const struct pipe *pipe, int stage, const struct parameter *list, int count);
static void in_blocks(struct pipe *p, stage_writer *lines, const struct parameter *list, int count)
{
	struct text *out = p->out, mine = { 0 }, next = { 0 };
	char who[32];
	int first = 0;

	for (int s = 0; s <= p->ask.stages; s++) {
		text_clear(&next);
		p->out = &next;
		if (s < p->ask.stages)
			lines(p, s, list, count);
		if (s > 0 && (s == p->ask.stages || strcmp(text_string(&mine), text_string(&next)) != 0)) {
			snprintf(who, sizeof who, s - 1 > first ? "%d-%d" : "%d", first, s - 1);
			if (mine.count)
				block(out, who, &mine);
			first = s;
		}
		out->broken = out->broken || next.broken;
		struct text swap = mine;
		mine = next;
		next = swap;
	}
	p->out = out;
	text_release(&mine);
	text_release(&next);
}

static bool tied_ends(const struct pipe *p)
{
	return !p->timed && p->call->model.kind == MODEL_GPT && p->call->model.tied && p->ask.stages > 1;
}

static void streams_setup(struct pipe *p)
{
	int last = p->ask.stages - 1;

	step_begin(p->out, "activations go forward and gradients back, each on streams of their own, so that a stage sends and receives while it computes",
		"streams and groups");
	text_add(p->out, "stream compute\n");
	if (last > 0)
		text_add(p->out, "stream act_in act_out grad_in grad_out\ngroup acts 0-%d\ngroup grads 0-%d\n", last, last);
	if (tied_ends(p))
		text_add(p->out, "group ends 0,%d\n", last);
}

static void model_setup(struct pipe *p, const struct parameter *list, int count)
{
	struct layers l = { .model = &p->call->model };
	struct text lines = { 0 };
	char who[32];

	streams_setup(p);
	step_begin(p->out, "the first stage reads the inputs, the last one the targets", "the data");
	l.out = &lines;
	setup_data(&l, &p->call->data);
	snprintf(who, sizeof who, p->ask.stages > 1 ? "0,%d" : "%d", p->ask.stages - 1);
	block(p->out, who, &lines);
	text_release(&lines);
	step_begin(p->out, "every stage counts its own layers from 1, and has the parameters of no other", "the parameters of each stage");
	in_blocks(p, stage_setup, list, count);
	if (p->ask.stages == 1)
		text_add(p->out, "event used_0 used_1\n");
	else
		step_begin(p->out, "one more than the micro-batches whose activations a stage holds: the next can arrive while all are in use",
			"places for what arrives");
	if (p->ask.stages > 1)
		in_blocks(p, places_setup, list, count);
}

static void timed_setup(struct pipe *p, double comm_ns)
{
	streams_setup(p);
	if (p->ask.stages == 1)
		return;
	step_begin(p->out, "a message of a few bytes takes the latency of its link", "what is sent instead of activations");
	text_add(p->out, "set link_latency=%.0fns\nset nic_latency=%.0fns\n", comm_ns, comm_ns);
	text_add(p->out, "tensor token[1] inbox[1] dinbox[1] = zeros\n");
}

/* ---- an iteration ------------------------------------------------------------------------------------------------------- */

static const char *work_title(int work)
{
	static const char *const title[] = { [WORK_F] = "forward", [WORK_B] = "gradients of inputs", [WORK_W] = "gradients of weights",
		[WORK_BW] = "backward" };
	return title[work];
}

/* The k-th tasks of all stages, and those that are already written */
struct slot { struct pipe *pipe; struct role *role; int *micro; bool *done, *in; };

static const struct task *task_at(const struct pipe *p, int stage, size_t k)
{
	return &p->schedule.task[(size_t)stage * p->schedule.count + k];
}

static void slot_title(const struct slot *slot, size_t k)
{
	const struct pipe *p = slot->pipe;
	bool seen[4] = { false };
	struct text title = { 0 };

	for (int work = 0; work < 4; work++) {
		for (int s = 0; s < p->ask.stages; s++) {
			slot->in[s] = task_at(p, s, k)->work == work;
			seen[work] = seen[work] || slot->in[s];
		}
		if (!seen[work])
			continue;
		text_add(&title, "%s%s on ", title.count ? "; " : "", work_title(work));
		ranks_text(slot->in, p->ask.stages, &title);
	}
	step_begin(p->out, seen[WORK_W] ? "nobody waits for the gradients of weights: they fill what would be left empty"
		: seen[WORK_F] && seen[WORK_BW] ? "each backward frees the activations of a micro-batch, for which a forward can begin"
		: seen[WORK_F] ? "the pipeline fills: the more it holds before the first backward, the more memory it takes"
		: "the pipeline drains: a stage waits for the gradients of the one behind it",
		"%s", text_string(&title));
	p->out->broken = p->out->broken || title.broken;
	text_release(&title);
}

/* One block for all the stages with the role of stage `first` */
static void slot_block(const struct slot *slot, int first)
{
	struct pipe *p = slot->pipe;
	struct text who = { 0 }, lines = { 0 }, *out = p->out;

	for (int s = 0; s < p->ask.stages; s++) {
		slot->in[s] = !slot->done[s] && memcmp(&slot->role[s], &slot->role[first], sizeof slot->role[s]) == 0;
		slot->done[s] = slot->done[s] || slot->in[s];
	}
	ranks_text(slot->in, p->ask.stages, &who);
	let_micro(slot->in, slot->micro, p->ask.stages, text_string(&who), p->out);
	p->out = &lines;
	stage_lines(p, &slot->role[first]);
	p->out = out;
	block(out, text_string(&who), &lines);
	out->broken = out->broken || who.broken;
	text_release(&who);
	text_release(&lines);
}

static enum status slots_write(struct pipe *p)
{
	size_t stages = (size_t)p->ask.stages;
	struct slot slot = { .pipe = p, .role = mem_alloc(stages * sizeof *slot.role), .micro = mem_alloc(stages * sizeof *slot.micro),
		.done = mem_alloc(2 * stages * sizeof *slot.done) };
	enum status status = slot.role && slot.micro && slot.done ? ST_OK : ST_MEMORY;

	for (size_t k = 0; k < p->schedule.count && status == ST_OK; k++) {
		slot.in = slot.done + stages;
		slot_title(&slot, k);
		for (int s = 0; s < p->ask.stages; s++) {
			stage_role(p, s, task_at(p, s, k), &slot.role[s]);
			slot.micro[s] = task_at(p, s, k)->micro;
			slot.done[s] = false;
		}
		for (int s = 0; s < p->ask.stages; s++)
			if (!slot.done[s])
				slot_block(&slot, s);
	}
	mem_free(slot.role);
	mem_free(slot.micro);
	mem_free(slot.done);
	return status;
}

static void stage_optimizer(const struct pipe *p, int stage, const struct parameter *list, int count)
{
	struct layers l = { .model = &p->call->model, .out = p->out, .on = " on compute", .suffix = "" };
	char name[24], gradient[32];

	for (int c = 0; c < p->ask.chunks; c++) {
		for (int i = 0; i < count; i++) {
			if (!stage_has(p, &p->chunk[stage * p->ask.chunks + c], &list[i], name))
				continue;
			snprintf(gradient, sizeof gradient, "d%s", name);
			optimizer_lines(&l, name, gradient);
		}
	}
}

static enum status iteration_write(struct pipe *p, const struct parameter *list, int count)
{
	enum status status;

	text_add(p->out, "%s\n", PROGRAM_LOOP);
	if (tied_ends(p)) {
		step_begin(p->out, "the last stage's head is the same table: both add to its gradient, from zero", "the gradient of the first stage's table");
		text_add(p->out, "phase O\n@0 fill dtable 0 on compute\n");
	}
	status = slots_write(p);
	if (tied_ends(p)) {
		step_begin(p->out, "one table in two places: the sum of both gradients keeps the two the same", "the gradients of the table meet");
		text_add(p->out, "phase C\n@0,%d allreduce dtable on compute in ends\n", p->ask.stages - 1);
	}
	if (!p->timed) {
		step_begin(p->out, "each stage as soon as its own gradients are done: no stage waits for another", "the optimizer");
		text_add(p->out, "phase O\n");
		in_blocks(p, stage_optimizer, list, count);
	}
	text_add(p->out, "}\n");
	return status;
}

/* ---- the strategy ------------------------------------------------------------------------------------------------------- */

/* Without given times: a matrix's F, B and W take the same, and a transfer little; names keep their memory until W. */
static void ask_times(const struct strategy_call *call, struct pipe *p)
{
	double comm = option_number(call, "comm"), chunks = p->ask.chunks;

	p->timed = option_number(call, "F") > 0;
	p->ask.limit = option_number(call, "limit");
	p->ask.f = p->timed ? option_number(call, "F") : 1;
	p->ask.b = p->timed ? option_number(call, "B") : 1;
	p->ask.w = p->timed ? option_number(call, "W") : 1;
	p->ask.comm = p->timed ? comm : 0.05;
	p->ask.held = p->timed ? option_number(call, "held") : 1;
	p->spin_ns[WORK_F] = p->ask.f / chunks;
	p->spin_ns[WORK_B] = p->ask.b / chunks;
	p->spin_ns[WORK_W] = p->ask.w / chunks;
	p->spin_ns[WORK_BW] = (p->ask.b + p->ask.w) / chunks;
}

static enum status pipe_make(const struct strategy_call *call, struct text *out, struct pipe *p)
{
	enum status status = ST_OK;

	*p = (struct pipe){ .call = call, .out = out, .recompute = option_is(call, "recompute", "on") };
	p->ask.stages = call->ranks;
	p->ask.micros = (int)option_number(call, "micro");
	p->ask.chunks = call->ranks == 1 ? 1 : (int)option_number(call, "chunks");
	while (p->ask.kind < SCHEDULE_ZB_AUTO && !option_is(call, "schedule", schedule_name(p->ask.kind)))
		p->ask.kind++;
	ask_times(call, p);
	if (p->recompute && schedule_splits(p->ask.kind))
		return fail(ST_ARGUMENT, "recompute=on frees activations that W, apart from B, would still need: schedule=gpipe, 1f1b or interleaved");
	if (status == ST_OK && !p->timed)
		status = wants_divisor("batch", call->model.batch, "micro", p->ask.micros);
	if (status == ST_OK)
		status = schedule_make(&p->ask, &p->schedule);
	if (status == ST_OK)
		status = stages_cut(p);
	return status;
}

static void pipe_release(struct pipe *p)
{
	schedule_release(&p->schedule);
	mem_free(p->chunk);
}

static enum status pipeline_generate(const struct strategy_call *call, struct text *out)
{
	struct parameter *list = NULL;
	struct pipe p;
	int count = 0;
	enum status status = pipe_make(call, out, &p);

	if (status == ST_OK && !p.timed)
		status = model_parameters(&call->model, &list, &count);
	if (status == ST_OK) {
		if (p.timed)
			timed_setup(&p, p.ask.comm);
		else
			model_setup(&p, list, count);
		status = iteration_write(&p, list, count);
	}
	mem_free(list);
	pipe_release(&p);
	return status;
}

static enum status pipeline_parts(const struct strategy_call *call, struct parts *parts)
{
	struct parameter *list = NULL;
	struct pipe p;
	int count = 0;
	enum status status = pipe_make(call, NULL, &p);

	if (status == ST_OK && p.timed)
		status = fail(ST_ARGUMENT, "stages of given times train nothing: there is nothing to verify");
	if (status == ST_OK)
		status = model_parameters(&call->model, &list, &count);
	for (int part = 0; status == ST_OK && part < p.ask.stages * p.ask.chunks; part++) {
		for (int i = 0; i < count && status == ST_OK; i++) {
			struct portion portion = { .parameter = i, .rank = part / p.ask.chunks, .rows = list[i].rows, .cols = list[i].cols };
			if (stage_has(&p, &p.chunk[part], &list[i], portion.name))
				status = parts_add(parts, &portion);
		}
	}
	mem_free(list);
	pipe_release(&p);
	return status;
}

const struct strategy strategy_pipeline = {
	.name = "pipeline", .usage = "strategy pipeline [schedule=1f1b] [micro=4] [chunks=1] [recompute=on|off] [F=TIME B=TIME W=TIME comm=TIME]",
	.help = "each rank has some of the layers; micro-batches follow one another through them",
	.cost = "memory: parameters, gradients and optimizer / ranks; activations of the micro-batches in flight: gpipe all, 1f1b p-s on stage s,\n"
		"        zb-h1 p, zb-h2 2p-1, zb-auto limit x p; with recompute=on of one, and the inputs of the others\n"
		"bytes: each stage sends micro x (the activations between two layers) forward and as much back, times chunks\n"
		"bubble: (p-1)/(m+p-1); interleaved: of a stage's time, divided by chunks; zb-h1: (p-1)(F+B-W), zb-h2: (p-1)(F+B-2W) of time",
	.option = {
		{ "schedule", "1f1b", SCHEDULE_WORDS, UNIT_PLAIN, 0, "the order in which a stage takes its micro-batches" },
		{ "micro", "4", NULL, UNIT_PLAIN, 1, "micro-batches of a step; divides batch" },
		{ "chunks", "1", NULL, UNIT_PLAIN, 1, "of a stage, for interleaved: parts of the model that are not neighbours" },
		{ "recompute", "off", "on off", UNIT_PLAIN, 0, "keep a stage's inputs only, and compute forward again before backward" },
		{ "limit", "1.0", NULL, UNIT_PLAIN, 1, "zb-auto: activations, as a multiple of what 1f1b's first stage holds" },
		{ "held", "0.5", NULL, UNIT_PLAIN, 0, "zb-auto with times: the share of activations that W still needs after B" },
		{ "F", "0ms", NULL, UNIT_TIME, 0, "instead of a model: the time of a stage's forward" },
		{ "B", "0ms", NULL, UNIT_TIME, 0, "... of its gradients of the inputs" },
		{ "W", "0ms", NULL, UNIT_TIME, 0, "... of its gradients of the weights" },
		{ "comm", "0ms", NULL, UNIT_TIME, 0, "... of a transfer to the next stage" },
	},
	.generate = pipeline_generate, .parts = pipeline_parts,
};

/* stages.c -- see stages.h */
#include "strategies/stages.h"
#include "strategies/lines.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* ---- the cut ---- */

/* Layers are dealt out evenly; where they do not come out even and the model is a gpt, the embedding and the
 * head count as a layer each. */
static enum status cut_part(const struct pipe *p, int part, int parts, struct chunk *chunk)
{
	const struct model *model = &p->call->model;
	bool ends = model->kind == MODEL_GPT && model->layers % parts != 0;
	int64_t units = model->layers + (ends ? 2 : 0), first, count;

	if (units < parts)
		return fail(ST_RANGE,
		        "layers=%d on %d stages of %d: the nearest that fits is layers=%d, or fewer ranks or "
		        "chunks",
		        model->layers, p->ask.stages, p->ask.chunks, ends ? parts - 2 : parts);
	part_of(units, parts, part, &first, &count);
	chunk->first = part == 0;
	chunk->last = part == parts - 1;
	chunk->first_layer = (int)first + (ends && part > 0 ? 0 : 1);
	chunk->layers = (int)count - (ends && chunk->first) - (ends && chunk->last);
	return ST_OK;
}

/* From F to the end of backward: the most micro-batches of the chunk between the two. */
static int inputs_of(const struct pipe *p, int stage, int chunk)
{
	const struct task *task = p->schedule.task + (size_t)stage * p->schedule.count;
	int held = 0, most = 1;

	for (size_t i = 0; i < p->schedule.count; i++) {
		if (task[i].chunk != chunk || task[i].work == WORK_B)
			continue;
		held += task[i].work == WORK_F ? 1 : -1;
		most = held > most ? held : most;
	}
	return most;
}

/* Whether `slots` places of activations are enough when they are held from B to W, and while F works at (m +
 * turn) % slots. Those that W still needs follow one another: w .. b-1. */
static bool places_suffice(const struct pipe *p, int stage, int chunk, int slots, int turn)
{
	const struct task *task = p->schedule.task + (size_t)stage * p->schedule.count;
	int b = 0, w = 0;

	for (size_t i = 0; i < p->schedule.count; i++) {
		if (task[i].chunk != chunk)
			continue;
		if (task[i].work == WORK_F && ((task[i].micro + turn - w) % slots + slots) % slots < b - w)
			return false;
		if (task[i].work == WORK_B && ++b - w > slots)
			return false;
		w += task[i].work == WORK_W;
	}
	return true;
}

static void find_places(const struct pipe *p, int stage, int c, struct chunk *chunk)
{
	chunk->inputs = chunk->slots = inputs_of(p, stage, c);
	chunk->turn = 0;
	if (!p->recompute)
		return;
	for (chunk->slots = 1; !places_suffice(p, stage, c, chunk->slots, chunk->turn);)
		if (++chunk->turn == chunk->slots) {
			chunk->turn = 0;
			chunk->slots++;
		}
}

enum status stages_cut(struct pipe *p)
{
	int parts = p->ask.stages * p->ask.chunks;
	enum status status = ST_OK;

	p->chunk = mem_alloc((size_t)parts * sizeof *p->chunk);
	if (!p->chunk)
		return ST_MEMORY;
	for (int s = 0; s < p->ask.stages && status == ST_OK; s++) {
		for (int c = 0, base = 0; c < p->ask.chunks && status == ST_OK; c++) {
			struct chunk *chunk = &p->chunk[s * p->ask.chunks + c];
			chunk->base = base;
			find_places(p, s, c, chunk);
			chunk->first = c == 0 && s == 0;
			chunk->last = c * p->ask.stages + s == parts - 1;
			if (!p->timed)
				status = cut_part(p, c * p->ask.stages + s, parts, chunk);
			base += chunk->layers + 1;
		}
	}
	return status;
}

bool stage_has(
        const struct pipe *p, const struct chunk *chunk, const struct parameter *parameter, char name[24])
{
	const struct model *model = &p->call->model;
	int unit = parameter->unit;
	bool shared = model->tied && strcmp(parameter->name, "table") == 0;

	snprintf(name, 24, "%s", parameter->name);
	if (unit == 0)
		return chunk->first || (shared && chunk->last);
	if (unit > model->layers)
		return chunk->last;
	snprintf(name, 24, "%.*s%d", (int)strcspn(parameter->name, "0123456789"), parameter->name,
	        chunk->base + unit - chunk->first_layer + 1);
	return unit >= chunk->first_layer && unit < chunk->first_layer + chunk->layers;
}

/* ---- a task ---- */

void stage_role(const struct pipe *p, int stage, const struct task *task, struct role *role)
{
	const struct chunk *chunk = &p->chunk[stage * p->ask.chunks + task->chunk];

	memset(role, 0, sizeof *role);
	*role = (struct role){.work = task->work,
	        .chunk = task->chunk,
	        .base = chunk->base,
	        .layers = chunk->layers,
	        .inputs = chunk->inputs,
	        .slots = chunk->slots,
	        .turn = chunk->turn,
	        .first = chunk->first,
	        .last = chunk->last,
	        .add = task->micro > 0,
	        .from_end = stage == 0,
	        .to_begin = stage == p->ask.stages - 1};
}

struct stages_writer {
	const struct pipe *pipe;
	const struct role *role;
	struct text *out;
	struct model model; /* as the stage sees it: its own layers */
	struct layers layers;
	char tag[8]; /* of the names of a chunk's inputs and events: "" or its number */
	char first[32], share[32], below[16];
	char part[72]; /* of a place for inputs that has room for more rows: "[0:rows*64]" */
};

/* "rank+1", or the first stage from the last one */
static const char *next_stage(const struct stages_writer *w)
{
	return w->role->to_begin ? "0" : "rank+1";
}
static const char *stage_before(const struct stages_writer *w)
{
	return w->role->from_end ? "world-1" : "rank-1";
}

static void input_name(struct stages_writer *w, bool gradient, int number)
{
	const char *d = gradient ? "d" : "";
	char tokens[64];

	text_add(w->out, "%sx%d_$s = reshape %sin%s_$k%s [%s,%lld]\n", d, number, d, w->tag, w->part,
	        lines_tokens(&w->layers, tokens), (long long)w->model.hidden);
}

/* The input at place k, which the task knows as x<base>_s or dx<top>_s */
static void receive(struct stages_writer *w, bool gradient, int number)
{
	const char *d = gradient ? "d" : "", *stream = gradient ? "grad_in" : "act_in",
	           *from = gradient ? next_stage(w) : stage_before(w);
	const char *group = gradient ? "grads" : "acts", *letter = gradient ? "B" : "F";

	text_add(w->out, "phase C$m\n");
	if (w->pipe->timed) {
		text_add(w->out, "recv %sinbox from=%s on %s in %s\nphase %s$m\nwait %s on compute\n", d,
		        from, stream, group, letter, stream);
		return;
	}
	text_add(w->out, "wait used%s_$k on %s\n", w->tag, stream);
	text_add(w->out, "recv %sin%s_$k%s from=%s on %s in %s\nphase %s$m\n", d, w->tag, w->part, from,
	        stream, group, letter);
	text_add(w->out, "wait %s on compute\n", stream);
	input_name(w, gradient, number);
}

static void send(struct stages_writer *w, bool gradient, int number)
{
	const char *d = gradient ? "d" : "", *stream = gradient ? "grad_out" : "act_out",
	           *to = gradient ? stage_before(w) : next_stage(w);
	const char *group = gradient ? "grads" : "acts";

	text_add(w->out, "phase C$m\nwait compute on %s\n", stream);
	if (w->pipe->timed)
		text_add(w->out, "send token to=%s on %s in %s\n", to, stream, group);
	else
		text_add(w->out, "send %sx%d_$s to=%s on %s in %s\nrecord %sout%s_$s on %s\n", d, number, to,
		        stream, group, d, w->tag, stream);
}

static void spin(struct stages_writer *w, enum work work)
{
	text_add(w->out, "spin %.0fns on compute\n", w->pipe->spin_ns[work]);
}

/* Forward of the chunk's units but the last `less` */
static void units_forward(struct stages_writer *w, int less)
{
	int from = w->role->first && w->model.kind == MODEL_GPT ? 0 : w->role->base + 1;
	int to = w->role->base + w->role->layers + (w->role->last ? 1 : 0) - less;

	for (int unit = from; unit <= to; unit++)
		forward_lines(&w->layers, unit);
}

static void batch_in(struct stages_writer *w, int part)
{
	w->layers.batch = part;
	batch_lines(&w->layers, &w->pipe->call->data);
}

static void batches_in(struct stages_writer *w)
{
	if (w->role->first)
		batch_in(w, w->role->last ? BATCH_BOTH : BATCH_INPUTS);
	else if (w->role->last)
		batch_in(w, BATCH_TARGETS);
}

/* With recompute the head waits for backward, so that the loss is counted once. */
static void forward_task(struct stages_writer *w)
{
	const struct role *r = w->role;
	int top = r->base + r->layers;

	if (!r->first)
		receive(w, false, r->base);
	else
		text_add(w->out, "phase F$m\n");
	if (w->pipe->timed) {
		spin(w, WORK_F);
	} else {
		if (!r->last)
			text_add(w->out, "wait out%s_$s on compute\n", w->tag);
		if (r->first || !w->pipe->recompute)
			batches_in(w);
		units_forward(w, r->last && w->pipe->recompute ? 1 : 0);
	}
	if (!r->last)
		send(w, false, top);
}

/* Its activations are a forward's, whenever they are computed */
static void forward_again(struct stages_writer *w)
{
	text_add(w->out, "phase R$m\n");
	if (w->pipe->timed) {
		spin(w, WORK_F);
	} else {
		if (!w->role->first)
			input_name(w, false, w->role->base);
		if (!w->role->last) /* the output of another micro-batch may still be on its way */
			text_add(w->out, "wait out%s_$s on compute\n", w->tag);
		batches_in(w);
		units_forward(w, 0);
	}
	text_add(w->out, "phase B$m\n");
}

static void units_backward(struct stages_writer *w, int which)
{
	const struct role *r = w->role;
	int least = r->first && w->model.kind == MODEL_GPT ? 0 : r->base + 1;

	for (int unit = r->base + r->layers + (r->last ? 1 : 0); unit >= least; unit--)
		backward_lines(&w->layers, unit, which);
}

static void backward_task(struct stages_writer *w)
{
	const struct role *r = w->role;
	bool inputs = r->work != WORK_W, timed = w->pipe->timed;

	if (inputs && !r->last)
		receive(w, true, r->base + r->layers);
	else
		text_add(w->out, "phase %c$m\n", inputs ? 'B' : 'W');
	if (w->pipe->recompute && inputs)
		forward_again(w);
	if (timed) {
		spin(w, (enum work)r->work);
	} else {
		if (inputs && !r->first)
			text_add(w->out, "wait dout%s_$s on compute\n", w->tag);
		units_backward(w,
		        r->work == WORK_B           ? BACKWARD_INPUTS
		                : r->work == WORK_W ? BACKWARD_WEIGHTS
		                                    : BACKWARD_BOTH);
		if (r->work != WORK_B)
			text_add(w->out, "record used%s_$k on compute\n", w->tag);
	}
	if (inputs && !r->first)
		send(w, true, r->base);
}

/* The rows of micro-batch m, and what its mean counts in that of the batch */
static void rows_of(struct stages_writer *w)
{
	const struct pipe *p = w->pipe;
	struct layers *l = &w->layers;
	char tokens[64];

	l->rows = p->even ? p->rows : 0;
	l->rows_text = "rows";
	l->room = !p->even;
	if (p->even) {
		snprintf(w->first, sizeof w->first, "m*%lld", (long long)l->rows);
		snprintf(w->share, sizeof w->share, "1/%d", p->micros);
	} else {
		snprintf(w->first, sizeof w->first, "first");
		snprintf(w->share, sizeof w->share, "rows/%lld", (long long)w->model.batch);
		snprintf(w->part, sizeof w->part, "[0:%s]", lines_tokens(l, tokens));
	}
	l->first = w->first;
	l->share = p->micros > 1 ? w->share : NULL;
}

static void places_of(struct stages_writer *w)
{
	const struct role *r = w->role;
	long long batch = (long long)w->model.batch;
	int micros = w->pipe->micros;

	if (r->work == WORK_F && r->turn)
		text_add(w->out, "let s = (m+%d)%%%d\n", r->turn, r->slots);
	else
		text_add(w->out, "let s = m%%%d\n", r->slots);
	text_add(w->out, "let k = m%%%d\n", r->inputs + 1);
	if (!w->pipe->even)
		text_add(w->out, "let first = m*%lld//%d\nlet rows = (m+1)*%lld//%d-first\n", batch, micros,
		        batch, micros);
}

void stage_lines(const struct pipe *p, const struct role *role)
{
	struct stages_writer w = {.pipe = p, .role = role, .out = p->out, .model = p->call->model};

	if (p->ask.chunks > 1)
		snprintf(w.tag, sizeof w.tag, "%d", role->chunk);
	/* a number that no layer of an inner stage has: its last layer is not the model's */
	w.model.layers = role->base + role->layers + (role->last ? 0 : 1);
	/* brackets where a name goes on behind it: x0_$(s)_f32 */
	w.layers = (struct layers){.model = &w.model,
	        .out = p->out,
	        .on = " on compute",
	        .suffix = p->call->model.dtype == DT_F32 ? "_$s" : "_$(s)",
	        .add = role->add,
	        .inner = !role->first};
	rows_of(&w);
	w.layers.whole_layers = p->call->model.layers;
	snprintf(w.below, sizeof w.below, "below%s", w.tag);
	w.layers.below = w.below;
	if (!p->timed)
		places_of(&w);
	if (role->work == WORK_F)
		forward_task(&w);
	else
		backward_task(&w);
}

/* sharded.c -- training with flat groups cut over the ranks (ZeRO, arXiv:1910.02054; PyTorch FSDP,
 * arXiv:2304.11277)
 *
 *     comm     gather 1  gather 2            gather 3           ...   gather 1            reduce-scatter 2
 *     compute            forward 1 (free 1)  forward 2 (free 2) ...   backward 2 (free 2) backward 1
 *
 * With parameters kept whole (stages 1 and 2) there is one gather a step, of what the optimizer has
 * changed. */
#include "strategies/flat.h"
#include "base/memory.h"

#include <stdio.h>

struct sharded_writer {
	const struct strategy_call *call;
	const struct sharding *sharding;
	struct layers *layers;
	struct shares shares;
	struct flats flats;
	enum presence {
		ABSENT,
		COMING,
		HERE
	} *
	        presence; /* by group: of flat; COMING: compute has not waited for its gather */
	bool *begun;      /* by group: its gradients have memory in this backward */
	bool last;        /* micro-batch of the step: gradients are exchanged */
};

static const char *type_of(const struct sharded_writer *w)
{
	return dtype_name(w->call->model.dtype);
}

static bool half_type(const struct sharded_writer *w)
{
	return w->call->model.dtype != DT_F32;
}

/* Adam wants the true gradient; optimizer_lines' own tensor for it would be on the device */
static bool unscales(const struct sharded_writer *w)
{
	return w->call->model.optimizer == OPTIMIZER_ADAM && w->call->model.loss_scale != 1;
}

/* The tensor that the optimizer steps is shard2, or host2 */
static const char *stepped(const struct sharded_writer *w)
{
	return w->sharding->offload ? "host" : "shard";
}

/* Gradients of a whole group live through the step: nobody cuts them, or micro-batches add up in them */
static bool whole_gradients(const struct sharded_writer *w)
{
	return !w->sharding->gradients || w->shares.micro > 1;
}

static const struct flat *flat_at(const struct sharded_writer *w, int g)
{
	return &w->flats.flat[g];
}

/* Names for the pieces of a whole group: prefix "" and "flat": w1 = reshape flat1[0:4096] [64,64] */
static void name_views(struct sharded_writer *w, int g, const char *prefix)
{
	const struct flats *f = &w->flats;
	for (int i = 0; i < f->parameters; i++) {
		const struct parameter *p = &f->list[i];
		if (flats_of_parameter(f, i) == g)
			text_add(w->layers->out, "%s%s = reshape %sflat%s[%lld:%lld] [%lld,%lld]\n", prefix,
			        p->name, prefix, f->flat[g].tag, (long long)f->at[i],
			        (long long)(f->at[i] + parameter_count(p)), (long long)p->rows,
			        (long long)p->cols);
	}
}

/* ---- setup ---- */

static void streams_setup(struct sharded_writer *w)
{
	step_begin(w->layers->out,
	        "the data stays on the host; a part of it is copied to the GPU for each step",
	        "streams, and the data");
	text_add(w->layers->out, "stream compute comm%s\n", w->sharding->offload ? " down cpu up" : "");
	setup_data(w->layers, &w->call->data);
	shares_setup(&w->shares, w->layers->out);
	shares_batch_setup(&w->shares, w->layers);
}

/* What offload keeps in host memory */
static void host_setup(struct sharded_writer *w, const char *tag, long long part)
{
	struct text *out = w->layers->out;
	const char *type = type_of(w);
	text_add(out, "tensor host%s[%lld] dhost%s[%lld] pinned %s = zeros\n", tag, part, tag, part, type);
	if (half_type(w))
		text_add(out, "tensor host%s_f32[%lld] pinned = zeros\n", tag, part);
	if (w->call->model.optimizer == OPTIMIZER_ADAM)
		text_add(out, "tensor host%s_m[%lld] host%s_v[%lld] pinned = zeros\n", tag, part, tag, part);
	if (unscales(w))
		text_add(out, "tensor unscaled%s[%lld] pinned\n", tag, part);
}

static void group_setup(struct sharded_writer *w, int g)
{
	struct text *out = w->layers->out;
	const char *tag = flat_at(w, g)->tag, *type = type_of(w);
	long long whole = flat_at(w, g)->padded, part = whole / w->call->ranks;
	char name[32], shape[32];
	if (w->sharding->parameters) {
		text_add(out, "tensor shard%s[%lld] %s = zeros\n", tag, part, type);
	} else {
		text_add(out, "tensor flat%s[%lld] %s = zeros\nshard%s = shard flat%s\n", tag, whole, type,
		        tag, tag);
		name_views(w, g, "");
	}
	if (half_type(w) && !w->sharding->offload)
		text_add(out, "tensor shard%s_f32[%lld] = zeros\n", tag, part);
	if (whole_gradients(w)) {
		text_add(out, "tensor dflat%s[%lld] %s = zeros\ndshard%s = shard dflat%s\n", tag, whole, type,
		        tag, tag);
		name_views(w, g, "d");
	} else {
		text_add(out, "tensor dshard%s[%lld] %s = zeros\n", tag, part, type);
	}
	snprintf(name, sizeof name, "shard%s", tag);
	snprintf(shape, sizeof shape, "[%lld]", part);
	if (w->sharding->offload)
		host_setup(w, tag, part);
	else
		setup_optimizer(w->layers, name, shape);
	if (!w->sharding->parameters)
		text_add(out, "event ready%s\n", tag);
}

/* Parameter i's numbers, where they fall into this rank's part, go into the master (of f32: the shard
 * itself) */
static void part_begins(struct sharded_writer *w, int i)
{
	const struct flats *f = &w->flats;
	const struct flat *flat = &f->flat[flats_of_parameter(f, i)];
	long long part = flat->padded / w->call->ranks, at = f->at[i], count = parameter_count(&f->list[i]);
	text_add(w->layers->out, "let lo = max(%lld,rank*%lld);  let hi = min(%lld,rank*%lld+%lld)\n", at,
	        part, at + count, part, part);
	text_add(w->layers->out,
	        "if hi > lo { copy start[lo-%lld:hi-%lld] -> %s%s%s[lo-rank*%lld:hi-rank*%lld] on compute "
	        "}\n",
	        at, at, stepped(w), flat->tag, half_type(w) ? "_f32" : "", part, part);
}

/* With the parameters cut: the shard from its master */
static void shard_begins(struct sharded_writer *w, const char *tag)
{
	const char *on = half_type(w) ? "_f32" : "";
	if (w->sharding->offload && half_type(w))
		text_add(w->layers->out, "host%s = cast host%s_f32 to=%s on compute\n", tag, tag, type_of(w));
	if (w->sharding->offload)
		text_add(w->layers->out, "copy host%s -> shard%s on compute\n", tag, tag);
	else if (half_type(w))
		text_add(w->layers->out, "shard%s = cast shard%s%s to=%s on compute\n", tag, tag, on,
		        type_of(w));
}

static void numbers_setup(struct sharded_writer *w)
{
	const struct flats *f = &w->flats;
	struct text *out = w->layers->out;
	bool whole = !w->sharding->parameters;
	step_begin(out,
	        "the seed is the same everywhere: the parts of all ranks together are what one rank would "
	        "begin with",
	        "the parameters begin");
	for (int i = 0; i < f->parameters; i++) {
		const struct parameter *p = &f->list[i];
		if (whole && !half_type(w) && !w->sharding->offload) {
			text_add(out, "%s = randn [%lld,%lld] seed=%d scale=%.6g on compute\n", p->name,
			        (long long)p->rows, (long long)p->cols, p->seed, p->scale);
			continue;
		}
		text_add(out, "start = randn [%lld] seed=%d scale=%.6g on compute\n",
		        (long long)parameter_count(p), p->seed, p->scale);
		part_begins(w, i);
		if (whole) /* also f32: a cast to the same type is a copy */
			text_add(out, "flat%s[%lld:%lld] = cast start to=%s on compute\n",
			        f->flat[flats_of_parameter(f, i)].tag, (long long)f->at[i],
			        (long long)(f->at[i] + parameter_count(p)), type_of(w));
	}
	for (int g = 0; g < f->flats && !whole; g++)
		if (f->flat[g].count)
			shard_begins(w, f->flat[g].tag);
	if (!whole || half_type(w) || w->sharding->offload)
		text_add(out, "free start on compute\n");
}

static void setup(struct sharded_writer *w)
{
	streams_setup(w);
	step_begin(w->layers->out,
	        w->sharding->parameters ? "a rank keeps its part of each group of parameters, and the "
	                                  "optimizer's state for that part only"
	                                : "every rank has all parameters, in one piece for each group, and "
	                                  "the optimizer's state for its part only",
	        "memory, cut into %d parts", w->call->ranks);
	for (int g = 0; g < w->flats.flats; g++)
		if (flat_at(w, g)->count)
			group_setup(w, g);
	numbers_setup(w);
}

/* ---- around a group's lines ---- */

static void gather(struct sharded_writer *w, int g)
{
	const char *tag = flat_at(w, g)->tag;
	if (w->presence[g] != ABSENT || !flat_at(w, g)->count || !w->sharding->parameters)
		return;
	text_add(w->layers->out, "flat%s = allgather shard%s on comm;  record ready%s on comm\n", tag, tag,
	        tag);
	name_views(w, g, "");
	w->presence[g] = COMING;
}

/* The group is needed now: it, and those that come after it in this direction, are on their way */
static void enter(struct sharded_writer *w, int g, int direction)
{
	if (!flat_at(w, g)->count)
		return;
	gather(w, g);
	for (int k = 1; k <= w->sharding->prefetch; k++) {
		int next = g ? g + k * direction : direction > 0 ? k : w->flats.flats - k;
		if (next > 0 && next < w->flats.flats)
			gather(w, next);
	}
	if (w->presence[g] == COMING)
		text_add(w->layers->out, "wait ready%s on compute\n", flat_at(w, g)->tag);
	w->presence[g] = HERE;
}

static void drop(struct sharded_writer *w, int g)
{
	if (!w->sharding->parameters || w->presence[g] == ABSENT)
		return;
	text_add(w->layers->out, "free flat%s on compute\n", flat_at(w, g)->tag);
	w->presence[g] = ABSENT;
}

static void leave_forward(struct sharded_writer *w, int g)
{
	if (g && w->sharding->reshard)
		drop(w, g);
}

static void enter_backward(struct sharded_writer *w, int g)
{
	const struct flat *flat = flat_at(w, g);
	if (!flat->count || w->begun[g])
		return;
	enter(w, g, -1);
	w->begun[g] = true;
	if (whole_gradients(w))
		return;
	text_add(w->layers->out, "dflat%s = zeros [%lld] %s on compute\n", flat->tag, (long long)flat->padded,
	        type_of(w));
	name_views(w, g, "d");
}

static void leave_backward(struct sharded_writer *w, int g)
{
	const char *tag = flat_at(w, g)->tag;
	if (!flat_at(w, g)->count)
		return;
	drop(w, g);
	w->begun[g] = false;
	if (!w->last)
		return;
	text_add(w->layers->out, "wait compute on comm;  dshard%s = reducescatter dflat%s op=avg on comm\n",
	        tag, tag);
	if (!whole_gradients(w))
		text_add(w->layers->out, "free dflat%s on comm\n", tag);
	if (w->sharding->offload)
		text_add(w->layers->out,
		        "wait comm on down;  copy dshard%s -> dhost%s on down;  record summed%s on down\n",
		        tag, tag, tag);
	else
		text_add(w->layers->out, "record summed%s on comm\n", tag);
}

/* The halves of a block as groups of their own */
static void half_place(
        struct layers *l, enum layer_place place, enum half half, int unit, const char *tensor, char name[48])
{
	struct sharded_writer *w = l->self;
	int g = flats_of(&w->flats, unit, half);
	(void)tensor, (void)name;
	if (place == PLACE_FORWARD_IN)
		enter(w, g, 1);
	else if (place == PLACE_FORWARD_OUT)
		leave_forward(w, g);
	else if (place == PLACE_BACKWARD_OUT)
		enter_backward(w, g);
	else if (place == PLACE_BACKWARD_IN)
		leave_backward(w, g);
}

/* ---- one micro-batch ---- */

/* Whether the unit's group is entered and left around the whole unit */
static bool around(const struct sharded_writer *w, int unit)
{
	return !flats_halved(&w->flats) || unit == 0 || unit > w->call->model.layers;
}

static int group_of(const struct sharded_writer *w, int unit)
{
	return flats_of(&w->flats, unit, HALF_MLP);
}

static void forward(struct sharded_writer *w, int m)
{
	const struct model *model = &w->call->model;
	char title[32];
	int first = model->kind == MODEL_GPT ? 0 : 1;
	for (int unit = first; unit < model_units(model); unit++) {
		int g = group_of(w, unit);
		bool has = unit <= model->layers || model->kind == MODEL_GPT;
		step_begin(w->layers->out,
		        !w->sharding->parameters ? "what it computes stays in memory: backward needs it"
		                : unit > model->layers
		                ? "how far off it is; what belongs to no block stays until the end of "
		                  "backward"
		                : "its parameters are gathered from all ranks; those of the next are on "
		                  "their way while this one computes",
		        "forward of %s", unit_title(model, unit, title));
		text_add(w->layers->out, "phase F%d\n", m);
		if (has && around(w, unit) && (unit == first || (g && g != group_of(w, unit - 1))))
			enter(w, g, 1);
		forward_lines(w->layers, unit);
		if (has && around(w, unit) && unit <= model->layers &&
		        (unit == model->layers || g != group_of(w, unit + 1)))
			leave_forward(w, g);
	}
}

static void backward(struct sharded_writer *w, int m)
{
	const struct model *model = &w->call->model;
	int first = model->kind == MODEL_GPT ? 0 : 1;
	char title[32];
	for (int unit = model_units(model) - 1; unit >= first; unit--) {
		int g = group_of(w, unit);
		bool has = unit <= model->layers || model->kind == MODEL_GPT;
		step_begin(w->layers->out,
		        w->last ? "its gradients are averaged, and each rank keeps its part of the mean, "
		                  "while the layers before it compute"
		                : "its gradients add up: they are exchanged in the last part of the batch",
		        "backward of %s", unit_title(model, unit, title));
		text_add(w->layers->out, "phase B%d\n", m);
		if (has && around(w, unit))
			enter_backward(w, g);
		backward_lines(w->layers, unit, BACKWARD_BOTH);
		if (has && around(w, unit) && (unit == first || (g && g != group_of(w, unit - 1))))
			leave_backward(w, g);
	}
}

static void micro_batch(struct sharded_writer *w, int m)
{
	w->last = m == w->shares.micro - 1;
	shares_layers(&w->shares, m, w->layers);
	batch_step(w->layers, w->call, m);
	if (m == 0 && w->sharding->parameters)
		text_add(w->layers->out, "wait compute on comm\n%s",
		        w->sharding->offload ? "wait up on comm\n" : "");
	for (int g = 0; g < w->flats.flats && m == 0 && !w->sharding->parameters; g++)
		w->presence[g] = COMING;
	forward(w, m);
	backward(w, m);
}

/* ---- the optimizer ---- */

/* On the host: the group's part, then its copy up */
static void host_step(struct sharded_writer *w, const char *tag)
{
	struct text *out = w->layers->out;
	struct model model = w->call->model;
	struct layers l = {.model = &model, .out = out, .on = " on cpu", .suffix = ""};
	char name[32], gradient[32];
	snprintf(name, sizeof name, "host%s", tag);
	snprintf(gradient, sizeof gradient, "%s%s", unscales(w) ? "unscaled" : "dhost", tag);
	text_add(out, "wait summed%s on cpu\n", tag);
	if (unscales(w)) {
		text_add(out, "%s = cast dhost%s to=f32 on cpu\n%s = scale %s 1/%.9g on cpu\n", gradient, tag,
		        gradient, gradient, model.loss_scale);
		model.loss_scale = 1;
	}
	optimizer_lines(&l, name, gradient);
	text_add(out, "wait cpu on up;  copy host%s -> shard%s on up\n", tag, tag);
}

static void device_step(struct sharded_writer *w, const char *tag)
{
	char name[32], gradient[32];
	snprintf(name, sizeof name, "shard%s", tag);
	snprintf(gradient, sizeof gradient, "dshard%s", tag);
	text_add(w->layers->out, "wait summed%s on compute\n", tag);
	optimizer_lines(w->layers, name, gradient);
}

static const char *optimizer_why(const struct sharded_writer *w)
{
	if (w->sharding->offload)
		return "the host steps this rank's part of one group while the next one's gradients come "
		       "down and the last one's parameters go up";
	return w->sharding->parameters
	        ? "each rank steps its own part; the next forward gathers what it needs"
	        : "each rank steps its own part, then everybody gathers the parts of all";
}

static void optimizer(struct sharded_writer *w)
{
	struct text *out = w->layers->out;
	step_begin(out, optimizer_why(w), "the optimizer%s", w->sharding->offload ? ", on the host" : "");
	text_add(out, "phase O\n");
	if (w->sharding->offload) /* the whole of backward has read the parameters that come up */
		text_add(out, "wait compute on up;  wait comm on up\n");
	for (int i = 0; i < w->flats.flats; i++) {
		int g = w->sharding->offload
		        ? w->flats.flats - 1 - i
		        : i; /* the host: as gradients come; else as forward wants them */
		const char *tag = flat_at(w, g)->tag;
		if (!flat_at(w, g)->count)
			continue;
		if (w->sharding->offload)
			host_step(w, tag);
		else
			device_step(w, tag);
		if (!w->sharding->parameters)
			text_add(out,
			        "wait %s on comm;  flat%s = allgather shard%s on comm;  record ready%s on "
			        "comm\n",
			        w->sharding->offload ? "up" : "compute", tag, tag, tag);
	}
}

/* ---- the program ---- */

static enum status writer_make(struct sharded_writer *w)
{
	const struct model *model = &w->call->model;
	enum status status =
	        shares_make(w->call, w->call->ranks, (int)option_number(w->call, "accumulate"), &w->shares);
	if (status == ST_OK)
		status = flats_make(model, w->sharding->wrap, w->call->ranks, &w->flats);
	if (status != ST_OK)
		return status;
	w->presence = mem_alloc((size_t)w->flats.flats * sizeof *w->presence);
	w->begun = mem_alloc((size_t)w->flats.flats * sizeof *w->begun);
	return w->presence && w->begun ? ST_OK : ST_MEMORY;
}

enum status sharded_generate(
        const struct strategy_call *call, const struct sharding *sharding, struct text *out)
{
	struct layers l = {.model = &call->model, .out = out, .on = " on compute", .suffix = ""};
	struct sharded_writer w = {.call = call, .sharding = sharding, .layers = &l};
	enum status status = writer_make(&w);
	if (status == ST_OK) {
		l.self = &w;
		l.place = flats_halved(&w.flats) ? half_place : NULL;
		setup(&w);
		text_add(out, "%s\n", PROGRAM_LOOP);
		for (int m = 0; m < w.shares.micro; m++)
			micro_batch(&w, m);
		optimizer(&w);
		text_add(out, "}\n");
	}
	flats_release(&w.flats);
	mem_free(w.presence);
	mem_free(w.begun);
	return status;
}

/* ddp.c -- PyTorch's DistributedDataParallel: every rank has the whole model and a part of the batch;
 * gradients are averaged, in buckets.
 *
 *     compute   forward | backward L | backward L-1 | ...            | optimizer
 *     comm                             bucket1        bucket2 ...
 *
 * A bucket is filled in the order in which backward makes gradients; when it has `bucket` bytes it is closed,
 * and travels while backward goes on. Gradients are views into their bucket, so nothing is packed. */
#include "strategies/shared.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

struct bucket {
	int first, count, unit, left;
	int64_t elements;
}; /* of ddp.order; unit: whose backward fills it up; left: gradients to come */

struct ddp {
	const struct strategy_call *call;
	struct layers layers;
	struct shares shares;
	struct parameter *list;
	int count;
	int *order; /* parameters in the order in which their gradients are done */
	struct bucket *bucket;
	int buckets;
	bool overlap, sync; /* sync: buckets are exchanged at all (broken=nosync: not) */
	const char *hook;
};

/* ---- buckets ---- */

/* Backward's order of units, the last first; within a unit that of its lines: the last parameters of the list
 * first. */
static void order_parameters(struct ddp *d)
{
	int at = 0;
	for (int i = d->count - 1; i >= 0; i--)
		d->order[at++] = i;
}

/* PyTorch's dist._DEFAULT_FIRST_BUCKET_BYTES: the first allreduce starts early, however large the others */
enum { FIRST_BYTES = 1 << 20 };

static void fill_buckets(struct ddp *d)
{
	const double bucket = option_number(d->call, "bucket"); /* may be more than an integer holds */
	int64_t bytes = 0;
	struct bucket *open = NULL;
	for (int i = 0; i < d->count; i++) {
		const struct parameter *p = &d->list[d->order[i]];
		if (!open) {
			open = &d->bucket[d->buckets++];
			*open = (struct bucket){.first = i};
			bytes = 0;
		}
		open->count++;
		open->elements += parameter_count(p);
		open->unit = p->unit;
		bytes += parameter_count(p) * dtype_bytes(d->call->model.dtype);
		if ((double)bytes >= (d->buckets == 1 && bucket > FIRST_BYTES ? FIRST_BYTES : bucket))
			open = NULL;
	}
}

static bool hooked(const struct ddp *d, const char *name)
{
	return strcmp(d->hook, name) == 0;
}

/* What compresses with a loss keeps what it left out, and adds it the next time */
static bool feeds_back(const struct ddp *d)
{
	return hooked(d, "int8") || hooked(d, "topk");
}

static void bucket_setup(struct ddp *d)
{
	struct text *out = d->layers.out;
	const char *type = d->call->model.dtype == DT_F32 ? "" : dtype_name(d->call->model.dtype);
	step_begin(out,
	        "filled in backward's order: the last layer's gradients are done first.\nThe gradients are "
	        "views into them: nothing is packed",
	        "%d bucket%s for the gradients", d->buckets, d->buckets == 1 ? "" : "s");
	for (int b = 0; b < d->buckets; b++) {
		long long at = 0;
		text_add(out, "tensor bucket%d[%lld]%s%s%s\n", b + 1, (long long)d->bucket[b].elements,
		        *type ? " " : "", type, feeds_back(d) ? " = zeros" : "");
		if (feeds_back(d))
			text_add(out, "tensor error%d[%lld] = zeros\n", b + 1,
			        (long long)d->bucket[b].elements);
		for (int i = 0; i < d->bucket[b].count; i++) {
			const struct parameter *p = &d->list[d->order[d->bucket[b].first + i]];
			text_add(out, "d%s = reshape bucket%d[%lld:%lld] [%lld,%lld]\n", p->name, b + 1, at,
			        at + (long long)parameter_count(p), (long long)p->rows, (long long)p->cols);
			at += (long long)parameter_count(p);
		}
	}
}

/* ---- an exchange ---- */

static void hook_half(struct ddp *d, int b)
{
	struct text *out = d->layers.out;
	text_add(out, "small%d = cast bucket%d to=%s on comm\n", b, b, d->hook);
	text_add(out, "allreduce small%d op=avg on comm\n", b);
	text_add(out, "bucket%d = cast small%d to=%s on comm\n", b, b, dtype_name(d->call->model.dtype));
}

/* The mean, in f32, becomes the bucket, which is of the model's type and seen by the gradients */
static void into_bucket(struct ddp *d, const char *mean, int b)
{
	text_add(d->layers.out, "flat%d = reshape %s%d [%lld];  bucket%d = cast flat%d to=%s on comm\n", b,
	        mean, b, (long long)d->bucket[b - 1].elements, b, b, dtype_name(d->call->model.dtype));
}

/* Each rank's numbers have a scale of their own, so they cannot be added on the way: all are gathered, and
 * added here. int8 travels as bf16, which holds -127 .. 127 exactly: half of f32's bytes; real int8 is a
 * quarter. */
static void hook_int8(struct ddp *d, int b)
{
	struct text *out = d->layers.out;
	int n = d->call->ranks;
	text_add(out, "error%d += cast bucket%d to=f32 on comm\n", b, b);
	text_add(out, "code%d scale%d = quantize error%d on comm\nsmall%d = cast code%d to=bf16 on comm\n", b,
	        b, b, b, b);
	text_add(out, "sent%d = mul code%d scale%d on comm\nerror%d = sub error%d sent%d on comm\n", b, b, b,
	        b, b, b);
	text_add(
	        out, "all%d = allgather small%d on comm\nscales%d = allgather scale%d on comm\n", b, b, b, b);
	text_add(out, "rows%d = cast all%d to=f32 on comm\nones%d = scale scales%d 1/%d on comm\n", b, b, b,
	        b, n);
	text_add(out, "table%d = reshape rows%d [%d,%lld];  weights%d = reshape ones%d [1,%d]\n", b, b, n,
	        (long long)d->bucket[b - 1].elements, b, b, n);
	if (d->call->model.dtype == DT_F32)
		text_add(out, "mean%d = reshape bucket%d [1,%lld]\n", b, b,
		        (long long)d->bucket[b - 1].elements);
	text_add(out, "mean%d = matmul weights%d table%d on comm\n", b, b, b);
	if (d->call->model.dtype != DT_F32)
		into_bucket(d, "mean", b);
}

/* The largest k of a bucket by size, as values and places; what is not sent waits in error until it has
 * grown. */
static void hook_topk(struct ddp *d, int b)
{
	struct text *out = d->layers.out;
	long long elements = (long long)d->bucket[b - 1].elements,
	          k = (long long)((double)elements * option_number(d->call, "k"));
	int n = d->call->ranks;
	k = k < 1 ? 1 : k > elements ? elements : k;
	text_add(out, "error%d += cast bucket%d to=f32 on comm\nsize%d = mul error%d error%d on comm\n", b, b,
	        b, b, b);
	text_add(out, "_ places%d = topk size%d k=%lld on comm\n", b, b, k);
	text_add(out, "column%d = reshape error%d [%lld,1]\nvalues%d = embed column%d places%d on comm\n", b,
	        b, elements, b, b, b);
	text_add(out, "sent%d = embed_grad values%d places%d rows=%lld on comm\n", b, b, b, elements);
	text_add(out, "column%d = sub column%d sent%d on comm\n", b, b, b);
	text_add(out, "all%d = allgather values%d on comm\nwhere%d = allgather places%d on comm\n", b, b, b,
	        b);
	text_add(out, "list%d = reshape all%d [%lld,1]\n", b, b, k * n);
	text_add(out, "mean%d = embed_grad list%d where%d rows=%lld on comm\n", b, b, b, elements);
	if (d->call->model.dtype == DT_F32)
		text_add(out, "bar%d = reshape bucket%d [%lld,1]\n", b, b, elements);
	text_add(out, "bar%d = scale mean%d 1/%d on comm\n", b, b, n);
	if (d->call->model.dtype != DT_F32)
		into_bucket(d, "bar", b);
}

static void exchange(struct ddp *d, int b)
{
	if (hooked(d, "f16") || hooked(d, "bf16"))
		hook_half(d, b);
	else if (hooked(d, "int8"))
		hook_int8(d, b);
	else if (hooked(d, "topk"))
		hook_topk(d, b);
	else
		text_add(d->layers.out, "allreduce bucket%d op=avg on comm\n", b);
}

/* ---- the iteration ---- */

/* A gradient is there: a bucket that it fills up travels now */
static void gradient_done(struct layers *l, const char *parameter)
{
	struct ddp *d = l->self;
	for (int b = 0; b < d->buckets; b++)
		for (int i = 0; i < d->bucket[b].count; i++)
			if (strcmp(d->list[d->order[d->bucket[b].first + i]].name, parameter) == 0 &&
			        --d->bucket[b].left == 0) {
				text_add(l->out, "wait compute on comm\n");
				exchange(d, b + 1);
				text_add(l->out, "record done%d on comm\n", b + 1);
			}
}

static bool fills(const struct ddp *d, int unit)
{
	for (int b = 0; b < d->buckets; b++)
		if (d->bucket[b].unit == unit)
			return true;
	return false;
}

static void backward_steps(struct ddp *d, int m)
{
	struct layers *l = &d->layers;
	char title[32];
	int lowest = l->model->kind == MODEL_GPT ? 0 : 1;
	bool exchanged = d->overlap && d->sync && m + 1 == d->shares.micro;
	for (int b = 0; b < d->buckets; b++)
		d->bucket[b].left = d->bucket[b].count;
	l->self = d;
	l->done = exchanged ? gradient_done : NULL;
	for (int unit = model_units(l->model) - 1; unit >= lowest; unit--) {
		bool sends = exchanged && fills(d, unit);
		char why[160] = "from the gradient of what it gave: those of its parameters, and of what it "
		                "was given";
		if (sends && unit > lowest) {
			char below[32];
			snprintf(why, sizeof why,
			        "its gradients are ready before those of %s: their bucket can travel while "
			        "that computes",
			        unit_title(l->model, unit - 1, below));
		} else if (sends) {
			snprintf(why, sizeof why,
			        "the last gradients: nothing is left to compute while their bucket travels");
		}
		step_begin(l->out, why, "backward of %s", unit_title(l->model, unit, title));
		text_add(l->out, "phase B%d\n", m);
		backward_lines(l, unit, BACKWARD_BOTH);
	}
}

static void exchange_step(struct ddp *d)
{
	struct text *out = d->layers.out;
	step_begin(out, "only now: compute stands still while they travel", "the buckets are averaged");
	text_add(out, "phase C\nwait compute on comm\n");
	for (int b = 1; b <= d->buckets; b++)
		exchange(d, b);
	text_add(out, "wait comm on compute\n");
}

static void update_bucket(struct ddp *d, int b)
{
	char gradient[32];
	for (int i = 0; i < d->bucket[b].count; i++) {
		const struct parameter *p = &d->list[d->order[d->bucket[b].first + i]];
		snprintf(gradient, sizeof gradient, "d%s", p->name);
		optimizer_lines(&d->layers, p->name, gradient);
	}
}

static void update_step(struct ddp *d)
{
	struct text *out = d->layers.out;
	step_begin(out,
	        !d->sync ? "each rank by its own gradient: the models drift apart, and nothing says so"
	                 : "every rank takes the same step: the models stay the same without being sent",
	        "the optimizer");
	text_add(out, "phase O\n");
	for (int b = 0; b < d->buckets; b++) {
		if (d->overlap && d->sync)
			text_add(out, "wait done%d on compute\n", b + 1);
		update_bucket(d, b);
	}
}

static void iteration(struct ddp *d)
{
	for (int m = 0; m < d->shares.micro; m++) {
		shares_layers(&d->shares, m, &d->layers);
		batch_step(&d->layers, d->call, m);
		forward_steps(&d->layers, m);
		backward_steps(d, m);
	}
	if (d->sync && !d->overlap)
		exchange_step(d);
	update_step(d);
}

/* ---- the strategy ---- */

static enum status open_ddp(struct ddp *d)
{
	static const char *const hooks[] = {"none", "f16", "bf16", "int8", "topk"};
	d->overlap = option_is(d->call, "overlap", "on");
	d->sync = !option_is(d->call, "broken", "nosync");
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
		if (option_is(d->call, "hook", hooks[i]))
			d->hook = hooks[i];
	enum status status = model_parameters(&d->call->model, &d->list, &d->count);
	if (status != ST_OK)
		return status;
	d->order = mem_alloc((size_t)d->count * sizeof *d->order);
	d->bucket = mem_alloc((size_t)d->count * sizeof *d->bucket);
	if (!d->order || !d->bucket)
		return ST_MEMORY;
	order_parameters(d);
	fill_buckets(d);
	return shares_make(d->call, d->call->ranks, (int)option_number(d->call, "accumulate"), &d->shares);
}

static void close_ddp(struct ddp *d)
{
	mem_free(d->list);
	mem_free(d->order);
	mem_free(d->bucket);
}

static enum status ddp_generate(const struct strategy_call *call, struct text *out)
{
	struct ddp d = {.call = call,
	        .hook = "none",
	        .layers = {.model = &call->model, .out = out, .on = " on compute", .suffix = ""}};
	enum status status = open_ddp(&d);
	if (status == ST_OK)
		status = replica_setup(&d.layers, call, &d.shares, "compute comm", false);
	if (status == ST_OK) {
		bucket_setup(&d);
		text_add(out, "%s\n", PROGRAM_LOOP);
		iteration(&d);
		text_add(out, "}\n");
	}
	close_ddp(&d);
	return status;
}

static const char *ddp_lossy(const struct strategy_call *call)
{
	static const char *const lossy[] = {"hook=f16", "hook=bf16", "hook=int8", "hook=topk"};
	for (size_t i = 0; i < sizeof lossy / sizeof *lossy; i++)
		if (option_is(call, "hook", lossy[i] + strlen("hook=")))
			return lossy[i];
	return NULL;
}

const struct strategy strategy_ddp = {
        .name = "ddp",
        .usage = "strategy ddp [bucket=256k] [overlap=on|off] [hook=none|f16|bf16|int8|topk] [k=1%] "
                 "[accumulate=1] [broken=nosync]",
        .help = "the model on every rank, the batch in parts; gradients are averaged in buckets while "
                "backward goes on",
        .cost = "memory: the whole model on every rank: parameters, gradients, optimizer; activations of "
                "batch/n rows\n"
                "bytes: 2(n-1)/n of the gradients' a rank and step (ring), in as many messages as buckets",
        .option =
                {
                        {"bucket", "256k", NULL, UNIT_BYTES, 1,
                                "a bucket is closed when it has so many bytes, the first at 1 MB already "
                                "(PyTorch's bucket_cap_mb: 25M, for models a thousand times as large)"},
                        {"overlap", "on", "on off", UNIT_PLAIN, 0,
                                "on: a bucket travels as soon as it is full; off: all behind the backward"},
                        {"hook", "none", "none f16 bf16 int8 topk", UNIT_PLAIN, 0,
                                "what makes a bucket smaller on its way; int8 and topk keep what they left "
                                "out for the next step"},
                        {"k", "1%", NULL, UNIT_PLAIN, 0, "topk: the part of a bucket that is sent"},
                        OPTION_ACCUMULATE,
                        {"broken", "no", "no nosync", UNIT_PLAIN, 0,
                                "nosync: gradients are not exchanged: what `verify` finds, and training "
                                "alone does not"},
                },
        .generate = ddp_generate,
        .lossy = ddp_lossy,
};

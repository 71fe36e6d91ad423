/* pipeline.c -- each rank has a stage of the model; micro-batches follow one another through the stages
 *
 * A step of the program is the next task of every stage: which one, its schedule says (schedule.h); what that
 * takes, stages.h. Stages that do the same are given the same lines (blocks.h). */
#include "strategies/stages.h"
#include "base/memory.h"

#include <stdio.h>

/* Without given times: a matrix's F, B and W take the same, and a transfer little; names keep their memory
 * until W. */
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
	if (p->recompute)
		p->ask.b += p->ask.f; /* for zb-auto's search */
}

enum { TASKS_MOST = 10000000 }; /* of all stages: the program has a few lines for each */

/* Rows fall to the micro-batches as evenly as they can */
static enum status rows_share(struct pipe *p)
{
	long long batch = (long long)p->call->model.batch, micros = (long long)p->ask.micros * p->rounds,
	          chunks = p->ask.chunks;

	if (micros > TASKS_MOST / chunks / p->ask.stages)
		return fail(ST_RANGE,
		        "micro=%d, accumulate=%d, chunks=%lld on %d ranks: a program of more than %d tasks",
		        p->ask.micros, p->rounds, chunks, p->ask.stages, TASKS_MOST);
	p->micros = (int)micros;
	p->even = p->timed || batch % micros == 0;
	p->rows = (batch + micros - 1) / micros;
	if (p->timed || batch >= micros)
		return ST_OK;
	if (batch >= p->rounds && chunks == 1)
		return fail(ST_RANGE,
		        "batch=%lld in micro=%d%s: some micro-batches would have no row; the nearest that "
		        "fit are batch=%lld, and micro=%lld",
		        batch, p->ask.micros, p->rounds > 1 ? " times accumulate" : "", micros,
		        batch / p->rounds);
	return fail(ST_RANGE,
	        "batch=%lld in micro=%d%s: some micro-batches would have no row; batch=%lld fits", batch,
	        p->ask.micros, p->rounds > 1 ? " times accumulate" : "", micros);
}

static enum status pipe_make(const struct strategy_call *call, struct text *out, struct pipe *p)
{
	enum status status = ST_OK;

	*p = (struct pipe){.call = call,
	        .out = out,
	        .recompute = option_is(call, "recompute", "on"),
	        .rounds = (int)option_number(call, "accumulate")};
	p->ask.stages = call->ranks;
	p->ask.micros = (int)option_number(call, "micro");
	p->ask.chunks = call->ranks == 1 ? 1 : (int)option_number(call, "chunks");
	while (p->ask.kind < SCHEDULE_ZB_AUTO && !option_is(call, "schedule", schedule_name(p->ask.kind)))
		p->ask.kind++;
	ask_times(call, p);
	status = rows_share(p);
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
			pipeline_timed_setup(&p);
		else
			pipeline_setup(&p, list, count);
		status = pipeline_iteration(&p, list, count);
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
			struct portion portion = {.parameter = i,
			        .rank = part / p.ask.chunks,
			        .rows = list[i].rows,
			        .cols = list[i].cols};
			char name[24];
			if (!stage_has(&p, &p.chunk[part], &list[i], name))
				continue;
			snprintf(
			        portion.name, sizeof portion.name, "%s%s", name, master_suffix(&call->model));
			status = parts_add(parts, &portion);
		}
	}
	mem_free(list);
	pipe_release(&p);
	return status;
}

const struct strategy strategy_pipeline = {
        .name = "pipeline",
        .usage = "strategy pipeline [schedule=1f1b] [micro=4] [accumulate=1] [chunks=1] [recompute=on|off] "
                 "[F=TIME B=TIME W=TIME comm=TIME]",
        .help = "each rank has some of the layers; micro-batches follow one another through them",
        .cost = "memory: parameters, gradients and optimizer / ranks; activations of the micro-batches in "
                "flight: gpipe all, 1f1b p-s on stage s,\n"
                "        zb-h1 p, zb-h2 2p-1, zb-auto limit x p; with recompute=on of one (zb: of those "
                "between B and W, and of a forward), and\n"
                "        the inputs of the others\n"
                "bytes: each stage sends micro x (the activations between two layers) forward and as much "
                "back, times chunks\n"
                "bubble: (p-1)/(m+p-1); interleaved: of a stage's time, divided by chunks; zb-h1: "
                "(p-1)(F+B-W), zb-h2: (p-1)(F+B-2W) of time",
        .option =
                {
                        {"schedule", "1f1b", SCHEDULE_WORDS, UNIT_PLAIN, 0,
                                "the order in which a stage takes its micro-batches"},
                        {"micro", "4", NULL, UNIT_PLAIN, 1,
                                "micro-batches of a step, at most a row each; interleaved: a multiple of the "
                                "ranks"},
                        {"accumulate", "1", NULL, UNIT_PLAIN, 1,
                                "times that so many micro-batches go through before the optimizer; the "
                                "pipeline drains between (one stream: a larger micro)"},
                        {"chunks", "1", NULL, UNIT_PLAIN, 1,
                                "of a stage, for interleaved: parts of the model that are not neighbours"},
                        {"recompute", "off", "on off", UNIT_PLAIN, 0,
                                "keep a stage's inputs only, and compute forward again before backward"},
                        {"limit", "1.0", NULL, UNIT_PLAIN, 1,
                                "zb-auto: activations, as a multiple of what 1f1b's first stage holds"},
                        {"held", "0.5", NULL, UNIT_PLAIN, 0,
                                "zb-auto with times: the share of activations that W still needs after B"},
                        {"F", "0ms", NULL, UNIT_TIME, 0, "instead of a model: the time of a stage's forward"},
                        {"B", "0ms", NULL, UNIT_TIME, 0, "... of its gradients of the inputs"},
                        {"W", "0ms", NULL, UNIT_TIME, 0, "... of its gradients of the weights"},
                        {"comm", "0ms", NULL, UNIT_TIME, 0, "... of a transfer to the next stage"},
                },
        .generate = pipeline_generate,
        .parts = pipeline_parts,
};

/* pipeline_iteration.c -- an iteration of a pipeline as steps: each the next task of every stage, with the
 * same lines for those that do the same */
#include "strategies/blocks.h"
#include "strategies/shared.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* `let m = ...` of the stages `in`: by rank where m changes evenly, else for each m its ranks. micro[s]: of
 * stage s */
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

static const char *work_title(int work)
{
	static const char *const title[] = {[WORK_F] = "forward",
	        [WORK_B] = "gradients of inputs",
	        [WORK_W] = "gradients of weights",
	        [WORK_BW] = "backward"};
	return title[work];
}

/* The k-th tasks of all stages, and those that are already written */
struct schedule_slot {
	struct pipe *pipe;
	struct role *role;
	int *micro;
	bool *done, *in;
};

static const struct task *task_at(const struct pipe *p, int stage, size_t k)
{
	return &p->schedule.task[(size_t)stage * p->schedule.count + k];
}

static void slot_title(const struct schedule_slot *slot, size_t k)
{
	const struct pipe *p = slot->pipe;
	bool seen[4] = {false};
	struct text title = {0};

	for (int work = 0; work < 4; work++) {
		for (int s = 0; s < p->ask.stages; s++) {
			slot->in[s] = task_at(p, s, k)->work == work;
			seen[work] = seen[work] || slot->in[s];
		}
		if (!seen[work])
			continue;
		text_add(&title, "%s%s on ", title.count ? "; " : "", work_title(work));
		blocks_ranks(slot->in, p->ask.stages, &title);
	}
	step_begin(p->out,
	        seen[WORK_W] ? "nobody waits for the gradients of weights: they fill what would be left empty"
	                : seen[WORK_F] && seen[WORK_BW] ? "each backward frees the activations of a "
	                                                  "micro-batch, for which a forward can begin"
	                : seen[WORK_F]
	                ? "the pipeline fills: the more it holds before the first backward, the more memory "
	                  "it takes"
	                : "the pipeline drains: a stage waits for the gradients of the one behind it",
	        "%s", text_string(&title));
	text_release(&title);
}

/* One block for all the stages with the role of stage `first` */
static void slot_block(const struct schedule_slot *slot, int first)
{
	struct pipe *p = slot->pipe;
	struct text who = {0}, lines = {0}, *out = p->out;

	for (int s = 0; s < p->ask.stages; s++) {
		slot->in[s] = !slot->done[s] &&
		        memcmp(&slot->role[s], &slot->role[first], sizeof slot->role[s]) == 0;
		slot->done[s] = slot->done[s] || slot->in[s];
	}
	blocks_ranks(slot->in, p->ask.stages, &who);
	let_micro(slot->in, slot->micro, p->ask.stages, text_string(&who), p->out);
	p->out = &lines;
	stage_lines(p, &slot->role[first]);
	p->out = out;
	blocks_put(out, text_string(&who), &lines);
	text_release(&who);
	text_release(&lines);
}

/* The k-th task of every stage, in this round through the schedule */
static void slot_write(const struct schedule_slot *slot, int round, size_t k)
{
	const struct pipe *p = slot->pipe;

	slot_title(slot, k);
	for (int s = 0; s < p->ask.stages; s++) {
		struct task task = *task_at(p, s, k);
		task.micro += round * p->ask.micros;
		stage_role(p, s, &task, &slot->role[s]);
		slot->micro[s] = task.micro;
		slot->done[s] = false;
	}
	for (int s = 0; s < p->ask.stages; s++)
		if (!slot->done[s])
			slot_block(slot, s);
}

static enum status slots_write(struct pipe *p)
{
	size_t stages = (size_t)p->ask.stages;
	struct schedule_slot slot = {.pipe = p,
	        .role = mem_alloc(stages * sizeof *slot.role),
	        .micro = mem_alloc(stages * sizeof *slot.micro),
	        .done = mem_alloc(2 * stages * sizeof *slot.done)};
	enum status status = slot.role && slot.micro && slot.done ? ST_OK : ST_MEMORY;

	slot.in = slot.done + stages;
	for (int round = 0; round < p->rounds && status == ST_OK; round++)
		for (size_t k = 0; k < p->schedule.count; k++)
			slot_write(&slot, round, k);
	mem_free(slot.role);
	mem_free(slot.micro);
	mem_free(slot.done);
	return status;
}

static void stage_optimizer(const struct pipe *p, int stage, const struct parameter *list, int count)
{
	struct layers l = {.model = &p->call->model, .out = p->out, .on = " on compute", .suffix = ""};
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

enum status pipeline_iteration(struct pipe *p, const struct parameter *list, int count)
{
	enum status status;

	text_add(p->out, "%s\n", PROGRAM_LOOP);
	if (pipeline_tied(p)) {
		step_begin(p->out,
		        "the last stage's head is the same table: both add to its gradient, from zero",
		        "the gradient of the first stage's table");
		text_add(p->out, "phase O\n@0 fill dtable 0 on compute\n");
	}
	status = slots_write(p);
	if (pipeline_tied(p)) {
		step_begin(p->out,
		        "one table in two places: the sum of both gradients keeps the two the same",
		        "the gradients of the table meet");
		text_add(p->out, "phase C\n@0,%d allreduce dtable on compute in ends\n", p->ask.stages - 1);
	}
	if (!p->timed) {
		step_begin(p->out,
		        "each stage as soon as its own gradients are done: no stage waits for another",
		        "the optimizer");
		text_add(p->out, "phase O\n");
		blocks_each(p, stage_optimizer, list, count);
	}
	text_add(p->out, "}\n");
	return status;
}

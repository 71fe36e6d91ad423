/* schedule_time.c -- runs a pipeline's tasks to find its span
 *
 * The stages run in turn, each until the input of its next task is unknown:
 *
 *     stage 0   F0 F1 F2 | B0?           stops: stage 1's B0 is unknown
 *     stage 1   F0 B0 F1 B1 F2 B2        done
 *     stage 0            | B0 B1 B2      second round: done
 *
 * The run ends after a round without progress: all stages are done, or they wait for one another
 * for ever. */
#include "schedules/schedule.h"

#include "base/memory.h"

enum { DIRECTIONS = 2 }; /* activations forward, gradients back */

struct replay {
	const struct schedule_ask *ask;
	const struct schedule *schedule;
	/* [direction][part of the model][micro-batch]: end time; below 0: unknown */
	double *done;
	size_t *next;       /* by stage: its next task */
	double *at, *first; /* by stage: time when free; start of its first task */
	bool *begun;
};

static double *done_at(const struct replay *r, int direction, int part, int micro)
{
	int parts = r->schedule->pieces;

	return &r->done[((size_t)(direction * parts + part)) * (size_t)r->schedule->micros + (size_t)micro];
}

/* Returns when the task's input arrives: 0 if it needs none (WORK_W, WORK_IDLE, the first piece's
 * forward), below 0 if unknown. */
static double input_at(const struct replay *r, const struct task *task, int part)
{
	int last = r->schedule->pieces - 1, backward = task->work != WORK_F;
	int from = backward ? part + 1 : part - 1;
	const int *holder = r->schedule->holder;
	double at;

	if (task->work == WORK_W || task->work == WORK_IDLE || from < 0)
		return 0;
	if (from > last)
		return *done_at(r, 0, part, task->micro);
	at = *done_at(r, backward, from, task->micro);
	return at < 0 ? at : at + (holder[from] != holder[part] ? r->ask->comm : 0);
}

/* Returns true if any task of the stage ran. */
static bool replay_stage(struct replay *r, int stage)
{
	size_t begin = r->next[stage];

	for (; r->next[stage] < r->schedule->count; r->next[stage]++) {
		const struct task *task = schedule_task(r->schedule, stage, r->next[stage]);
		int part = r->schedule->piece[stage * r->schedule->chunks + task->chunk];
		double input = input_at(r, task, part), start = input > r->at[stage] ? input : r->at[stage];

		if (input < 0)
			break;
		if (task->work == WORK_IDLE)
			continue;
		if (!r->begun[stage])
			r->first[stage] = start;
		r->begun[stage] = true;
		double takes = task->work == WORK_F
		        ? r->ask->f
		        : (task->work != WORK_W ? r->ask->b : 0) + (task->work != WORK_B ? r->ask->w : 0);
		r->at[stage] = start + takes / r->schedule->chunks;
		if (task->work != WORK_W)
			*done_at(r, task->work != WORK_F, part, task->micro) = r->at[stage];
	}
	return r->next[stage] > begin;
}

bool schedule_carry_out(
        const struct schedule_ask *ask, const struct schedule *schedule, size_t *next, double *span)
{
	size_t stages = (size_t)ask->stages,
	       count = DIRECTIONS * (size_t)schedule->pieces * (size_t)schedule->micros;
	struct replay r = {.ask = ask,
	        .schedule = schedule,
	        .done = mem_alloc(count * sizeof *r.done),
	        .next = next,
	        .at = mem_alloc(2 * stages * sizeof *r.at),
	        .begun = mem_alloc(stages * sizeof *r.begun)};
	bool ends = true;

	for (size_t i = 0; i < count; i++)
		r.done[i] = -1;
	r.first = r.at + stages;
	for (bool moved = true; moved;) {
		moved = false;
		for (int s = 0; s < ask->stages; s++)
			moved = replay_stage(&r, s) || moved;
	}
	*span = 0;
	for (size_t s = 0; s < stages; s++) {
		ends = ends && next[s] == schedule->count;
		if (r.at[s] - r.first[s] > *span)
			*span = r.at[s] - r.first[s];
	}
	mem_free(r.done);
	mem_free(r.at);
	mem_free(r.begun);
	return ends;
}

enum status schedule_time(const struct schedule_ask *ask, const struct schedule *schedule, double *span)
{
	size_t *next = mem_alloc((size_t)ask->stages * sizeof *next);
	bool ends = schedule_carry_out(ask, schedule, next, span);
	mem_free(next);
	return ends ? ST_OK : fail(ST_BUG, "pipeline: a stage waits forever");
}

/* schedules.c -- slots, work(k), micro(k), chunk(k): the tasks of a rank in the pipeline that `schedule` laid out
 *
 *     schedule 1f1b micro=3 in pp          pp=0:  F0 F1 B0 F2 B1 B2      k = 0 .. slots-1
 *                                          pp=1:  F0 B0 F1 B1 F2 B2
 *
 * A slot is the k-th task of each stage, not a moment: a stage waits in its slot for what it needs. */
#include "shell/language/run/run.h"
#include "base/memory.h"
#include "strategies/schedule.h"

#include <string.h>

void schedule_forget(struct interpreter *in)
{
	if (in->pipeline)
		schedule_release(in->pipeline);
	mem_free(in->pipeline);
	in->pipeline = NULL;
}

enum status interpreter_schedule(struct shell *shell, const struct schedule_ask *ask, int group)
{
	struct interpreter *in = shell->interpreter;
	struct schedule schedule;
	enum status status = schedule_make(ask, &schedule);
	if (status != ST_OK)
		return status;
	schedule_forget(in);
	in->pipeline = mem_alloc(sizeof *in->pipeline);
	*in->pipeline = schedule;
	in->pipeline_group = group;
	fold(in, ask, sizeof *ask);
	fold(in, schedule.task, schedule.count * (size_t)schedule.stages * sizeof *schedule.task);
	return ST_OK;
}

/* Slot k of the rank: its stage is its place in the schedule's group */
static enum status task_of(struct eval *eval, const struct formula *formula, const struct task **task)
{
	const struct schedule *schedule = eval->in->pipeline;
	struct value value;
	int64_t k = 0;
	enum status status = evaluate_number(eval, formula->argument[0].formula, &value);
	if (status == ST_OK)
		status = value_whole(value, formula->argument[0].formula->written, &k);
	if (status != ST_OK)
		return status;
	if (k < 0 || k >= (int64_t)schedule->count)
		return fail(ST_RANGE, "%s(%lld): the slots are 0 to %zu", formula->function->name,
		        (long long)k, schedule->count - 1);
	int stage = eval->shell->world->groups[eval->in->pipeline_group].place_of[eval->rank];
	eval->varies |= schedule->stages > 1;
	if (stage < 0 || stage >= schedule->stages)
		return fail(ST_RANK, "%s: rank %d is no stage of the schedule", formula->function->name,
		        eval->rank);
	*task = &schedule->task[(size_t)stage * schedule->count + (size_t)k];
	return ST_OK;
}

enum status schedule_value(struct eval *eval, const struct formula *formula, struct value *value)
{
	static const char *const works[] = {[WORK_F] = "F", [WORK_B] = "B", [WORK_W] = "W", [WORK_BW] = "BW"};
	const struct task *task = NULL;
	if (!eval->in->pipeline)
		return fail(ST_NAME, "%s: no schedule stands; `schedule 1f1b micro=8 in pp` makes one",
		        formula->function->name);
	if (formula->function->function == FUNCTION_SLOTS) {
		*value = value_number((double)eval->in->pipeline->count, UNIT_PLAIN);
		return ST_OK;
	}
	enum status status = task_of(eval, formula, &task);
	if (status != ST_OK)
		return status;
	if (formula->function->function == FUNCTION_WORK)
		*value = (struct value){.kind = VALUE_TEXT,
		        .name = names_make(
		                eval->shell->world->names, works[task->work], strlen(works[task->work]))};
	else
		*value = value_number(
		        formula->function->function == FUNCTION_MICRO ? task->micro : task->chunk,
		        UNIT_PLAIN);
	return ST_OK;
}

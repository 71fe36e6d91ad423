/* schedules.c -- slots, work(k), micro(k), chunk(k): the tasks of a rank in the pipeline that `schedule`
 * laid out
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

/* Takes the place of the schedule before, unless the new one is refused */
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

/* The whole number of the function's argument, and the rank's stage: its place in the schedule's group */
static enum status place_of(
        struct eval *eval, const struct formula *formula, int64_t most, int64_t *k, int *stage)
{
	const struct schedule *schedule = eval->in->pipeline;
	struct value value;
	enum status status = evaluate_number(eval, formula->argument[0].formula, &value);
	if (status == ST_OK)
		status = value_whole(value, formula->argument[0].formula->written, k);
	if (status != ST_OK)
		return status;
	if (*k < 0 || *k >= most)
		return fail(ST_RANGE, "%s(%lld): from 0 to %lld are there", formula->function->name,
		        (long long)*k, (long long)most - 1);
	*stage = eval->shell->world->groups[eval->in->pipeline_group].place_of[eval->rank];
	if (*stage < 0 || *stage >= schedule->stages)
		return fail(ST_RANK, "%s: rank %d is no stage of the schedule", formula->function->name,
		        eval->rank);
	return ST_OK;
}

static struct value word_of(struct eval *eval, const char *word)
{
	return (struct value){
	        .kind = VALUE_TEXT, .name = names_make(eval->shell->world->names, word, strlen(word))};
}

/* The value hangs on the rank by its stage alone: with one stage it does not vary. What a slot or chunk is
 * called is the same for all stages. */
enum status schedule_value(struct eval *eval, const struct formula *formula, struct value *value)
{
	const struct schedule *schedule = eval->in->pipeline;
	enum function f = formula->function->function;
	bool of_chunk = f == FUNCTION_MEMORIES || f == FUNCTION_TURN || f == FUNCTION_INPUTS;
	struct text text = {0};
	int64_t k = 0;
	int stage = 0;
	if (!schedule)
		return fail(ST_NAME, "%s: no schedule stands; `schedule 1f1b micro=8 in pp` makes one",
		        formula->function->name);
	if (f == FUNCTION_SLOTS) {
		*value = value_number((double)schedule->count, UNIT_PLAIN);
		return ST_OK;
	}
	enum status status =
	        place_of(eval, formula, of_chunk ? schedule->chunks : (int64_t)schedule->count, &k, &stage);
	if (status != ST_OK)
		return status;
	if (f == FUNCTION_DOING || f == FUNCTION_WORKS) {
		(f == FUNCTION_DOING ? schedule_doing : schedule_works)(schedule, (size_t)k, &text);
		*value = word_of(eval, text_string(&text));
		text_release(&text);
		return ST_OK;
	}
	const struct task *task = &schedule->task[(size_t)stage * schedule->count + (size_t)k];
	const struct schedule_memory *memory =
	        &schedule->memory[stage * schedule->chunks + (of_chunk ? (int)k : 0)];
	eval->varies |= schedule->stages > 1;
	*value = f == FUNCTION_WORK ? word_of(eval, schedule_work_name(task->work))
	                            : value_number(f == FUNCTION_MICRO       ? task->micro
	                                              : f == FUNCTION_CHUNK  ? task->chunk
	                                              : f == FUNCTION_INPUTS ? memory->inputs
	                                              : f == FUNCTION_TURN   ? memory->turn
	                                                                     : memory->memories,
	                                      UNIT_PLAIN);
	return ST_OK;
}

/* schedules.c -- slots, work(k), micro(k), chunk(k): a rank's tasks in the pipeline of `schedule`
 *
 *     schedule 1f1b micro=3 in pp          pp=0:  F0 F1 B0 F2 B1 B2      k = 0 .. slots-1
 *                                          pp=1:  F0 B0 F1 B1 F2 B2
 *
 * A slot is the k-th task of each stage, not a time: a stage waits in its slot for its input. */
#include "shell/language/run/functions.h"
#include "shell/language/parse/lex.h"
#include "shell/language/run/run.h"
#include "schedules/schedule.h"

void schedule_forget(struct interpreter *in)
{
	if (in->pipeline)
		schedule_release(in->pipeline);
	mem_free(in->pipeline);
	in->pipeline = NULL;
}

void interpreter_schedule(struct shell *shell, const struct schedule *schedule, int group)
{
	struct interpreter *in = shell->interpreter;
	const int sizes[] = {schedule->stages, schedule->chunks, schedule->micros, schedule->pieces, group};
	schedule_forget(in);
	in->pipeline = mem_alloc(sizeof *in->pipeline);
	*in->pipeline = *schedule;
	in->pipeline_group = group;
	digest_add(in, sizes, sizeof sizes);
	digest_add(in, schedule->task, schedule->count * (size_t)schedule->stages * sizeof *schedule->task);
	digest_add(in, schedule->holder, (size_t)schedule->pieces * sizeof *schedule->holder);
}

const struct schedule *interpreter_schedule_now(const struct shell *shell)
{
	return shell->interpreter->pipeline;
}

/* The function's argument, below `most`, and the rank's place in the schedule's group */
static enum status task_place(struct asked *asked, size_t most, size_t *place, size_t *stage)
{
	const struct eval *eval = asked->eval;
	const char *name = asked->formula->function->name;
	int64_t k = 0;
	enum status status = whole_number(asked, 0, &k);
	if (status != ST_OK)
		return status;
	if (k < 0 || k >= (int64_t)most)
		return fail(ST_RANGE, "%s(%lld): from 0 to %lld are there", name, (long long)k,
		        (long long)most - 1);
	int at = eval->shell->world->groups[eval->shell->interpreter->pipeline_group].place_of[eval->rank];
	if (at < 0 || at >= eval->shell->interpreter->pipeline->stages)
		return fail(ST_RANK, "%s: rank %d is not a stage of the schedule", name, eval->rank);
	*place = k;
	*stage = at;
	return ST_OK;
}

/* doing, works: of a slot; work, micro, chunk: of it on a stage; memories: of a chunk there;
 * piece: its piece of the model; holder, its_chunk of a piece: its stage, and its chunk number
 * there */
enum status value_of_task(struct asked *asked, struct value *value)
{
	const struct shell *shell = asked->eval->shell;
	const struct schedule *schedule = shell->interpreter->pipeline;
	enum function function = asked->formula->function->function;
	bool of_piece = function == FUNCTION_HOLDER || function == FUNCTION_ITS_CHUNK;
	bool of_chunk = function == FUNCTION_MEMORIES || function == FUNCTION_PIECE;
	size_t k = 0, stage = 0;
	if (!schedule)
		return fail(ST_NAME, "%s: no schedule is set; `schedule 1f1b micro=8 in pp` makes one",
		        asked->formula->function->name);
	*value = value_plain(schedule->count);
	if (function == FUNCTION_SLOTS)
		return ST_OK;
	size_t most = of_piece ? (size_t)schedule->pieces
	        : of_chunk     ? (size_t)schedule->chunks
	                       : schedule->count;
	enum status status = task_place(asked, most, &k, &stage);
	if (status != ST_OK)
		return status;
	size_t slot = stage * most + k; /* in the stage's row */
	struct text text = {0};
	asked->eval->varies |=
	        schedule->stages > 1 && !of_piece && function != FUNCTION_DOING && function != FUNCTION_WORKS;
	switch (function) {
	case FUNCTION_HOLDER:
		*value = value_plain(schedule->holder[k]);
		break;
	case FUNCTION_ITS_CHUNK:
		*value = value_plain(schedule->chunk[k]);
		break;
	case FUNCTION_PIECE:
		*value = value_plain(schedule->piece[slot]);
		break;
	case FUNCTION_MEMORIES:
		*value = value_plain(schedule->memories[slot]);
		break;
	case FUNCTION_WORK:
		*value = value_of_text(shell, slice_of_string(schedule_work_name(schedule->task[slot].work)));
		break;
	case FUNCTION_MICRO:
		*value = value_plain(schedule->task[slot].micro);
		break;
	case FUNCTION_CHUNK:
		*value = value_plain(schedule->task[slot].chunk);
		break;
	default:
		(function == FUNCTION_DOING ? schedule_doing : schedule_works)(schedule, k, &text);
		*value = value_of_text(shell, slice_of_string(text_string(&text)));
		text_release(&text);
	}
	return ST_OK;
}

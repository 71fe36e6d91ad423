/* metrics.c -- metrics of the trace so far, for the current rank and a section; functions of a
 * pipeline's schedule
 *
 * Times are in ns on the rank's clock, shares 0 to 1 of the section's time, rates in bytes per
 * second. Fails with ST_INTERRUPTED on Ctrl-C. */
#include "shell/language/run/functions.h"
#include "base/arithmetic.h"
#include "races/races.h"
#include "shell/language/run/run.h"
#include "shell/values/best.h"
#include "shell/language/parse/lex.h"
#include "schedules/schedule.h"

/* exposed(GROUP) is a time, sent(GROUP) bytes; sent(world) is all traffic. */
static enum status figure_of_group(struct asked *asked, struct value *value)
{
	struct axis_use use = {.axis = asked->group};
	bool sent = asked->formula->function->function == FUNCTION_SENT;
	int section = asked->section, rank = asked->eval->rank;
	if (sent && asked->group == 0) {
		*value = value_number(metric_sent_to_others(&asked->trace, section, rank), UNIT_BYTES);
		return ST_OK;
	}
	enum status status = metric_axes(&asked->trace, section, rank, &use, 1);
	double bytes = 0;
	for (int kind = 0; kind < LINK_KINDS; kind++)
		bytes += kind == LINK_IN || kind == LINK_NIC_IN ? 0 : use.sent[kind];
	*value = sent ? value_number(bytes, UNIT_BYTES) : value_number((double)use.exposed_ns, UNIT_TIME);
	return sent && status == ST_WAITS ? ST_OK : status;
}

static enum status figure_share(const struct asked *asked, double *figure)
{
	const struct trace *trace = &asked->trace;
	int section = asked->section, rank = asked->eval->rank, stream = asked->index[0];
	enum function function = asked->formula->function->function;
	double stalls[CAUSE_COUNT] = {0};
	struct roofline roofline = {0};
	enum status status;

	switch (function) {
	case FUNCTION_OVERLAP:
		return metric_overlap(trace, section, rank, stream, asked->index[1], figure);
	case FUNCTION_BUSY:
		return metric_busy(trace, section, rank, stream, figure);
	case FUNCTION_IDLE:
		return metric_idle(trace, section, rank, figure);
	case FUNCTION_BUBBLE:
		return metric_bubble(trace, section, rank, figure);
	case FUNCTION_OVERLAPPED:
		return metric_hidden(trace, section, rank, asked->work, figure);
	case FUNCTION_MFU:
	case FUNCTION_HFU:
		return metric_mfu(trace, section, function == FUNCTION_HFU, figure);
	case FUNCTION_STALL:
		status = metric_stalls(trace, section, rank, stalls);
		*figure = stalls[asked->index[0]];
		return status;
	default: /* flop_share, byte_share */
		status = metric_roofline(trace, section, rank, asked->word, &roofline);
		*figure = function == FUNCTION_FLOP_SHARE ? roofline.flops : roofline.bytes;
		return status;
	}
}

enum status value_of_figure(struct asked *asked, struct value *value)
{
	const struct trace *trace = &asked->trace;
	int section = asked->section, rank = asked->eval->rank, stream = asked->index[0];
	double figure = 0, mean;
	enum unit unit = UNIT_PLAIN;
	enum status status = ST_OK;
	op_id id;
	int64_t ns = 0;

	enum function function = asked->formula->function->function;
	if (asked->group >= 0 && (function == FUNCTION_EXPOSED || function == FUNCTION_SENT))
		return figure_of_group(asked, value);
	switch (function) {
	case FUNCTION_TIME:
		unit = UNIT_TIME;
		status = metric_time(trace, section, rank, &ns);
		break;
	case FUNCTION_HOSTWAIT:
		unit = UNIT_TIME;
		status = metric_host_waits(trace, section, rank, &ns);
		break;
	case FUNCTION_EXPOSED:
		unit = UNIT_TIME;
		status = stream < 0 ? metric_exposed(trace, section, rank, asked->work, &ns)
		                    : metric_exposed_stream(trace, section, rank, stream, &ns);
		break;
	case FUNCTION_SENT:
		unit = UNIT_BYTES;
		if (asked->tensor || stream > 0)
			figure = metric_sent_by(
			        trace, section, rank, asked->tensor ? 0 : stream, asked->tensor);
		else
			status = metric_sent(trace, section, rank, asked->word, &figure);
		break;
	case FUNCTION_COUNT:
		figure = (double)metric_count(trace, section, rank,
		        &(struct counted_ops){.title = asked->word,
		                .stream = stream > 0 ? stream : 0,
		                .tensor = asked->tensor});
		break;
	case FUNCTION_STALE:
		trace_staleness(trace, section, rank, &mean, &figure);
		break;
	case FUNCTION_BUSBW:
		unit = UNIT_BYTE_RATE;
		status = op_find(asked->eval->shell->world, rank, asked->word, &id);
		if (status == ST_OK)
			status = metric_busbw(trace, id, &figure);
		break;
	case FUNCTION_PEAK:
		unit = UNIT_BYTES;
		figure = (double)metric_peak(trace, section, rank, asked->index[0]);
		break;
	default:
		status = figure_share(asked, &figure);
	}
	*value = value_number(unit == UNIT_TIME ? (double)ns : figure, unit);
	return status;
}

/* The time between the ends of the operations that the two events recorded. Fails with ST_WAITS if
 * one has not ended. */
enum status value_of_elapsed(struct asked *asked, struct value *value)
{
	struct shell *shell = asked->eval->shell;
	struct times times[2];
	*value = value_number(0, UNIT_TIME);
	for (int i = 0; i < 2; i++) {
		op_id id = shell->world->events[asked->index[i]].record;
		const struct name *name = asked->formula->argument[i].name;
		if (!id)
			return fail(
			        ST_ARGUMENT, "elapsed: event %.*s was never recorded", WHOLE(name->written));
		times[i] = backend_times(shell->backend, id);
		if (times[i].end == TIME_UNKNOWN)
			return fail(ST_WAITS, "elapsed: event %.*s has not happened", WHOLE(name->written));
	}
	value->number = (double)(times[1].end - times[0].end);
	return ST_OK;
}

/* The host's clock after the rank's lines. Fails with ST_WAITS if no line so far ends a wait of
 * the host. */
enum status value_of_now(struct asked *asked, struct value *value)
{
	const struct shell *shell = asked->eval->shell;
	int rank = asked->eval->rank;
	op_id last = shell->world->last[rank];
	int64_t clock = backend_host(shell->backend, rank).clock;
	if (last) {
		struct times times = backend_times(shell->backend, last);
		bool host = shell->world->ops[last].stream == STREAM_HOST;
		clock = most_of(clock, host ? times.end : times.issue);
	}
	*value = value_number((double)clock, UNIT_TIME);
	return clock != TIME_UNKNOWN
	        ? ST_OK
	        : fail(ST_WAITS, "now: the host of rank %d waits for work that is not queued yet", rank);
}

enum status value_of_best(struct asked *asked, struct value *value)
{
	struct eval *eval = asked->eval;
	struct best *best = eval->shell->course.best;
	struct slice_of_text what = asked->formula->argument[0].formula->written;
	struct number number = {0};
	enum status status = ST_OK;
	if (best && best->keeps) {
		status = evaluate_number(eval, asked->formula->argument[0].formula, value);
		number = (struct number){value->number, (enum unit)value->unit};
		if (status == ST_OK)
			best_keep(best, what.at, what.length, eval->rank, number);
		return status;
	}
	*value = value_plain(0);
	if (!best || !best_find(best, what.at, what.length, eval->rank, &number))
		return fail(ST_ARGUMENT,
		        "best(%.*s): only the check of a lesson's task knows the figures of its solution",
		        SHOWN(what));
	*value = value_number(number.value, number.unit);
	return ST_OK;
}

enum status value_of_races(struct asked *asked, struct value *value)
{
	struct world *world = asked->eval->shell->world;
	const struct races *races = races_now(world);
	int count = 0;
	for (size_t i = 0; i < races->count; i++)
		count += op_record(world, races->race[i].later)->section == asked->section;
	*value = value_plain(count);
	return ST_OK;
}

enum status value_of_stuck(struct asked *asked, struct value *value)
{
	struct text text = {0};
	*value = value_plain(trace_stuck(&asked->trace, 80, false, &text));
	text_release(&text);
	return ST_OK;
}

/* The pipeline of `schedule`
 *
 *     schedule 1f1b micro=3 in pp          pp=0:  F0 F1 B0 F2 B1 B2      k = 0 .. slots-1
 *                                          pp=1:  F0 B0 F1 B1 F2 B2
 *
 * Slot k is the k-th task of each stage. It is not a time: in its slot a stage waits for its
 * input. */

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

/* Sets *place to the function's argument, below `most`, and *stage to the rank's place in the
 * schedule's group. */
static enum status task_place(struct asked *asked, size_t most, size_t *place, size_t *stage)
{
	const struct eval *eval = asked->eval;
	const char *name = asked->formula->function->name;
	int64_t k = 0;
	enum status status = whole_number(asked, 0, &k);
	if (status != ST_OK)
		return status;
	if (k < 0 || k >= (int64_t)most)
		return fail(ST_RANGE, "%s(%lld): a number from 0 to %lld was expected", name, (long long)k,
		        (long long)most - 1);
	int at = eval->shell->world->groups[eval->shell->interpreter->pipeline_group].place_of[eval->rank];
	if (at < 0 || at >= eval->shell->interpreter->pipeline->stages)
		return fail(ST_RANK, "%s: rank %d is not a stage of the schedule", name, eval->rank);
	*place = k;
	*stage = at;
	return ST_OK;
}

/* doing, works: of a slot, on all stages; work, micro, chunk: of a slot on the rank's stage;
 * memories, piece: of a chunk of this stage; holder, its_chunk: the stage that has a piece, and
 * the piece's chunk number there */
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

/* metrics.c -- metrics in expressions: the trace so far, for the current rank and a section
 *
 * ST_INTERRUPTED on Ctrl-C. Times are ns on the rank's clock, shares are of the section's time (0
 * to 1), rates bytes a second. */
#include "shell/language/run/functions.h"
#include "base/arithmetic.h"
#include "races/races.h"
#include "shell/language/run/run.h"
#include "shell/values/best.h"

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

/* Between the ends of the two events' recorded operations. ST_WAITS: they have not happened. */
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

/* The host's clock after the rank's lines. ST_WAITS: the host is in a wait that no line so far
 * ends. */
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
	        : fail(ST_WAITS, "now: the host of rank %d waits for work that lacks a line", rank);
}

/* Its value in the world that a task's solution makes */
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

/* metrics.c -- metrics of expressions: of the trace up to now, for the rank at hand and a section. Each has a
 * row of FUNCTIONS; their meaning is src/trace's. */
#include "shell/language/run/functions.h"
#include "base/arithmetic.h"
#include "races/races.h"
#include "shell/language/run/run.h"
#include "shell/session/best.h"

/* All of them ask the trace, which simulates up to now first: ST_INTERRUPTED when the person wants to stop.
 * Times are ns on the rank's clock, shares are of the section's time (0 to 1), rates bytes a second. */

/* exposed(AXIS), sent(AXIS): an axis of a mesh, or another group */
static enum status ask_axis(struct asked *asked, struct axis_use *use)
{
	*use = (struct axis_use){.axis = asked->group};
	return metric_axes(&asked->trace, asked->section, asked->eval->rank, use, 1);
}

/* time; hostwait; exposed, exposed(SECTION): of all communication; exposed(WORK); exposed(STREAM), exposed(STREAM,SECTION) */
enum status value_of_time(struct asked *asked, struct value *value)
{
	struct axis_use use;
	if (asked->group >= 0) {
		enum status of_axis = ask_axis(asked, &use);
		*value = value_number((double)use.exposed_ns, UNIT_TIME);
		return of_axis;
	}
	int section = asked->section, rank = asked->eval->rank, stream = asked->index[0];
	int64_t ns = 0;
	enum status status = asked->formula->function->function == FUNCTION_TIME
	        ? metric_time(&asked->trace, section, rank, &ns)
	        : asked->formula->function->function == FUNCTION_HOSTWAIT
	        ? metric_host_waits(&asked->trace, section, rank, &ns)
	        : stream < 0 ? metric_exposed(&asked->trace, section, rank, asked->work, &ns)
	                     : metric_exposed_stream(&asked->trace, section, rank, stream, &ns);
	*value = value_number(ns, UNIT_TIME);
	return status;
}

/* overlap, busy, idle, bubble: shares; sent: bytes */
enum status value_of_share(struct asked *asked, struct value *value)
{
	struct axis_use use;
	if (asked->group == 0) { /* sent(world): whatever group it was in */
		*value = value_number(
		        metric_sent_to_others(&asked->trace, asked->section, asked->eval->rank), UNIT_BYTES);
		return ST_OK;
	}
	if (asked->group > 0) {
		double bytes = 0;
		enum status of_axis = ask_axis(asked, &use);
		for (int kind = 0; kind < LINK_KINDS; kind++)
			bytes += kind == LINK_IN || kind == LINK_NIC_IN ? 0 : use.sent[kind];
		*value = value_number(bytes, UNIT_BYTES);
		return of_axis == ST_WAITS ? ST_OK : of_axis;
	}
	enum function function = asked->formula->function->function;
	const struct trace *trace = &asked->trace;
	int section = asked->section, rank = asked->eval->rank, stream = asked->index[0];
	double part = 0;
	if (function == FUNCTION_SENT && (asked->tensor || stream > 0)) {
		part = metric_sent_by(trace, section, rank, asked->tensor ? 0 : stream, asked->tensor);
		*value = value_number(part, UNIT_BYTES);
		return ST_OK;
	}
	enum status status = function == FUNCTION_OVERLAP
	        ? metric_overlap(trace, section, rank, stream, asked->index[1], &part)
	        : function == FUNCTION_BUSY   ? metric_busy(trace, section, rank, stream, &part)
	        : function == FUNCTION_IDLE   ? metric_idle(trace, section, rank, &part)
	        : function == FUNCTION_BUBBLE ? metric_bubble(trace, section, rank, &part)
	                                      : metric_sent(trace, section, rank, asked->word, &part);
	*value = value_number(part, function == FUNCTION_SENT ? UNIT_BYTES : UNIT_PLAIN);
	return status;
}

/* overlapped, overlapped(WORK), overlapped(SECTION), overlapped(WORK,SECTION) */
enum status value_of_overlapped(struct asked *asked, struct value *value)
{
	double part = 0;
	enum status status =
	        metric_hidden(&asked->trace, asked->section, asked->eval->rank, asked->work, &part);
	*value = value_plain(part);
	return status;
}

/* flop_share(KERNEL), byte_share(KERNEL): of the machine's peaks */
enum status value_of_roofline(struct asked *asked, struct value *value)
{
	struct roofline roofline = {0};
	enum status status =
	        metric_roofline(&asked->trace, asked->section, asked->eval->rank, asked->word, &roofline);
	bool flops = asked->formula->function->function == FUNCTION_FLOP_SHARE;
	*value = value_plain(flops ? roofline.flops : roofline.bytes);
	return status;
}

enum status value_of_mfu(struct asked *asked, struct value *value)
{
	bool all = asked->formula->function->function == FUNCTION_HFU;
	double part = 0;
	enum status status = metric_mfu(&asked->trace, asked->section, all, &part);
	*value = value_plain(part);
	return status;
}

enum status value_of_stall(struct asked *asked, struct value *value)
{
	double part[CAUSE_COUNT] = {0};
	enum status status = metric_stalls(&asked->trace, asked->section, asked->eval->rank, part);
	*value = value_plain(part[asked->index[0]]);
	return status;
}

enum status value_of_count(struct asked *asked, struct value *value)
{
	struct counted_ops which = {.title = asked->word,
	        .stream = asked->index[0] > 0 ? asked->index[0] : 0,
	        .tensor = asked->tensor};
	*value = value_plain(metric_count(&asked->trace, asked->section, asked->eval->rank, &which));
	return ST_OK;
}

enum status value_of_stale(struct asked *asked, struct value *value)
{
	double mean, most;
	trace_staleness(&asked->trace, asked->section, asked->eval->rank, &mean, &most);
	*value = value_plain(most);
	return ST_OK;
}

enum status value_of_busbw(struct asked *asked, struct value *value)
{
	op_id id;
	double rate = 0;
	enum status status = op_find(asked->eval->shell->world, asked->eval->rank, asked->word, &id);
	if (status == ST_OK)
		status = metric_busbw(&asked->trace, id, &rate);
	*value = value_number(rate, UNIT_BYTE_RATE);
	return status;
}

/* peak: the most device memory that was allocated while the section's lines ran; peak(KIND): how much of that was of this
 * kind */
enum status value_of_peak(struct asked *asked, struct value *value)
{
	*value = value_number(
	        (double)metric_peak(&asked->trace, asked->section, asked->eval->rank, asked->index[0]),
	        UNIT_BYTES);
	return ST_OK;
}

/* When the operations that `record` queued for the two events were over, on this rank's clock. They may not
 * have happened yet: ST_WAITS. */
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

/* now: the host's clock behind all lines of the rank so far, whatever its device is still at. It takes the host no time.
 * Where the host stands in a wait that no line so far ends, it is not known yet: ST_WAITS. */
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

/* best(EXPR): what it was in the world of a task's solution */
enum status value_of_best(struct asked *asked, struct value *value)
{
	struct eval *eval = asked->eval;
	struct best *best = eval->shell->best;
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

/* Those whose later access belongs to the section, of all ranks */
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

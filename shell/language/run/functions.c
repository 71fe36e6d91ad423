/* functions.c -- the functions and metrics of expressions.
 *
 * Numbers are computed here; data was fetched before (data.c); what a trace or the books know is asked of
 * them, for the rank at hand and the section that is named or runs now. A metric makes the value vary by
 * rank, unless it is one of all ranks together. */
#include "shell/language/run/run.h"
#include "races/races.h"
#include "shell/session/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct trace trace_of(const struct eval *eval)
{
	return (struct trace){
	        .world = eval->shell->world, .backend = eval->shell->backend, .budget = &eval->shell->budget};
}

static enum status evaluate_section(struct eval *eval, struct name *name, int *section)
{
	const struct world *world = eval->shell->world;
	name_id id;
	enum status status = evaluate_name(eval, name, &id);
	if (status != ST_OK)
		return status;
	for (size_t i = world->section_count; i-- > 1;)
		if (world->sections[i].name == id) {
			*section = (int)i;
			return ST_OK;
		}
	return fail(ST_NAME, "no section '%s'. `mark %s` begins one", names_text(world->names, id),
	        names_text(world->names, id));
}

/* The stream, event or group that argument i names */
static enum status named_thing(
        struct eval *eval, const struct formula *formula, int i, enum thing_kind kind, int *index)
{
	name_id id;
	enum status status = evaluate_name(eval, formula->argument[i].name, &id);
	if (status != ST_OK)
		return status;
	struct thing thing = world_find(eval->shell->world, eval->rank, id);
	if (thing.kind != kind)
		return no_such(eval, names_text(eval->shell->world->names, id), kind, kind);
	*index = thing.index;
	return ST_OK;
}

static enum status stream_number(struct eval *eval, const struct formula *formula, int i, int *number)
{
	int index;
	enum status status = named_thing(eval, formula, i, THING_STREAM, &index);
	if (status == ST_OK)
		*number = eval->shell->world->streams[index].number;
	return status;
}

/* A word of the idle causes that `timeline` shows */
static enum status cause_named(struct eval *eval, const struct formula *formula, enum cause *cause)
{
	static const char *const names[] = {
#define X(symbol, letter, name) name,
		CAUSES(X)
#undef X
	};
	name_id id;
	enum status status = evaluate_name(eval, formula->argument[0].name, &id);
	const char *text = status == ST_OK ? names_text(eval->shell->world->names, id) : "";
	for (int i = 0; i < CAUSE_COUNT && status == ST_OK; i++)
		if (strcmp(names[i], text) == 0) {
			*cause = (enum cause)i;
			return ST_OK;
		}
	return status != ST_OK
	        ? status
	        : fail(ST_NAME, "stall(%s): causes are launch host sync memory event peer bubble engine",
	                  text);
}

/* When the operation that `record` queued was over, on this rank's clock. It may not have happened yet:
 * ST_WAITS. */
static enum status event_end(struct eval *eval, const struct formula *formula, int i, int64_t *end)
{
	int index;
	struct times times;
	enum status status = named_thing(eval, formula, i, THING_EVENT, &index);
	if (status != ST_OK)
		return status;
	op_id id = eval->shell->world->events[index].record;
	const struct name *name = formula->argument[i].name;
	if (!id)
		return fail(ST_ARGUMENT, "elapsed: event %.*s was never recorded", WHOLE(name->written));
	eval->shell->backend->times(eval->shell->backend, id, &times);
	if (times.end == TIME_UNKNOWN)
		return fail(ST_WAITS, "elapsed: event %.*s has not happened", WHOLE(name->written));
	*end = times.end;
	return ST_OK;
}

static enum status elapsed(struct eval *eval, const struct formula *formula, struct value *value)
{
	int64_t from = 0, to = 0;
	enum status status = event_end(eval, formula, 0, &from);
	if (status == ST_OK)
		status = event_end(eval, formula, 1, &to);
	*value = value_number((double)(to - from), UNIT_TIME);
	return status;
}

static enum status operation_named(struct eval *eval, const struct formula *formula, const char **text)
{
	name_id id;
	enum status status = evaluate_name(eval, formula->argument[0].name, &id);
	*text = status == ST_OK ? names_text(eval->shell->world->names, id) : "";
	return status;
}

static enum status busbw(struct eval *eval, const struct formula *formula, struct value *value)
{
	struct trace trace = trace_of(eval);
	const char *text;
	op_id id;
	double rate = 0;
	enum status status = operation_named(eval, formula, &text);
	if (status == ST_OK)
		status = op_find(eval->shell->world, eval->rank, text, &id);
	if (status == ST_OK)
		status = metric_busbw(&trace, id, &rate);
	*value = value_number(rate, UNIT_BYTE_RATE);
	return status;
}

static enum status sent(struct eval *eval, const struct formula *formula, int section, struct value *value)
{
	struct trace trace = trace_of(eval);
	const char *link = NULL;
	double bytes = 0;
	enum status status = formula->arguments ? operation_named(eval, formula, &link) : ST_OK;
	if (status == ST_OK)
		status = metric_sent(&trace, section, eval->rank, link, &bytes);
	*value = value_number(bytes, UNIT_BYTES);
	return status;
}

/* Races whose later access belongs to the section, of all ranks: it does not vary */
static enum status races(struct eval *eval, int section, struct value *value)
{
	struct world *world = eval->shell->world;
	const struct races *races = races_now(world);
	int count = 0;
	for (size_t i = 0; i < races->count; i++)
		count += op_record(world, races->race[i].later)->section == section;
	*value = value_number(count, UNIT_PLAIN);
	return ST_OK;
}

static enum status is_stuck(struct eval *eval, struct value *value)
{
	struct trace trace = trace_of(eval);
	struct text text = {0};
	struct ranks waiting;
	bool stuck = false;
	trace_stuck(&trace, 80, false, &text, &stuck, &waiting);
	text_release(&text);
	*value = value_number(stuck, UNIT_PLAIN);
	return ST_OK;
}

static enum status share_of_streams(
        struct eval *eval, const struct formula *formula, int section, struct value *value)
{
	struct trace trace = trace_of(eval);
	int a, b;
	double part = 0;
	enum status status = stream_number(eval, formula, 0, &a);
	if (status == ST_OK && formula->function->function == FUNCTION_BUSY) {
		status = metric_busy(&trace, section, eval->rank, a, &part);
	} else if (status == ST_OK) {
		status = stream_number(eval, formula, 1, &b);
		if (status == ST_OK)
			status = metric_overlap(&trace, section, eval->rank, a, b, &part);
	}
	*value = value_number(part, UNIT_PLAIN);
	return status;
}

/* exposed, exposed(SECTION): of all communication; exposed(STREAM), exposed(STREAM,SECTION). One name that
 * both have is the stream's. */
static enum status exposed(struct eval *eval, const struct formula *formula, int section, struct value *value)
{
	struct trace trace = trace_of(eval);
	name_id id = 0;
	int stream = 0;
	int64_t ns = 0;
	enum status status = formula->arguments ? evaluate_name(eval, formula->argument[0].name, &id) : ST_OK;
	bool of_stream = formula->arguments == 2 ||
	        (id && world_find(eval->shell->world, eval->rank, id).kind == THING_STREAM);
	if (status == ST_OK && of_stream)
		status = stream_number(eval, formula, 0, &stream);
	else if (status == ST_OK && id &&
	        evaluate_section(eval, formula->argument[0].name, &section) != ST_OK)
		status = fail(ST_NAME, "exposed(%s): no stream and no section of that name",
		        names_text(eval->shell->world->names, id));
	if (status == ST_OK)
		status = of_stream ? metric_exposed_stream(&trace, section, eval->rank, stream, &ns)
		                   : metric_exposed(&trace, section, eval->rank, &ns);
	*value = value_number((double)ns, UNIT_TIME);
	return status;
}

static enum status stall(struct eval *eval, const struct formula *formula, int section, struct value *value)
{
	struct trace trace = trace_of(eval);
	enum cause cause = CAUSE_DONE;
	double part[CAUSE_COUNT] = {0};
	enum status status = cause_named(eval, formula, &cause);
	if (status == ST_OK)
		status = metric_stalls(&trace, section, eval->rank, part);
	*value = value_number(part[cause], UNIT_PLAIN);
	return status;
}

static enum status metric(struct eval *eval, const struct formula *formula, int section, struct value *value)
{
	struct trace trace = trace_of(eval);
	int64_t ns = 0;
	double part = 0;
	const char *text;
	enum status status = ST_OK;

	switch (formula->function->function) {
	case FUNCTION_TIME:
		status = metric_time(&trace, section, eval->rank, &ns);
		*value = value_number((double)ns, UNIT_TIME);
		return status;
	case FUNCTION_EXPOSED:
		return exposed(eval, formula, section, value);
	case FUNCTION_BUBBLE:
		status = metric_bubble(&trace, section, eval->rank, &part);
		*value = value_number(part, UNIT_PLAIN);
		return status;
	case FUNCTION_COUNT:
		status = operation_named(eval, formula, &text);
		if (status == ST_OK)
			*value = value_number(
			        (double)metric_count(&trace, section, eval->rank, text), UNIT_PLAIN);
		return status;
	case FUNCTION_PEAK:
		*value = value_number(
		        (double)world_heap(eval->shell->world, eval->rank, SPACE_DEVICE)->peak_allocated,
		        UNIT_BYTES);
		return ST_OK;
	case FUNCTION_OVERLAP:
	case FUNCTION_BUSY:
		return share_of_streams(eval, formula, section, value);
	case FUNCTION_STALL:
		return stall(eval, formula, section, value);
	case FUNCTION_SENT:
		return sent(eval, formula, section, value);
	case FUNCTION_ELAPSED:
		return elapsed(eval, formula, value);
	default:
		return busbw(eval, formula, value);
	}
}

/* Groups may be of unequal size: the rank's own is meant. The world's is the same for all. */
static enum status group_size(struct eval *eval, const struct formula *formula, struct value *value)
{
	int index;
	enum status status = named_thing(eval, formula, 0, THING_GROUP, &index);
	if (status != ST_OK)
		return status;
	const struct group *group = &eval->shell->world->groups[index];
	eval->varies |= index != 0;
	*value = value_number(group_part(group, eval->rank)->n, UNIT_PLAIN);
	return ST_OK;
}

static enum status tensor_bytes(struct eval *eval, const struct formula *formula, struct value *value)
{
	struct view view;
	eval->varies = true;
	enum status status = evaluate_view(eval, formula->argument[0].tensor, NULL, false, &view);
	if (status == ST_OK)
		*value = value_number((double)layout_bytes(&view.layout), UNIT_BYTES);
	return status;
}

/* Units must agree as in a comparison; of equal values the first is taken, with its unit */
static enum status least_or_most(struct eval *eval, const struct formula *formula, struct value *value)
{
	bool least = formula->function->function == FUNCTION_MIN;
	enum status status = evaluate_number(eval, formula->argument[0].formula, value);
	for (int i = 1; i < formula->arguments && status == ST_OK; i++) {
		struct value other, smaller;
		status = evaluate_number(eval, formula->argument[i].formula, &other);
		if (status == ST_OK)
			status = value_binary(FORMULA_LESS, other, *value, formula, &smaller);
		if (status == ST_OK && (smaller.number != 0) == least && other.number != value->number)
			*value = other;
	}
	return status;
}

/* divisor(n,most): the largest number up to `most` that divides n */
static enum status divisor(struct eval *eval, const struct formula *formula, struct value *value)
{
	struct value most;
	int64_t n, d;
	enum status status = evaluate_number(eval, formula->argument[0].formula, value);
	if (status == ST_OK)
		status = value_whole(*value, formula->argument[0].formula->written, &n);
	if (status == ST_OK)
		status = evaluate_number(eval, formula->argument[1].formula, &most);
	if (status == ST_OK)
		status = value_whole(most, formula->argument[1].formula->written, &d);
	if (status != ST_OK)
		return status;
	if (n < 1 || d < 1)
		return fail(ST_RANGE, "divisor(%lld,%lld): numbers above 0 were expected", (long long)n,
		        (long long)d);
	for (d = d < n ? d : n; n % d; d--)
		;
	value->number = (double)d;
	return ST_OK;
}

/* abs, ceil, round, short keep the unit; a root or a logarithm of a unit has none */
static enum status rounded(struct eval *eval, const struct formula *formula, struct value *value)
{
	char digits[32];
	enum status status = evaluate_number(eval, formula->argument[0].formula, value);
	if (status != ST_OK)
		return status;
	double x = value->number;
	switch (formula->function->function) {
	case FUNCTION_ABS:
		value->number = fabs(x);
		return ST_OK;
	case FUNCTION_CEIL:
		value->number = ceil(x);
		return ST_OK;
	case FUNCTION_ROUND:
		value->number = round(x);
		return ST_OK;
	case FUNCTION_SHORT: /* six digits, as a saved program shows it */
		snprintf(digits, sizeof digits, "%.6g", x);
		value->number = strtod(digits, NULL);
		return ST_OK;
	default:
		break;
	}
	bool root = formula->function->function == FUNCTION_SQRT;
	if (root ? x < 0 : !(x > 0))
		return fail(ST_RANGE, "%s(%g): a number %s was expected", formula->function->name, x,
		        root ? "not below 0" : "above 0");
	*value = value_number(root ? sqrt(x) : log2(x), UNIT_PLAIN);
	return ST_OK;
}

/* close() allows for what the type rounds away, unless the line gives its own bound. What was fetched is
 * the largest difference by the largest element. */
static enum status is_close(struct eval *eval, const struct formula *formula, struct value *value)
{
	struct value tolerance = {0};
	struct view view;
	double difference = eval->data[formula->place * eval->data_stride + eval->data_index];
	enum status status = ST_OK;
	if (formula->arguments == 3) {
		status = evaluate_number(eval, formula->argument[2].formula, &tolerance);
	} else {
		status = evaluate_view(eval, formula->argument[0].tensor, NULL, false, &view);
		if (status == ST_OK)
			tolerance.number = view.layout.dtype == DT_F32 ? 1e-4
			        : view.layout.dtype == DT_I32          ? 0
			                                               : 2e-2;
	}
	*value = value_number(difference <= tolerance.number, UNIT_PLAIN);
	return status;
}

/* --dry has no data: an `expect` on close() alone is taken to hold there (eval.assume) */
static enum status data_function(struct eval *eval, const struct formula *formula, struct value *value)
{
	eval->varies = true;
	if (!eval->data && eval->assume) {
		*value = value_number(1, UNIT_PLAIN);
		return ST_OK;
	}
	if (!eval->data)
		return fail(ST_ARGUMENT,
		        eval->shell->dry ? "%s(): --dry keeps no data"
		                         : "%s(): data cannot be read here; let a = ... first",
		        formula->function->name);
	if (formula->function->function == FUNCTION_CLOSE)
		return is_close(eval, formula, value);
	*value = value_number(eval->data[formula->place * eval->data_stride + eval->data_index], UNIT_PLAIN);
	return ST_OK;
}

/* The last argument of most metrics may be a section; without it the one that runs now is meant */
enum status evaluate_function(struct eval *eval, const struct formula *formula, struct value *value)
{
	const struct function_row *row = formula->function;
	int section = eval->in->section;

	enum function f = row->function;
	if (f <= FUNCTION_MAX)
		return least_or_most(eval, formula, value);
	if (f <= FUNCTION_LOG2)
		return rounded(eval, formula, value);
	if (f == FUNCTION_DIVISOR)
		return divisor(eval, formula, value);
	if (f == FUNCTION_GPUS) {
		*value = value_number(eval->shell->machine.gpus, UNIT_PLAIN);
		return ST_OK;
	}
	if (f <= FUNCTION_SUM)
		return data_function(eval, formula, value);
	if (f == FUNCTION_BYTES)
		return tensor_bytes(eval, formula, value);
	if (f == FUNCTION_SIZE)
		return group_size(eval, formula, value);
	if (f <= FUNCTION_SLOTS)
		return schedule_value(eval, formula, value);
	size_t kinds = strlen(row->kinds);
	if (kinds && row->kinds[kinds - 1] == 'k' && formula->arguments == kinds) {
		enum status status = evaluate_section(eval, formula->argument[kinds - 1].name, &section);
		if (status != ST_OK)
			return status;
	}
	if (row->function == FUNCTION_STUCK)
		return is_stuck(eval, value);
	if (row->function == FUNCTION_RACES)
		return races(eval, section, value);
	eval->varies |= row->function != FUNCTION_BUBBLE; /* of all ranks together */
	return metric(eval, formula, section, value);
}

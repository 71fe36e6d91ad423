/* functions.c -- functions of numbers, tensors and groups; looks up the names among arguments
 *
 * Data has been fetched before (reads.c). A function whose value depends on the rank sets
 * eval.varies; evaluate_function does so for data and metrics of a rank. */
#include "shell/language/run/functions.h"
#include "shell/language/run/run.h"
#include "shell/values/step.h"
#include "world/tensor_kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Sets argument i to a stream, event or group. Returns false if the thing has another kind. */
static bool asked_thing(struct asked *asked, int i, struct thing thing, enum thing_kind kind)
{
	if (thing.kind != kind)
		return false;
	asked->index[i] =
	        kind == THING_STREAM ? asked->eval->shell->world->streams[thing.index].number : thing.index;
	return true;
}

static bool asked_section(struct asked *asked, int i)
{
	const struct formula *formula = asked->formula;
	return i + 1 == formula->arguments &&
	        evaluate_section(asked->eval, formula->argument[i].name, &asked->section) == ST_OK;
}

static bool asked_work(struct asked *asked, int i, const char *text)
{
#define X(symbol, word) word " "
	static const char words[] = HIDEABLES(X);
#undef X
	int work = text_place(words, text, strlen(text));
	if (asked_section(asked, i))
		return true;
	asked->work = work < 0 ? asked->work : (enum hideable)work;
	return work >= 0;
}

/* Looks argument i up by its letter in `kinds`. A stream, group or tensor hides a section of the
 * same name. */
static enum status argument_look_up(struct asked *asked, int i)
{
#define X(symbol, letter, name) name " "
	static const char causes[] = CAUSES(X);
#undef X
	const struct world *world = asked->eval->shell->world;
	struct name *name = asked->formula->argument[i].name;
	char kind = asked->formula->function->kinds[i];
	bool last = i + 1 == asked->formula->arguments;
	name_id id;
	if (kind == 'k')
		return evaluate_section(asked->eval, name, &asked->section);
	enum status status = evaluate_name(asked->eval, name, &id);
	if (status != ST_OK)
		return status;
	const char *text = names_text(world->names, id);
	struct thing thing = world_find(world, asked->eval->rank, id);
	if (strchr("lxy", kind)) {
		asked->group = thing.kind == THING_GROUP ? thing.index : asked->group;
		asked->tensor = thing.kind == THING_TENSOR ? id : asked->tensor;
		asked_thing(asked, 0, thing, THING_STREAM);
	}
	switch (kind) {
	case 's':
	case 'e':
	case 'g':
		kind = kind == 's' ? THING_STREAM : kind == 'e' ? THING_EVENT : THING_GROUP;
		return asked_thing(asked, i, thing, kind) ? ST_OK : no_such(asked->eval, id, kind, kind);
	case 'w':
		if (asked_work(asked, i, text))
			return ST_OK;
		return fail(ST_NAME,
		        "overlapped(%s): no section of that name, nor communication, collectives, transfers, "
		        "copies",
		        text);
	case 'x':
		if (thing.kind == THING_GROUP || thing.kind == THING_STREAM || asked_work(asked, i, text))
			return ST_OK;
		return fail(ST_NAME,
		        "exposed(%s): no stream, group%s of that name, nor communication, collectives, "
		        "transfers, copies",
		        text, last ? " or section" : "");
	case 'y':
		if (asked->index[0] > 0 || asked->tensor || asked_section(asked, i))
			return ST_OK;
		return fail(ST_NAME, "count(%s,%s): no stream%s of that name on rank %d", asked->word, text,
		        last ? ", tensor or section" : " or tensor", asked->eval->rank);
	case 'c':
		asked->index[i] = text_place(causes, text, strlen(text));
		if (asked->index[i] >= 0)
			return ST_OK;
		return fail(ST_NAME,
		        "stall(%s): causes are launch host sync memory event data peer bubble engine", text);
	case 'm':
		asked->index[i] = text_place(TENSOR_KIND_WORDS, text, strlen(text));
		if (asked->index[i] >= 0 || asked_section(asked, i))
			return ST_OK;
		return fail(ST_NAME, "peak(%s): kinds are %s", text, TENSOR_KIND_WORDS);
	default:
		asked->word = text;
		return ST_OK;
	}
}

/* In a replay a time has its recorded value, even if its event has not happened. */
static enum status clock_replay(
        struct eval *eval, const struct formula *formula, enum status status, struct value *value)
{
	struct steering *steering = &eval->shell->steering;
	struct slice_of_text what = formula->written;
	struct ranks one;
	if (status == ST_WAITS && steering_knows(steering, what.at, what.length))
		status = ST_OK;
	if (status != ST_OK || steering->looks || eval->shell->replay.recalls)
		return status;
	ranks_one(&one, eval->rank);
	steering_read(steering, what.at, what.length, &one, &value->number, 1);
	return ST_OK;
}

enum status evaluate_function(struct eval *eval, const struct formula *formula, struct value *value)
{
	typedef enum status computes(struct asked * asked, struct value * value);
	static computes *const compute_of[] = {
#define X(symbol, compute, name, least, kinds, nature) value_of_##compute,
		FUNCTIONS(X)
#undef X
	};
	const struct function_row *row = formula->function;
	struct shell *shell = eval->shell;
	struct asked asked = {.eval = eval,
	        .formula = formula,
	        .trace = {.world = shell->world, .backend = shell->backend, .budget = &shell->budget},
	        .section = eval->shell->interpreter->section,
	        .index = {-1, -1},
	        .group = -1};
	int last = formula->arguments - 1;
	enum status status = function_is_metric(row) ? shell_foresee(shell) : ST_OK;
	eval->varies |=
	        row->nature == NATURE_DATA || row->nature == NATURE_RANK || row->nature == NATURE_CLOCK;
	/* the section first */
	bool section = last > 0 && last + 1 == (int)strlen(row->kinds) && row->kinds[last] == 'k';
	if (section && status == ST_OK)
		status = argument_look_up(&asked, last);
	for (int i = 0; i <= last - section && status == ST_OK && !strchr("nt", row->kinds[i]); i++)
		status = argument_look_up(&asked, i);
	if (status == ST_OK)
		status = compute_of[row->function](&asked, value);
	return row->nature >= NATURE_CLOCK ? clock_replay(eval, formula, status, value) : status;
}

static enum status argument_number(struct asked *asked, int i, struct value *value)
{
	return evaluate_number(asked->eval, asked->formula->argument[i].formula, value);
}

enum status whole_number(struct asked *asked, int i, int64_t *whole)
{
	struct value value;
	enum status status = argument_number(asked, i, &value);
	return status == ST_OK ? value_whole(value, asked->formula->argument[i].formula->written, whole)
	                       : status;
}

/* Units must agree as in a comparison. Of equal values the first counts, with its unit. */
enum status value_of_least_or_most(struct asked *asked, struct value *value)
{
	bool least = asked->formula->function->function == FUNCTION_MIN;
	const struct function_argument *argument = asked->formula->argument;
	enum status status = argument_number(asked, 0, value);
	for (int i = 1, taken = 0; i < asked->formula->arguments && status == ST_OK; i++) {
		struct value other, smaller;
		status = argument_number(asked, i, &other);
		if (status == ST_OK)
			status =
			        value_comparable(*value, argument[taken].formula, other, argument[i].formula);
		if (status == ST_OK)
			status = value_binary(FORMULA_LESS, other, *value, asked->formula, &smaller);
		if (status == ST_OK && (smaller.number != 0) == least && other.number != value->number) {
			*value = other;
			taken = i;
		}
	}
	return status;
}

enum status value_of_divisor(struct asked *asked, struct value *value)
{
	int64_t n, d;
	enum status status = argument_number(asked, 0, value);
	if (status == ST_OK)
		status = whole_number(asked, 0, &n);
	if (status == ST_OK)
		status = whole_number(asked, 1, &d);
	if (status != ST_OK)
		return status;
	if (n < 1 || d < 1)
		return fail(ST_RANGE, "divisor(%lld,%lld): numbers above 0 were expected", (long long)n,
		        (long long)d);
	for (d = d < n ? d : n; n % d; d--)
		;
	value->number = d;
	return ST_OK;
}

/* abs, ceil, round and short keep the unit; sqrt and log2 drop it. */
enum status value_of_rounded(struct asked *asked, struct value *value)
{
	enum function function = asked->formula->function->function;
	char digits[32];
	enum status status = argument_number(asked, 0, value);
	double x = value->number;
	snprintf(digits, sizeof digits, "%.6g", x);
	if (function == FUNCTION_SQRT || function == FUNCTION_LOG2) {
		bool root = function == FUNCTION_SQRT;
		if (status == ST_OK && (root ? x < 0 : !(x > 0)))
			status = fail(ST_RANGE, "%s(%g): a number %s was expected",
			        asked->formula->function->name, x, root ? "of 0 or more" : "above 0");
		*value = value_plain(root ? sqrt(x) : log2(x));
		return status;
	}
	value->number = function == FUNCTION_ABS ? fabs(x)
	        : function == FUNCTION_CEIL      ? ceil(x)
	        : function == FUNCTION_ROUND     ? round(x)
	                                         : strtod(digits, NULL);
	return status;
}

enum status value_of_gpus(struct asked *asked, struct value *value)
{
	*value = value_plain(asked->eval->shell->lasting.machine.gpus);
	return ST_OK;
}

enum status value_of_size(struct asked *asked, struct value *value)
{
	const struct group *group = &asked->eval->shell->world->groups[asked->index[0]];
	asked->eval->varies |= asked->index[0] != 0;
	*value = value_plain(group_part(group, asked->eval->rank)->n);
	return ST_OK;
}

enum status value_of_bytes(struct asked *asked, struct value *value)
{
	struct view view;
	asked->eval->varies = true;
	enum status status =
	        evaluate_view(asked->eval, asked->formula->argument[0].tensor, NULL, false, &view);
	if (status == ST_OK)
		*value = value_number(layout_bytes(&view.layout), UNIT_BYTES);
	return status;
}

/* eval.assume: with --dry, an `expect` on close() alone holds */
enum status value_of_read(struct asked *asked, struct value *value)
{
	struct eval *eval = asked->eval;
	*value = value_plain(eval->data ? eval_read(eval, asked->formula) : 1);
	if (eval->data || eval->assume)
		return ST_OK;
	if (eval->shell->dry)
		return fail(ST_ARGUMENT, "%s(): --dry keeps no data", asked->formula->function->name);
	return fail(ST_ARGUMENT, "%s(): data cannot be read here; let a = %.*s first",
	        asked->formula->function->name, SHOWN(asked->formula->written));
}

/* known(x[0],4) is 4 if there is no data: with --dry, or on a walk ahead. */
enum status value_of_known(struct asked *asked, struct value *value)
{
	const struct shell *shell = asked->eval->shell;
	return argument_number(asked, shell_keeps_no_data(shell) || shell->interpreter->guesses, value);
}

enum status close_tolerance(struct eval *eval, const struct formula *formula, double *tolerance)
{
	const struct function_row *row = formula->function;
	int tensors = (int)strspn(row->kinds, "t");
	struct value given = {0};
	struct view view;
	if (formula->arguments > tensors) {
		enum status status = evaluate_number(eval, formula->argument[tensors].formula, &given);
		*tolerance = given.number;
		return status;
	}
	int of = eval->shell->course.best ? tensors - 1 : 0;
	enum status status = evaluate_view(eval, formula->argument[of].tensor, NULL, false, &view);
	if (status != ST_OK)
		return status;
	/* the type is the first tensor's; in a task's check it is the last one's, the reference's,
	 * so that a learner's bf16 is not compared as bf16 with an f32 reference */
	enum dtype dtype = (enum dtype)view.layout.dtype;
	if (row->function == FUNCTION_CLOSE_STEP)
		*tolerance = step_limit(dtype == DT_F16 || dtype == DT_BF16, eval->shell->backend->measures);
	else
		*tolerance = dtype == DT_F32 ? 1e-4 : dtype == DT_I32 ? 0 : 2e-2;
	return ST_OK;
}

/* The fetched value is the error relative to the largest element, or to the change. */
enum status value_of_close(struct asked *asked, struct value *value)
{
	double tolerance = 0;
	enum status status = value_of_read(asked, value);
	if (status != ST_OK || !asked->eval->data)
		return status;
	status = close_tolerance(asked->eval, asked->formula, &tolerance);
	*value = value_plain(value->number <= tolerance);
	return status;
}

/* strategies.c -- the list of strategies, their options, and what all of them check */
#include "strategies/shared.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* In the order of `help strategy` */
#define STRATEGIES(X)   \
	X(serial)       \
	X(dataparallel) \
	X(ddp)          \
	X(zero)         \
	X(fsdp)         \
	X(tp)           \
	X(pipeline)

#define X(name) extern const struct strategy strategy_##name;
STRATEGIES(X)
#undef X

static const struct strategy *const list[] = {
#define X(name) &strategy_##name,
        STRATEGIES(X)
#undef X
};
enum { COUNT = sizeof list / sizeof *list };

const struct strategy *strategy_at(int i)
{
	return i >= 0 && i < COUNT ? list[i] : NULL;
}

const struct strategy *strategy_find(const char *name)
{
	for (int i = 0; i < COUNT; i++)
		if (strcmp(list[i]->name, name) == 0)
			return list[i];
	return NULL;
}

/* ---- options ---- */

static const struct strategy_value *value_of(const struct strategy_call *call, const char *name)
{
	static const struct strategy_value none = {.word = ""};
	for (int i = 0; i < STRATEGY_OPTIONS_MAX && call->strategy->option[i].name; i++)
		if (strcmp(call->strategy->option[i].name, name) == 0)
			return &call->option[i];
	return &none;
}

double option_number(const struct strategy_call *call, const char *name)
{
	return value_of(call, name)->number;
}

bool option_is(const struct strategy_call *call, const char *name, const char *word)
{
	const struct strategy_value *value = value_of(call, name);
	return strcmp(value->word, word) == 0;
}

enum status parts_add(struct parts *parts, const struct portion *part)
{
	MEM_GROW(&parts->part, parts->count, &parts->room);
	parts->part[parts->count++] = *part;
	return ST_OK;
}

/* ---- generating ---- */

enum status wants_divisor(const char *what, int64_t value, const char *by, int64_t divisor)
{
	if (divisor > 0 && value % divisor == 0)
		return ST_OK;
	int64_t below = value / divisor * divisor, above = below + divisor;
	if (below == 0)
		return fail(ST_RANGE, "%s=%lld does not divide by %s=%lld; the nearest that does is %lld",
		        what, (long long)value, by, (long long)divisor, (long long)above);
	return fail(ST_RANGE, "%s=%lld does not divide by %s=%lld; the nearest that do are %lld and %lld",
	        what, (long long)value, by, (long long)divisor, (long long)below, (long long)above);
}

static enum status data_fits(const struct strategy_call *call)
{
	bool gpt = call->model.kind == MODEL_GPT;
	if (gpt && call->data.kind == DATA_NPY)
		return fail(ST_ARGUMENT,
		        "a gpt reads tokens: `data text FILE` or `data synthetic`, or `model mlp` for rows "
		        "of numbers");
	if (!gpt && call->data.kind == DATA_TEXT)
		return fail(ST_ARGUMENT,
		        "an mlp reads rows of numbers: `data SAMPLES.npy TARGETS.npy` or `data synthetic`, "
		        "or `model gpt` for a text");
	return ST_OK;
}

static enum status enough_data(const struct strategy_call *call)
{
	const struct model *model = &call->model;
	bool gpt = model->kind == MODEL_GPT;
	int64_t wanted = gpt ? model->batch * model->seq + 1 : model->batch;
	if (call->data.count >= wanted)
		return ST_OK;
	if (gpt && call->data.count > model->seq)
		return fail(ST_RANGE,
		        "a batch takes %lld sequences of %lld tokens and one more, %lld in all; the data has "
		        "%lld: batch=%lld fits",
		        (long long)model->batch, (long long)model->seq, (long long)wanted,
		        (long long)call->data.count, (long long)((call->data.count - 1) / model->seq));
	if (gpt && call->data.count < 2)
		return fail(ST_RANGE,
		        "a sequence takes %lld tokens and one more; the data has %lld: no seq fits, a longer "
		        "text is wanted",
		        (long long)model->seq, (long long)call->data.count);
	if (gpt)
		return fail(ST_RANGE,
		        "a sequence takes %lld tokens and one more; the data has %lld: seq=%lld fits",
		        (long long)model->seq, (long long)call->data.count,
		        (long long)(call->data.count - 1));
	return fail(ST_RANGE, "a batch takes %lld rows; the data has %lld: batch=%lld fits",
	        (long long)wanted, (long long)call->data.count, (long long)call->data.count);
}

/* Plain numbers count something, but for those whose default is a part of something: "1%" "0.5" "1.0" */
static enum status option_fits(const struct strategy_option *row, double value)
{
	enum { MOST = 1000000000 };
	if (row->words || row->unit != UNIT_PLAIN || strchr(row->value, '.'))
		return ST_OK;
	if (strchr(row->value, '%'))
		return value > 0 && value <= 1
		        ? ST_OK
		        : fail(ST_RANGE, "%s=%g: a share above 0 and at most 1 is wanted", row->name, value);
	if (value > MOST)
		return fail(ST_RANGE, "%s: at most %d", row->name, MOST);
	return value == floor(value) ? ST_OK
	                             : fail(ST_RANGE, "%s=%g: a whole number is wanted", row->name, value);
}

static enum status options_fit(const struct strategy_call *call)
{
	enum status status = ST_OK;
	for (int i = 0; i < STRATEGY_OPTIONS_MAX && call->strategy->option[i].name && status == ST_OK; i++)
		status = option_fits(&call->strategy->option[i], call->option[i].number);
	return status;
}

/* A program has some twenty lines for each layer of each micro-batch */
static enum status program_fits(const struct strategy_call *call)
{
	enum { MOST = 300000 };
	double times = option_number(call, "accumulate"), micro = option_number(call, "micro"),
	       layers = call->model.layers;
	if (option_number(call, "F") > 0 || layers * times * (micro > 1 ? micro : 1) <= MOST)
		return ST_OK;
	if (micro > 1 && layers * times <= MOST)
		return fail(ST_RANGE,
		        "micro=%.0f with layers=%.0f, accumulate=%.0f: a program of more than %d times a "
		        "layer; micro=%.0f fits",
		        micro, layers, times, MOST, floor(MOST / layers / times));
	return fail(ST_RANGE,
	        "accumulate=%.0f with layers=%.0f: a program of more than %d times a layer; accumulate=%.0f "
	        "fits",
	        times, layers, MOST,
	        floor(MOST / layers / (micro > 1 && micro * layers <= MOST ? micro : 1)));
}

enum status strategy_generate(const struct strategy_call *call, struct text *out)
{
	enum status status = options_fit(call);
	if (status == ST_OK)
		status = data_fits(call);
	if (status == ST_OK)
		status = enough_data(call);
	if (status == ST_OK)
		status = program_fits(call);
	if (status == ST_OK)
		status = call->strategy->generate(call, out);
	return status;
}

enum status strategy_parts(const struct strategy_call *call, struct parts *parts)
{
	enum status status = ST_OK;
	if (call->strategy->parts)
		return call->strategy->parts(call, parts);
	for (int rank = 0; rank < call->ranks && status == ST_OK; rank++)
		status = parts_whole(call, rank, parts);
	return status;
}

/* shared.c -- steps that most strategies have in common */
#include "strategies/shared.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void step_begin(struct text *out, const char *why, const char *title, ...)
{
	va_list arguments;
	text_put(out, "## ", 3);
	va_start(arguments, title);
	text_vadd(out, title, arguments);
	va_end(arguments);
	text_put(out, "\n# ", 3);
	for (const char *c = why; *c; c++)
		text_put(out, *c == '\n' ? "\n# " : c, *c == '\n' ? 3 : 1);
	text_put(out, "\n", 1);
}

enum status shares_make(const struct strategy_call *call, int ranks, int micro, struct shares *shares)
{
	int64_t batch = call->model.batch, parts = (int64_t)ranks * micro;
	*shares = (struct shares){.ranks = ranks, .micro = micro, .batch = batch, .even = batch % parts == 0};
	if (batch >= parts)
		return ST_OK;
	if (micro > 1)
		return fail(ST_RANGE,
		        "batch=%lld on %d ranks, accumulate=%d: some would have no row; the nearest that fit "
		        "are batch=%lld%s",
		        (long long)batch, ranks, micro, (long long)parts,
		        batch >= ranks ? ", or a smaller accumulate" : "");
	return fail(ST_RANGE,
	        "batch=%lld on %d ranks: some would have no row; batch=%d fits, or ranksh -n %lld",
	        (long long)batch, ranks, ranks, (long long)batch);
}

void shares_setup(const struct shares *s, struct text *out)
{
	if (s->even)
		return;
	long long batch = s->batch, parts = (long long)s->ranks * s->micro;
	const char *part = s->ranks > 1 ? "rank" : "0"; /* of one part: all ranks have it */
	for (int m = 0; m < s->micro; m++) {
		text_add(out, "let first%d = (%s*%d+%d)*%lld//%lld\n", m, part, s->micro, m, batch, parts);
		text_add(out, "let rows%d = (%s*%d+%d)*%lld//%lld-first%d\n", m, part, s->micro, m + 1, batch,
		        parts, m);
		text_add(out, "let share%d = rows%d*%d/%lld\n", m, m, s->ranks, batch);
	}
}

/* The share weighs means over unequal parts so that the mean over the ranks is that over the batch. Unequal
 * micro-batches have tensors of their own; equal ones take turns in the same memory. */
void shares_layers(struct shares *s, int m, struct layers *l)
{
	l->add = m > 0;
	l->rows = s->even ? s->batch / s->ranks / s->micro : 0;
	snprintf(s->rows, sizeof s->rows, "rows%d", m);
	s->suffix[0] = '\0';
	if (!s->even && s->micro > 1)
		snprintf(s->suffix, sizeof s->suffix, "_%d", m);
	snprintf(s->share, sizeof s->share, s->even ? "1/%d" : "share%d", s->even ? s->micro : m);
	l->rows_text = s->rows;
	l->suffix = s->suffix;
	l->share = s->even && s->micro == 1 ? NULL : s->share;
	l->first = s->first;
	if (!s->even)
		snprintf(s->first, sizeof s->first, "first%d", m);
	else if (s->ranks == 1)
		snprintf(s->first, sizeof s->first, "%lld", (long long)(m * l->rows));
	else if (m == 0)
		snprintf(s->first, sizeof s->first, "rank*%lld", (long long)(s->micro * l->rows));
	else
		snprintf(s->first, sizeof s->first, "%lld+rank*%lld", (long long)(m * l->rows),
		        (long long)(s->micro * l->rows));
}

void shares_batch_setup(struct shares *s, struct layers *l)
{
	for (int m = 0; m < (s->even ? 1 : s->micro); m++) {
		shares_layers(s, m, l);
		setup_batch(l);
	}
}

/* ---- replicas ---- */

static void parameters_setup(struct layers *l, const struct parameter *list, int count, bool gradients)
{
	char shape[48];
	step_begin(l->out, "the seed is the same everywhere: every rank begins with the same numbers",
	        "the parameters%s",
	        l->model->optimizer == OPTIMIZER_ADAM ? " and Adam's two means of each" : "");
	for (int i = 0; i < count; i++)
		setup_parameter(l, &list[i]);
	for (int i = 0; i < count && gradients; i++)
		setup_gradient(l, &list[i]);
	for (int i = 0; i < count; i++) {
		snprintf(
		        shape, sizeof shape, "[%lld,%lld]", (long long)list[i].rows, (long long)list[i].cols);
		setup_optimizer(l, list[i].name, shape);
	}
}

enum status replica_setup(struct layers *l, const struct strategy_call *call, struct shares *s,
        const char *streams, bool gradients)
{
	struct parameter *list = NULL;
	int count = 0;
	enum status status = model_parameters(l->model, &list, &count);
	if (status != ST_OK)
		return status;
	step_begin(l->out, "the data stays on the host; a part of it is copied to the GPU for each step",
	        "streams, and the data");
	text_add(l->out, "stream %s\n", streams);
	setup_data(l, &call->data);
	shares_setup(s, l->out);
	shares_batch_setup(s, l);
	parameters_setup(l, list, count, gradients);
	mem_free(list);
	return ST_OK;
}

void batch_step(struct layers *l, const struct strategy_call *call, int m)
{
	step_begin(l->out,
	        strspn(l->first, "0123456789") < strlen(l->first)
	                ? "each rank copies rows of its own: the batch is cut, the model is not"
	                : "rows of the batch are copied to the GPU",
	        "the batch%s", m ? ", its next part" : "");
	text_add(l->out, "phase F%d\n", m);
	batch_lines(l, &call->data);
}

void forward_steps(struct layers *l, int m)
{
	char title[32];
	for (int unit = l->model->kind == MODEL_GPT ? 0 : 1; unit < model_units(l->model); unit++) {
		bool last = unit > l->model->layers;
		step_begin(l->out,
		        last ? "how far off it is: the only number that training looks at"
		             : "what it computes stays in memory: backward needs it",
		        "forward of %s", unit_title(l->model, unit, title));
		text_add(l->out, "phase F%d\n", m);
		forward_lines(l, unit);
	}
}

enum status optimizer_step(struct layers *l)
{
	struct parameter *list = NULL;
	int count = 0;
	char gradient[32];
	enum status status = model_parameters(l->model, &list, &count);
	if (status != ST_OK)
		return status;
	step_begin(l->out, "every parameter takes a step down its gradient", "the optimizer");
	text_add(l->out, "phase O\n");
	for (int i = 0; i < count; i++) {
		snprintf(gradient, sizeof gradient, "d%s", list[i].name);
		optimizer_lines(l, list[i].name, gradient);
	}
	mem_free(list);
	return ST_OK;
}

enum status parts_whole(const struct strategy_call *call, int rank, struct parts *parts)
{
	struct parameter *list = NULL;
	int count = 0;
	enum status status = model_parameters(&call->model, &list, &count);
	for (int i = 0; i < count && status == ST_OK; i++) {
		struct portion part = {
		        .parameter = i, .rank = rank, .rows = list[i].rows, .cols = list[i].cols};
		snprintf(part.name, sizeof part.name, "%s%s", list[i].name, master_suffix(&call->model));
		status = parts_add(parts, &part);
	}
	mem_free(list);
	return status;
}

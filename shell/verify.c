/* verify.c -- verify: the same model trained on one rank, and every parameter compared
 *
 * Rank 0's process trains it: serial's program, played in a session of its own with one rank, one process and a device of any size. Its parameters
 * go to all; each process compares the parts that its own rank holds, as memory is when all that was queued is done. The learner's world is
 * only looked at. */
#include "shell/training.h"
#include "base/memory.h"
#include "shell/commands/services.h"
#include "shell/language/interpreter.h"
#include "strategies/layers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- one rank alone ---------------------------------------------------------------------------------------------------- */

/* A tensor's elements as f32, when what was queued before is done; memory is as it is. */
static enum status values_of(struct shell *shell, const struct view *view, float *values)
{
	void *packed = mem_alloc((size_t)layout_bytes(&view->layout));
	enum status status = packed ? shell->backend->peek(shell->backend, view->space, view->address, &view->layout, packed) : ST_MEMORY;
	if (status == ST_OK)
		dtype_to_f32((enum dtype)view->layout.dtype, packed, values, layout_count(&view->layout));
	mem_free(packed);
	return status;
}

/* Waits, through the side door, until the tensor is what the lines so far make of it. */
static enum status settle(struct shell *shell, const struct ranks *set, const struct data_read *reads, double *scratch)
{
	return shell_read(shell, set, reads, NULL, scratch);
}

static enum status take_parameters(struct shell *alone, const struct parameter *list, int count, float *values)
{
	struct ranks set = {0};
	enum status status = ST_OK;
	ranks_add(&set, 0);
	for (int i = 0; i < count && status == ST_OK; i++) {
		struct data_read read = { .kind = READ_NORM, .stream = STREAM_DEFAULT };
		double norm;
		status = interpreter_view(alone, 0, list[i].name, &read.a);
		if (status == ST_OK)
			status = settle(alone, &set, &read, &norm);
		if (status == ST_OK)
			status = values_of(alone, &read.a, values);
		values += parameter_count(&list[i]);
	}
	return status;
}

static enum status train_alone(struct shell *shell, struct shell *alone, int iterations)
{
	struct training *t = training_of(alone);
	struct strategy_call call = { .strategy = strategy_find("serial"), .ranks = 1, .model = shell->training->now.call.model,
		.data = shell->training->now.call.data };
	if (!t)
		return ST_MEMORY;
	call.option[0].number = 1;
	out_mute(alone->out, 1);
	enum status status = program_generate(alone, &call);
	if (status == ST_OK)
		status = program_iterations(alone, iterations, false);
	return status == ST_OK ? alone->backend->failure(alone->backend) : status;
}

/* values: all parameters one behind the other */
static enum status alone_values(struct shell *shell, const struct parameter *list, int count, int iterations, float *values)
{
	struct shell alone = {0};
	struct plane *plane = NULL;
	int argc = 0;
	char **argv = NULL;
	enum status status = plane_start(&plane, false, &argc, &argv);
	if (status != ST_OK)
		return status;
	status = shell_open(&alone, plane, 1, false, "classroom");
	if (status == ST_OK) {
		alone.budget = shell->budget;   /* Ctrl-C ends it too */
		alone.budget.more = NULL;
		status = machine_set(&alone.machine, "memory", (struct number){ (double)((int64_t)1 << 44), UNIT_BYTES });
	}
	if (status == ST_OK)
		status = train_alone(shell, &alone, iterations);
	if (status == ST_OK)
		status = take_parameters(&alone, list, count, values);
	shell_close(&alone);
	plane_stop(plane);
	return status == ST_OK ? ST_OK : fail_in(status, "the model on one rank");
}

/* ---- comparing ---------------------------------------------------------------------------------------------------------- */

/* The element of the whole parameter that element i of the part is */
static int64_t place_in(const struct portion *part, const struct parameter *parameter, int64_t i)
{
	if (part->count > 0)
		return part->from + i;
	return (part->row + i / part->cols) * parameter->cols + part->col + i % part->cols;
}

struct difference { double most, largest; int64_t wrong; int32_t status; };

static enum status compare_part(struct shell *shell, const struct portion *part, const struct parameter *parameter, const float *whole, struct difference *d)
{
	struct view view;
	enum status status = interpreter_view(shell, part->rank, part->name, &view);
	int64_t count = status == ST_OK ? layout_count(&view.layout) : 0, wanted = part->count > 0 ? part->count : part->rows * part->cols;
	if (status == ST_OK && count != wanted)
		return fail(ST_BUG, "%s on rank %d has %lld elements, and %lld of %s were expected", part->name, part->rank, (long long)count,
			(long long)wanted, parameter->name);
	float *mine = status == ST_OK ? mem_alloc((size_t)count * sizeof *mine) : NULL;
	if (status == ST_OK)
		status = mine ? values_of(shell, &view, mine) : ST_MEMORY;
	for (int64_t i = 0; i < count && status == ST_OK; i++) {
		double here = mine[i], there = whole[place_in(part, parameter, i)], away = fabs(here - there);
		d->wrong += isnan(away);
		d->most = away > d->most ? away : d->most;
	}
	mem_free(mine);
	return status;
}

static double largest_of(const float *values, int64_t count)
{
	double largest = 0;
	for (int64_t i = 0; i < count; i++)
		largest = fabs(values[i]) > largest ? fabs(values[i]) : largest;
	return largest;
}

/* This rank's parts of parameter p */
static enum status compare_mine(struct shell *shell, const struct parts *parts, int p, const struct parameter *parameter, const float *whole,
	struct difference *d)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < parts->count && status == ST_OK; i++)
		if (parts->part[i].parameter == p && parts->part[i].rank == shell->world->me)
			status = compare_part(shell, &parts->part[i], parameter, whole, d);
	return status;
}

/* One part of parameter p on each rank, the k-th: their reads */
static enum status reads_of(struct shell *shell, const struct parts *parts, int p, int k, struct ranks *set, struct data_read *reads)
{
	enum status status = ST_OK;
	int count = 0;
	for (int rank = 0; rank < shell->world->n && status == ST_OK; rank++) {
		int seen = 0;
		for (size_t i = 0; i < parts->count && status == ST_OK; i++) {
			const struct portion *part = &parts->part[i];
			if (part->parameter != p || part->rank != rank || seen++ != k)
				continue;
			reads[count] = (struct data_read){ .kind = READ_NORM, .stream = STREAM_DEFAULT };
			status = interpreter_view(shell, rank, part->name, &reads[count++].a);
			ranks_add(set, rank);
		}
	}
	return status;
}

/* All that ranks hold of the parameters is waited for. */
static enum status await_parts(struct shell *shell, const struct parts *parts, int parameters)
{
	size_t n = (size_t)shell->world->n;
	struct data_read *reads = mem_alloc(n * sizeof *reads);
	double *norms = mem_alloc(n * sizeof *norms);
	enum status status = reads && norms ? ST_OK : ST_MEMORY;
	for (int p = 0; p < parameters && status == ST_OK; p++)
		for (int k = 0; status == ST_OK; k++) {
			struct ranks set = {0};
			status = reads_of(shell, parts, p, k, &set, reads);
			if (status != ST_OK || ranks_empty(&set))
				break;
			status = settle(shell, &set, reads, norms);
		}
	mem_free(reads);
	mem_free(norms);
	return status;
}

/* mine[p]: of this rank's parts of parameter p; afterwards that of all ranks. */
static enum status worst_of_all(struct shell *shell, struct difference *mine, int count)
{
	int processes = plane_size(shell->plane);
	size_t each = (size_t)count * sizeof *mine;
	struct difference *all = mem_alloc((size_t)processes * each);
	enum status status = all ? plane_share(shell->plane, mine, all, each) : ST_MEMORY;
	for (int i = 0; i < processes && status == ST_OK; i++)
		for (int p = 0; p < count && status == ST_OK; p++) {
			const struct difference *other = &all[i * count + p];
			mine[p].most = other->most > mine[p].most ? other->most : mine[p].most;
			mine[p].wrong = other->wrong > mine[p].wrong ? other->wrong : mine[p].wrong;
			if (other->status != ST_OK && i != plane_rank(shell->plane))
				status = fail((enum status)other->status, "rank %d could not compare", i);
			else
				status = (enum status)other->status;
		}
	mem_free(all);
	return status;
}

/* ---- what is said ----------------------------------------------------------------------------------------------------------- */

struct verdict { double worst, limit; const char *where, *lossy; int wrong; };

static void say_parameter(struct shell *shell, const struct parameter *p, double relative, bool good)
{
	out_say(shell->out, "   %-10s [%lld,%lld]%*s %.2g%s\n", p->name, (long long)p->rows, (long long)p->cols, p->rows * p->cols < 10000 ? 6 : 3, "", relative,
		good ? "" : "   off");
}

static void say_verdict(struct shell *shell, const struct verdict *v, int iterations, int count)
{
	const char *colour = style(shell->out, v->wrong ? COLOUR_BAD : COLOUR_GOOD), *plain = style(shell->out, COLOUR_PLAIN);
	const char *times = iterations == 1 ? "" : "s";
	if (v->wrong && v->lossy)
		out_say(shell->out, "   %s leaves digits out: after %d iteration%s it is %.2g of the largest element away from one rank, in %s\n", v->lossy,
			iterations, times, v->worst, v->where);
	else if (v->wrong)
		out_say(shell->out, "   %sdiffers%s from one rank after %d iteration%s: %d of %d tensors by more than %g; the most is %.2g, in %s\n", colour, plain,
			iterations, times, v->wrong, count, v->limit, v->worst, v->where);
	else
		out_say(shell->out, "   %sas one rank%s after %d iteration%s: largest difference %.2g of the largest element, in %s (%g is allowed)\n", colour, plain,
			iterations, times, v->worst, v->where, v->limit);
}

static enum status judge(struct shell *shell, const struct difference *worst, const struct parameter *list, int count, const float *values, int iterations)
{
	const struct strategy_call *call = &shell->training->now.call;
	struct verdict v = { .limit = call->model.dtype == DT_F32 ? 1e-5 : 2e-2, .where = list[0].name,
		.lossy = call->strategy->lossy ? call->strategy->lossy(call) : NULL };
	for (int p = 0; p < count; p++) {
		double largest = largest_of(values, parameter_count(&list[p]));
		double relative = worst[p].wrong ? INFINITY : worst[p].most == 0 ? 0 : worst[p].most / largest;
		bool good = relative <= v.limit;
		say_parameter(shell, &list[p], relative, good);
		v.wrong += !good;
		if (relative > v.worst) {
			v.worst = relative;
			v.where = list[p].name;
		}
		values += parameter_count(&list[p]);
	}
	say_verdict(shell, &v, iterations, count);
	shell->expects_failed += v.wrong > 0 && !v.lossy;
	return ST_OK;
}

static enum status compare(struct shell *shell, const struct parts *parts, const struct parameter *list, int count, const float *values, int iterations)
{
	struct difference *d = mem_alloc((size_t)count * sizeof *d);
	enum status status = d ? ST_OK : ST_MEMORY;
	const float *whole = values;
	for (int p = 0; p < count && status == ST_OK; p++) {
		d[p].status = compare_mine(shell, parts, p, &list[p], whole, &d[p]);
		whole += parameter_count(&list[p]);
	}
	if (status == ST_OK)
		status = worst_of_all(shell, d, count);
	if (status == ST_OK)
		status = judge(shell, d, list, count, values, iterations);
	mem_free(d);
	return status;
}

/* ---- verify ------------------------------------------------------------------------------------------------------------------- */

static enum status wants(const struct shell *shell, const struct training *t)
{
	if (!t || !t->now.call.strategy)
		return fail(ST_ARGUMENT, "verify compares what a strategy trains: `strategy ddp` first");
	if (shell->dry)
		return fail(ST_ARGUMENT, "--dry keeps no data: there is nothing to compare");
	return ST_OK;
}

/* To the end of the iteration begun, and of as many as are asked for */
static enum status play_on(struct shell *shell, struct training *t, long iterations)
{
	long more = iterations > t->iteration ? iterations - t->iteration : t->at != t->now.program.setup || t->iteration == 0;
	return more > 0 ? program_iterations(shell, more, true) : ST_OK;
}

static enum status reference(struct shell *shell, const struct parameter *list, int count, int iterations, float **values, size_t *bytes)
{
	int64_t elements = 0;
	for (int i = 0; i < count; i++)
		elements += parameter_count(&list[i]);
	enum status status = ST_OK;
	*bytes = (size_t)elements * sizeof **values;
	*values = NULL;
	if (plane_rank(shell->plane) == 0) {
		*values = mem_alloc(*bytes);
		status = *values ? alone_values(shell, list, count, iterations, *values) : ST_MEMORY;
	}
	status = shell_agree(shell, 0, status);
	void *block = *values;
	if (status == ST_OK && plane_size(shell->plane) > 1)
		status = plane_broadcast(shell->plane, 0, &block, bytes);
	*values = block;
	return status;
}

enum status training_verify(struct shell *shell, long iterations)
{
	struct training *t = shell->training;
	struct parameter *list = NULL;
	struct parts parts = {0};
	float *values = NULL;
	size_t bytes;
	int count = 0;
	enum status status = wants(shell, t);
	if (status == ST_OK)
		status = play_on(shell, t, iterations);
	if (status != ST_OK || (t->limit >= 0 && t->played >= t->limit))
		return status;
	status = model_parameters(&t->now.call.model, &list, &count);
	if (status == ST_OK)
		status = strategy_parts(&t->now.call, &parts);
	if (status == ST_OK)
		status = await_parts(shell, &parts, count);
	if (status == ST_OK)
		status = reference(shell, list, count, t->iteration, &values, &bytes);
	if (status == ST_OK)
		status = compare(shell, &parts, list, count, values, t->iteration);
	mem_free(parts.part);
	mem_free(values);
	mem_free(list);
	return status;
}

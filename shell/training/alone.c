/* alone.c -- the model trained on one rank: what verify compares with
 *
 * It is serial's program, played in a session of its own with one rank, one process and a device of any size.
 * The learner's world is not touched. */
#include "base/memory.h"
#include "shell/session/out.h"
#include "shell/session/read.h"
#include "shell/session/shell.h"
#include "shell/training/open.h"
#include "shell/training/verify.h"
#include "mpi/plane.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double BETA2 = 0.999, EPS = 1e-8; /* the kernel adam's, as the strategies' lines leave them */

struct strategy_call alone_call(const struct shell *shell)
{
	const struct strategy_call *now = &shell->training->now.call;
	struct strategy_call call = {
	        .strategy = strategy_find("serial"), .ranks = 1, .model = now->model, .data = now->data};
	call.option[0].number = 1; /* accumulate */
	return call;
}

bool alone_otherwise(const struct strategy_call *call, int way, struct strategy_call *other)
{
	bool half = call->model.dtype != DT_F32;
	int parts = half ? way + 1 : way + 2;
	*other = *call;
	other->option[0].number = parts;
	if (half && way == 0)
		other->model.dtype = DT_F32;
	return way < 3 && parts <= call->model.batch;
}

struct alone alone_of(const struct parameter *list, int count)
{
	struct alone alone = {.list = list, .count = count};
	for (int i = 0; i < count; i++)
		alone.elements += (size_t)parameter_count(&list[i]);
	return alone;
}

static enum status make_room(struct alone *alone)
{
	alone->end = mem_alloc(3 * alone->elements * sizeof *alone->end);
	if (!alone->end)
		return ST_MEMORY;
	alone->begin = alone->end + alone->elements;
	alone->weight = alone->begin + alone->elements;
	for (size_t i = 0; i < alone->elements; i++)
		alone->weight[i] = 1;
	return ST_OK;
}

/* ---- taking values ---- */

/* The tensor as the lines so far make it */
static enum status take(struct shell *shell, const char *name, float *values)
{
	struct data_read read = {.kind = READ_NORM, .stream = STREAM_DEFAULT};
	struct ranks set = {0};
	double norm;
	ranks_add(&set, 0);
	enum status status = interpreter_view(shell, 0, name, &read.a);
	if (status == ST_OK)
		status = shell_read(shell, &set, &read, NULL, &norm);
	if (status == ST_OK)
		status = shell_floats(shell, &read.a, values);
	return status;
}

/* w1, w2 ... with something behind each name: "_f32", "_v" */
static enum status take_all(struct shell *shell, const struct alone *alone, const char *behind, float *values)
{
	enum status status = ST_OK;
	char name[32];
	for (int i = 0; i < alone->count && status == ST_OK; i++) {
		snprintf(name, sizeof name, "%s%s", alone->list[i].name, behind);
		status = take(shell, name, values);
		values += parameter_count(&alone->list[i]);
	}
	return status;
}

/* v, as the t-th step of Adam had it, becomes what the step was divided by. None is smaller than what
 * rounding leaves beside the others: an element without a gradient is compared too. */
static void divisors_of(float *v, int64_t count, int t, double rounding)
{
	double sum = 0, begun = 1 - pow(BETA2, t);
	for (int64_t i = 0; i < count; i++)
		sum += v[i] / begun;
	double least = rounding * sqrt(sum / (double)count) + EPS;
	for (int64_t i = 0; i < count; i++)
		v[i] = (float)(sqrt(v[i] / begun) + least);
}

/* After the t-th iteration; scratch: [elements] */
static enum status weigh(
        struct shell *shell, const struct model *model, int t, struct alone *alone, float *scratch)
{
	float *v = scratch;
	enum status status = take_all(shell, alone, "_v", v);
	for (int i = 0; i < alone->count && status == ST_OK; i++) {
		divisors_of(v, parameter_count(&alone->list[i]), t, model->dtype == DT_F32 ? 1e-5 : 2e-2);
		v += parameter_count(&alone->list[i]);
	}
	for (size_t i = 0; i < alone->elements && status == ST_OK; i++)
		alone->weight[i] = t == 1 || scratch[i] < alone->weight[i] ? scratch[i] : alone->weight[i];
	return status;
}

/* ---- training ---- */

static enum status train(
        struct shell *shell, const struct strategy_call *call, int iterations, struct alone *alone)
{
	struct training *t = training_of(shell);
	const char *behind = master_suffix(&call->model);
	if (!t)
		return ST_MEMORY;
	out_mute(shell->out, 1);
	enum status status = program_generate(shell, call);
	if (status == ST_OK)
		status = program_steps(shell, (long)t->now.program->setup, false);
	if (status == ST_OK)
		status = take_all(shell, alone, behind, alone->begin);
	for (int i = 1; i <= iterations && status == ST_OK; i++) {
		status = program_iterations(shell, 1, false);
		if (status == ST_OK && call->model.optimizer == OPTIMIZER_ADAM)
			status = weigh(shell, &call->model, i, alone, alone->end);
	}
	if (status == ST_OK)
		status = take_all(shell, alone, behind, alone->end);
	return status == ST_OK ? shell->backend->failure(shell->backend) : status;
}

enum status alone_train(
        struct shell *shell, const struct strategy_call *call, int iterations, struct alone *alone)
{
	struct shell own = {0};
	struct plane *plane = NULL;
	int argc = 0;
	char **argv = NULL;
	enum status status = make_room(alone);
	if (status == ST_OK)
		status = plane_start(&plane, false, &argc, &argv);
	if (status != ST_OK)
		return status;
	status = shell_open(&own, plane, 1, false, "classroom");
	if (status == ST_OK) {
		own.budget = shell->budget;
		own.budget.more = NULL;
		status = machine_set(
		        &own.machine, "memory", (struct number){(double)((int64_t)1 << 44), UNIT_BYTES});
	}
	if (status == ST_OK)
		status = train(&own, call, iterations, alone);
	shell_close(&own);
	plane_stop(plane);
	return status == ST_OK ? ST_OK : fail_in(status, "the model on one rank");
}

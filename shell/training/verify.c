/* verify.c -- verify: the same model trained on one rank, every parameter compared, and the verdict
 *
 * Rank 0's process trains it and sends all what it has got. How far two right computations may be apart is
 * not the same after every number of iterations: a model magnifies rounding, from one iteration to the next.
 * Where the difference is above what one iteration may leave, one rank computes again, rounded otherwise: a
 * few times as far as these are apart is right as well, which is how FlashAttention is tested. But never
 * further than FURTHEST: there nothing can be told. */
#include "shell/training/verify.h"
#include "base/memory.h"
#include "shell/session/out.h"
#include "shell/session/share.h"
#include "mpi/plane.h"

#include <math.h>
#include <stdio.h>

#define TIMES \
	4 /* tensor parallelism rounds sums in parts, one rank whole ones: up to 2.5 times as far was seen */
#define FURTHEST 0.25 /* of what training has changed: gradients that were not exchanged leave 0.3 and more */

struct comparison {
	double *share;          /* by parameter: the difference, of what training has changed */
	double limit, rounding; /* rounding: computations of one rank are so far apart; 0: not asked for */
	int worst, wrong;
	bool lost; /* something is no number */
};

/* ---- the measure ---- */

/* Sums over a parameter's elements, weighted: of what training has changed, and of the parameter */
static void sizes_of(const struct alone *alone, int64_t first, int64_t count, double *changed, double *size)
{
	*changed = *size = 0;
	for (int64_t i = first; i < first + count; i++) {
		double weight = alone->weight[i], change = weight * ((double)alone->end[i] - alone->begin[i]),
		       value = weight * alone->end[i];
		*changed += change * change;
		*size += value * value;
	}
}

/* Without what rounding the parameter itself, half a unit in each iteration and computation, can have done */
static double share_of(
        const struct alone *alone, int64_t first, int64_t count, int iterations, const struct difference *d)
{
	double changed, size, away = d->elements > 0 ? sqrt(d->squares / d->elements) : 0;
	sizes_of(alone, first, count, &changed, &size);
	away -= iterations * ldexp(sqrt(size / (double)count), -24);
	if (d->wrong)
		return INFINITY;
	return away <= 0 ? 0 : away / sqrt(changed / (double)count);
}

static double usual_limit(const struct strategy_call *call)
{
	return call->model.dtype == DT_F32 ? 1e-5 : 2e-2;
}

/* ---- one rank ---- */

/* To all processes */
static enum status spread(struct shell *shell, enum status status, struct alone *alone)
{
	size_t bytes = 3 * alone->elements * sizeof *alone->end;
	void *block = alone->end;
	status = shell_agree(shell, 0, status);
	if (status != ST_OK || plane_size(shell->plane) == 1)
		return status;
	status = plane_broadcast(shell->plane, 0, &block, &bytes);
	alone->end = status == ST_OK ? block : NULL;
	alone->begin = alone->end + alone->elements;
	alone->weight = alone->begin + alone->elements;
	return status;
}

static enum status reference(struct shell *shell, int iterations, struct alone *alone)
{
	struct strategy_call call = alone_call(shell);
	enum status status = ST_OK;
	if (plane_rank(shell->plane) == 0)
		status = alone_train(shell, &call, iterations, alone);
	return spread(shell, status, alone);
}

/* How far one rank that computes `call` is away, in the worst parameter */
static enum status distance_to(struct shell *shell, const struct strategy_call *call,
        const struct alone *alone, int iterations, double *worst)
{
	struct alone other = alone_of(alone->list, alone->count);
	enum status status = alone_train(shell, call, iterations, &other);
	int64_t first = 0;
	for (int p = 0; p < alone->count && status == ST_OK; p++) {
		int64_t count = parameter_count(&alone->list[p]);
		struct difference d = compare_whole(alone, first, count, other.end + first);
		double share = share_of(alone, first, count, iterations, &d);
		*worst = share > *worst ? share : *worst;
		first += count;
	}
	mem_free(other.end);
	return status;
}

/* A half type's rounding decides on which side of 0 the input of a relu falls, which one beginning shows and
 * another by luck does not: two others are asked too */
static enum status other_beginnings(struct shell *shell, struct strategy_call call, const struct alone *alone,
        int iterations, double *worst)
{
	struct strategy_call other;
	enum status status = ST_OK;
	for (int i = 0; i < 2 && status == ST_OK && call.model.dtype != DT_F32; i++) {
		struct alone base = alone_of(alone->list, alone->count);
		call.model.seed++;
		status = alone_train(shell, &call, iterations, &base);
		if (status == ST_OK && alone_otherwise(&call, 0, &other))
			status = distance_to(shell, &other, &base, iterations, worst);
		mem_free(base.end);
	}
	return status;
}

/* Rank 0 */
static enum status rounding_of(struct shell *shell, const struct alone *alone, int iterations, double *worst)
{
	struct strategy_call call = alone_call(shell), other;
	enum status status = ST_OK;
	for (int way = 0; status == ST_OK && alone_otherwise(&call, way, &other); way++)
		status = distance_to(shell, &other, alone, iterations, worst);
	return status == ST_OK ? other_beginnings(shell, call, alone, iterations, worst) : status;
}

/* What rounding does to one rank, and with it the limit; the same on all processes */
static enum status widen(struct shell *shell, const struct alone *alone, int iterations, struct comparison *v)
{
	double own = 0, *all = mem_alloc((size_t)plane_size(shell->plane) * sizeof *all);
	enum status status = all ? ST_OK : ST_MEMORY;
	if (status == ST_OK && plane_rank(shell->plane) == 0)
		status = rounding_of(shell, alone, iterations, &own);
	status = shell_agree(shell, 0, status);
	if (status == ST_OK)
		status = plane_share(shell->plane, &own, all, sizeof own);
	if (status == ST_OK) {
		v->rounding = all[0];
		v->limit = fmax(v->limit, fmin(TIMES * all[0], FURTHEST));
	}
	mem_free(all);
	return status;
}

/* ---- what is said ---- */

static double largest_of(const float *values, int64_t count)
{
	double largest = 0;
	for (int64_t i = 0; i < count; i++)
		largest = fabs(values[i]) > largest ? fabs(values[i]) : largest;
	return largest;
}

static void say_parameter(struct shell *shell, const struct parameter *p, const struct comparison *v,
        double share, double element)
{
	char shape[48];
	snprintf(shape, sizeof shape, "[%lld,%lld]", (long long)p->rows, (long long)p->cols);
	out_say(shell->out, "   %-10s %-12s %13.2g   %8.2g%s\n", p->name, shape, share, element,
	        share <= v->limit ? "" : "   off");
}

static void say_parameters(struct shell *shell, const struct alone *alone, const struct difference *d,
        const struct comparison *v)
{
	const float *values = alone->end;
	out_say(shell->out, "   %-23s of its change    largest\n", "the difference");
	for (int p = 0; p < alone->count; p++) {
		int64_t count = parameter_count(&alone->list[p]);
		say_parameter(shell, &alone->list[p], v, v->share[p],
		        d[p].most == 0 ? 0 : d[p].most / largest_of(values, count));
		values += count;
	}
}

/* Why more, or no more, than usual is allowed */
static void say_rounding(struct shell *shell, const struct strategy_call *call, const struct comparison *v)
{
	const char *how =
	        call->model.dtype == DT_F32 ? "its batch in parts" : "in f32, or its batch in parts";
	if (v->lost && call->model.dtype == DT_F16)
		out_say(shell->out,
		        "   something is no number: f16 ends at 65504, and loss_scale=%g may be too large\n",
		        call->model.loss_scale);
	else if (v->lost)
		out_say(shell->out, "   something is no number\n");
	else if (v->wrong && TIMES * v->rounding > FURTHEST)
		out_say(shell->out,
		        "   but one rank that rounds otherwise (%s) is %.2g away too: rounding has grown so "
		        "far that only fewer iterations tell\n",
		        how, v->rounding);
	else if (v->rounding > 0)
		out_say(shell->out, "   one rank that rounds otherwise (%s) is %.2g away\n", how,
		        v->rounding);
}

static void say_verdict(struct shell *shell, const struct comparison *v, const struct alone *alone,
        const char *lossy, int iterations)
{
	const char *colour = style(shell->out, v->wrong ? COLOUR_BAD : COLOUR_GOOD),
	           *plain = style(shell->out, COLOUR_PLAIN);
	const char *times = iterations == 1 ? "" : "s", *where = alone->list[v->worst].name;
	double most = v->share[v->worst];
	if (v->wrong && lossy)
		out_say(shell->out,
		        "   %s leaves digits out: after %d iteration%s it is %.2g of what training changed "
		        "away from one rank, in %s\n",
		        lossy, iterations, times, most, where);
	else if (v->wrong)
		out_say(shell->out,
		        "   %sdiffers%s from one rank after %d iteration%s: %d of %d tensors by more than "
		        "%.2g of what training changed; the most is %.2g, in %s\n",
		        colour, plain, iterations, times, v->wrong, alone->count, v->limit, most, where);
	else if (most <= 0)
		out_say(shell->out,
		        "   %sas one rank%s after %d iteration%s: no difference but the rounding of the "
		        "parameters themselves\n",
		        colour, plain, iterations, times);
	else
		out_say(shell->out,
		        "   %sas one rank%s after %d iteration%s: largest difference %.2g of what training "
		        "changed, in %s (%.2g is allowed)\n",
		        colour, plain, iterations, times, most, where, v->limit);
}

/* ---- the verdict ---- */

static void measure(
        const struct alone *alone, const struct difference *d, int iterations, struct comparison *v)
{
	int64_t first = 0;
	for (int p = 0; p < alone->count; p++) {
		v->share[p] = share_of(alone, first, parameter_count(&alone->list[p]), iterations, &d[p]);
		v->worst = v->share[p] > v->share[v->worst] ? p : v->worst;
		v->lost = v->lost || d[p].wrong;
		first += parameter_count(&alone->list[p]);
	}
}

static enum status judge(struct shell *shell, const struct alone *alone, const struct difference *d,
        int iterations, struct comparison *v)
{
	const struct strategy_call *call = &shell->training->now.call;
	const char *lossy = call->strategy->lossy ? call->strategy->lossy(call) : NULL;
	enum status status = ST_OK;
	v->limit = usual_limit(call);
	measure(alone, d, iterations, v);
	if (v->share[v->worst] > v->limit && !v->lost && !lossy)
		status = widen(shell, alone, iterations, v);
	if (status != ST_OK)
		return status;
	for (int p = 0; p < alone->count; p++)
		v->wrong += !(v->share[p] <= v->limit);
	say_parameters(shell, alone, d, v);
	say_verdict(shell, v, alone, lossy, iterations);
	say_rounding(shell, call, v);
	shell->expects_failed += v->wrong > 0 && !lossy;
	return ST_OK;
}

static enum status compare(
        struct shell *shell, const struct parts *parts, const struct alone *alone, int iterations)
{
	struct difference *d = mem_alloc((size_t)alone->count * sizeof *d);
	struct comparison v = {.share = mem_alloc((size_t)alone->count * sizeof *v.share)};
	enum status status = d && v.share ? compare_parts(shell, parts, alone, d) : ST_MEMORY;
	if (status == ST_OK)
		status = judge(shell, alone, d, iterations, &v);
	mem_free(d);
	mem_free(v.share);
	return status;
}

/* ---- verify ---- */

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
	long more = iterations > t->iteration ? iterations - t->iteration : t->at != 0 || t->iteration == 0;
	return more > 0 ? program_iterations(shell, more, true) : ST_OK;
}

enum status training_verify(struct shell *shell, long iterations)
{
	struct training *t = shell->training;
	struct parameter *list = NULL;
	struct parts parts = {0};
	struct alone alone = {0};
	int count = 0;
	enum status status = wants(shell, t);
	if (status == ST_OK)
		status = play_on(shell, t, iterations);
	if (status != ST_OK || (t->limit >= 0 && t->played >= t->limit))
		return status;
	status = model_parameters(&t->now.call.model, &list, &count);
	if (status == ST_OK)
		status = strategy_parts(&t->now.call, &parts);
	if (status == ST_OK) {
		alone = alone_of(list, count);
		status = reference(shell, t->iteration, &alone);
	}
	if (status == ST_OK)
		status = compare(shell, &parts, &alone, t->iteration);
	mem_free(parts.part);
	mem_free(alone.end);
	mem_free(list);
	return status;
}

/* verify.c -- verify: trains the model on one rank, compares every parameter, and judges
 *
 * A model magnifies rounding from iteration to iteration. If the difference exceeds the first
 * limit, one rank computes again with another rounding. A few times that distance is accepted, as
 * in the tests of FlashAttention, but never more than FURTHEST. */
#include "shell/training/choose.h"
#include "shell/training/verify.h"
#include "base/memory.h"
#include "shell/values/share.h"
#include "shell/values/step.h"

#include <math.h>
#include <string.h>

/* The largest limit, relative to the change by training. Without an exchange of gradients the
 * difference is 0.3 or more. */
#define FURTHEST 0.25
/* Returns the accepted multiple of `rounding`. Tensor parallelism, which sums in parts, reached
 * 2.5; 5.6 if a factor on gradients changed only the backward's rounding. */
static int rounding_times(const struct alone *alone)
{
	return alone_by_factor(alone) && !alone->half ? 8 : 4;
}

/* Returns the weighted norm of the differences, relative to that of the change by training, less
 * the parameter's own rounding: half a unit in each iteration and computation. */
static double share_of(const struct alone *alone, int item, const struct difference *d)
{
	int64_t first = alone->whole[item].first, count = whole_count(&alone->whole[item]);
	struct step_sizes sizes = {.away = d->elements > 0 ? d->squares / d->elements : 0};
	for (int64_t i = first; i < first + count; i++) {
		double weight = alone->weight[i], change = weight * ((double)alone->end[i] - alone->begin[i]),
		       value = weight * alone->end[i];
		sizes.changed += change * change;
		sizes.size += value * value;
	}
	sizes.changed /= (double)count;
	sizes.size /= (double)count;
	return d->wrong ? INFINITY : step_share(&sizes, ldexp(alone->iterations, -24));
}

/* Measures how far `program` on one rank is from `alone`, in the worst parameter and in the
 * loss. */
static enum status rounding_measure(struct shell *shell, const struct program *program,
        const struct alone *alone, struct rounding *rounding)
{
	struct alone other = {.program = program, .iterations = alone->iterations};
	enum status status = alone_train(shell, &other);
	if (status == ST_OK && other.elements != alone->elements)
		status = fail(ST_BUG, "the model on one rank has other parameters");
	for (int i = 0; i < alone->count && status == ST_OK; i++) {
		struct difference d = compare_whole(alone, i, &other);
		double share = share_of(alone, i, &d);
		rounding->worst = share > rounding->worst ? share : rounding->worst;
	}
	if (status == ST_OK)
		rounding->loss = fmax(rounding->loss, loss_share(alone, other.loss));
	alone_release(&other);
	return status;
}

/* Returns the same model with another rounding; NULL if there is no such way or the model lacks an
 * option. Ways:
 *
 *     f32           0-2 batch in 2, 3, 4 parts; 3-5 in 2 parts, gradients multiplied by 3, 5, 7
 *                   (no power of two, so that rounding changes); 6 in one part, multiplied by 3
 *     half type     0 in f32; 1-2 batch in 2, 3 parts
 *     fixed parts   (alone_by_factor) f32: 0-2 a factor of 3, 5, 7; half type: 0 in f32 */
enum { WAYS = 3 };
static struct program *rounding_variant(
        struct shell *shell, const struct alone *alone, struct names *names, int way, int seed)
{
	bool half = alone->half, fixed = alone_by_factor(alone), by_factor = !half && (fixed || way >= WAYS);
	int ways = half && fixed ? 1 : half || fixed ? WAYS : 2 * WAYS + 1;
	/* dynamic: the optimizer chooses the factor */
	if (by_factor && whole_of(alone, "scaler", ""))
		return NULL;
	struct otherwise other = {.f32 = half && way == 0,
	        .micros = fixed          ? alone->parts
	                : half           ? way + 1
	                : way < WAYS     ? way + 2
	                : way < 2 * WAYS ? 2
	                                 : 0,
	        .loss_scale = by_factor ? 2 * (way % WAYS) + 3 : 0,
	        .seed = seed};
	return way < ways ? choose_otherwise(shell, alone->program, names, &other) : NULL;
}

/* A half type's rounding can move a relu's input across 0, which one seed may miss. */
static enum status rounding_other_seeds(
        struct shell *shell, const struct alone *alone, struct names *names, struct rounding *rounding)
{
	enum status status = ST_OK;
	for (int i = 1; i <= 2 && status == ST_OK; i++) {
		struct otherwise begun = {.micros = alone->parts, .seed = i};
		struct program *same = choose_otherwise(shell, alone->program, names, &begun),
		               *other = rounding_variant(shell, alone, names, 0, i);
		struct alone base = {.program = same, .iterations = alone->iterations, .parts = alone->parts};
		if (same && other && (status = alone_train(shell, &base)) == ST_OK)
			status = rounding_measure(shell, other, &base, rounding);
		alone_release(&base);
		program_release(same);
		program_release(other);
	}
	return status;
}

/* Runs on rank 0. Finds the largest distance between different roundings. Tries the ways from WAYS
 * on if the first do not explain `most`, the ranks' distance, and it is within FURTHEST: Adam
 * makes a full step from a gradient near zero. These programs have names of their own, because the
 * session's must be equal on all processes. */
static enum status rounding_find(
        struct shell *shell, const struct alone *alone, double most, struct rounding *rounding)
{
	struct program *other;
	struct names *names = names_create();
	enum status status = ST_OK;
	for (int way = 0; status == ST_OK; way++) {
		bool explained = rounding_times(alone) * rounding->worst >= most || most > FURTHEST;
		if ((way >= WAYS && explained) || !(other = rounding_variant(shell, alone, names, way, 0)))
			break;
		rounding->scaled = rounding->scaled || way >= WAYS;
		status = rounding_measure(shell, other, alone, rounding);
		if (status == ST_RANGE || status == ST_SHAPE)
			status = ST_OK; /* too few rows in the batch */
		program_release(other);
	}
	if (status == ST_OK && alone->half)
		status = rounding_other_seeds(shell, alone, names, rounding);
	names_free(names);
	return status;
}

static enum status limit_widen(struct shell *shell, const struct alone *alone, struct comparison *v)
{
	struct rounding rounding = {0};
	enum status status = ST_OK;
	if (transport_rank(shell->transport) == 0)
		status = rounding_find(shell, alone, v->share[v->worst], &rounding);
	status = shell_spread(shell, status, &rounding, sizeof rounding);
	if (status == ST_OK) {
		v->rounding = rounding;
		v->limit = fmax(v->limit, fmin(v->times * rounding.worst, v->furthest));
		v->loss_limit = fmax(v->loss_limit, fmin(v->times * rounding.loss, v->furthest));
	}
	return status;
}

static enum status verify_judge(
        struct shell *shell, const struct alone *alone, const struct difference *d, struct comparison *v)
{
	v->limit = v->loss_limit = step_limit(alone->half, shell->backend->measures);
	v->furthest = FURTHEST;
	v->times = rounding_times(alone);
	for (int i = 0; i < alone->count; i++) {
		v->share[i] = share_of(alone, i, &d[i]);
		v->worst = v->share[i] > v->share[v->worst] ? i : v->worst;
		v->lost = v->lost || d[i].wrong;
	}
	double loss = loss_share(alone, v->loss);
	bool far = (v->share[v->worst] > v->limit || loss > v->loss_limit) && !v->lost && !v->loses &&
	        !verdict_other_steps(alone, d);
	enum status status = far ? limit_widen(shell, alone, v) : ST_OK;
	for (int i = 0; i < alone->count && status == ST_OK; i++)
		v->wrong += !(v->share[i] <= v->limit);
	v->loss_wrong = loss > v->loss_limit;
	if (status == ST_OK) {
		enum verdict verdict = verdict_of(alone, d, v);
		bool right = verdict == VERDICT_AS_ONE || (verdict == VERDICT_LOSES && !shell->expect.words);
		enum severity before = out_severity(shell->out, right ? SEVERITY_OK : SEVERITY_ERROR);
		if (shell->expect.words && !right)
			out_say(shell->out, "%s", shell->expect.words);
		if (!shell->expect.words || !right)
			verdict_say(shell, alone, d, v);
		out_severity(shell->out, before);
		shell->expect.failed += !right;
	}
	return status;
}

static enum status verify_compare(struct shell *shell, const struct alone *alone, double loss)
{
	struct difference *d = mem_alloc((size_t)alone->count * sizeof *d);
	struct comparison v = {.share = mem_alloc((size_t)alone->count * sizeof *v.share), .loss = loss};
	struct text loses = {0};
	enum status status = compare_parts(shell, alone, d);
	if (status == ST_OK)
		status = program_loses(shell, &loses);
	v.loses = loses.count ? text_string(&loses) : NULL;
	if (status == ST_OK)
		status = verify_judge(shell, alone, d, &v);
	text_release(&loses);
	mem_free(d);
	mem_free(v.share);
	return status;
}

static enum status verify_check(const struct shell *shell, const struct training *t)
{
	if (!t->now.program)
		return fail(ST_ARGUMENT, "verify compares a strategy's training: `strategy ddp` first");
	if (!t->now.program->loops)
		return fail(ST_ARGUMENT, "verify compares after whole iterations: %s has no `for it in` loop",
		        t->now.program->name);
	if (shell_keeps_no_data(shell) && !shell->expect.words)
		return fail(ST_ARGUMENT, "--dry keeps no data: there is nothing to compare");
	return ST_OK;
}

static enum status alone_train_in_parts(struct shell *shell, struct alone *alone)
{
	const struct program *whole = alone->program;
	struct names *names = names_create(); /* its own, as in rounding_find */
	struct otherwise parts = {.micros = alone->parts};
	struct program *cut = alone->parts > 1 ? choose_otherwise(shell, whole, names, &parts) : NULL;
	if (cut)
		alone->program = cut;
	enum status status = alone_train(shell, alone);
	alone->program = whole;
	program_release(cut);
	names_free(names);
	return status;
}

enum status training_verify(struct shell *shell, long iterations)
{
	struct training *t = shell->training;
	enum status status = verify_check(shell, t);
	if (status == ST_OK) {
		long more = iterations > t->iteration ? iterations - t->iteration
		                                      : t->at != 0 || t->iteration == t->now.program->first;
		status = program_iterations(shell, more, !shell->expect.words);
	}
	if (status != ST_OK || (t->limit >= 0 && t->played >= t->limit))
		return status;
	/* also with --dry and in `whatif`, because later lines wait for these reads */
	double loss = NAN;
	status = compare_await(shell);
	if (status == ST_OK)
		status = compared_loss(shell, &loss);
	if (status != ST_OK || shell->dry)
		return status;
	/* a script is its own model */
	const struct program *program = t->now.program;
	struct alone alone = {
	        .program = program->alone ? program->alone : program, .iterations = t->iteration};
	program_parts(shell, &alone.parts);
	if (transport_rank(shell->transport) == 0)
		status = alone_train_in_parts(shell, &alone);
	status = alone_spread(shell, status, &alone);
	if (status == ST_OK)
		status = verify_compare(shell, &alone, loss);
	alone_release(&alone);
	return status;
}

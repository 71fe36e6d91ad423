/* verify.c -- verify: the same model trained on one rank, every parameter compared, and the verdict
 *
 * Rank 0's process trains it and sends all what it has got. How far two right computations may be apart is
 * not the same after every number of iterations: a model magnifies rounding, from one iteration to the next.
 * Where the difference is above what one iteration may leave, one rank computes again, rounded otherwise: a
 * few times as far as these are apart is right as well, which is how FlashAttention is tested. But never
 * further than FURTHEST: there nothing can be told. */
#include "shell/training/choose.h"
#include "shell/training/verify.h"
#include "base/memory.h"
#include "shell/session/share.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FURTHEST 0.25 /* of what training has changed: gradients that were not exchanged leave 0.3 and more */
/* How many times as far as right computations of one rank are apart is right as well. Tensor parallelism rounds sums in
 * parts, one rank whole ones: up to 2.5 times as far was seen; 5.6 times where a factor on gradients has rounded the
 * backward alone otherwise. */
static int times_of(const struct alone *alone)
{
	return alone->parts && !alone->half ? 8 : 4;
}

struct comparison {
	double *share;          /* by parameter: the difference, of what training has changed */
	double limit, rounding; /* rounding: computations of one rank are so far apart; 0: not asked for */
	int worst, wrong;
	bool lost; /* something is no number */
};

/* ---- the measure ---- */

/* Sums over a parameter's elements, weighted: of what training has changed, and of the parameter */
static void sizes_of(const struct alone *alone, const struct whole *whole, double *changed, double *size)
{
	int64_t first = whole->first, count = whole_count(whole);
	*changed = *size = 0;
	for (int64_t i = first; i < first + count; i++) {
		double weight = alone->weight[i], change = weight * ((double)alone->end[i] - alone->begin[i]),
		       value = weight * alone->end[i];
		*changed += change * change;
		*size += value * value;
	}
}

/* Without what rounding the parameter itself, half a unit in each iteration and computation, can have done */
static double share_of(const struct alone *alone, int item, const struct difference *d)
{
	const struct whole *whole = &alone->whole[item];
	double changed, size, away = d->elements > 0 ? sqrt(d->squares / d->elements) : 0,
	                      count = (double)whole_count(whole);
	sizes_of(alone, whole, &changed, &size);
	away -= alone->iterations * ldexp(sqrt(size / count), -24);
	if (d->wrong)
		return INFINITY;
	return away <= 0 ? 0 : away / sqrt(changed / count);
}

/* ---- one rank ---- */

/* How far one rank that computes `program` is away, in the worst parameter */
static enum status distance_to(
        struct shell *shell, const struct program *program, const struct alone *alone, double *worst)
{
	struct alone other = {.program = program, .iterations = alone->iterations};
	enum status status = alone_train(shell, &other);
	if (status == ST_OK && other.elements != alone->elements)
		status = fail(ST_BUG, "the same model has other parameters");
	for (int i = 0; i < alone->count && status == ST_OK; i++) {
		struct difference d = compare_whole(alone, i, &other);
		double share = share_of(alone, i, &d);
		*worst = share > *worst ? share : *worst;
	}
	alone_release(&other);
	return status;
}

/* The same model, rounded otherwise: in f32 (way 0, of a half type), or its batch in parts; where the parts are not free,
 * by a factor on all gradients that is no power of two. NULL: no such way, or the model has not the options for it */
static struct program *otherwise(
        struct shell *shell, const struct alone *alone, struct names *names, int way, int seed)
{
	bool half = alone->half, f32 = half && way == 0;
	struct otherwise other = {.f32 = f32, .micros = half ? way + 1 : way + 2, .seed = seed};
	if (alone->parts)
		other = (struct otherwise){.f32 = f32,
		        .micros = alone->parts,
		        .loss_scale = half ? 0 : 2 * way + 3,
		        .seed = seed};
	return way < (half && alone->parts ? 1 : 3) ? choose_otherwise(shell, alone->program, names, &other)
	                                            : NULL;
}

/* A half type's rounding decides on which side of 0 the input of a relu falls, which one beginning shows and
 * another by luck does not: two others are asked too */
static enum status other_beginnings(
        struct shell *shell, const struct alone *alone, struct names *names, double *worst)
{
	enum status status = ST_OK;
	for (int i = 1; i <= 2 && status == ST_OK; i++) {
		struct otherwise begun = {.micros = alone->parts, .seed = i};
		struct program *same = choose_otherwise(shell, alone->program, names, &begun),
		               *other = otherwise(shell, alone, names, 0, i);
		struct alone base = {.program = same, .iterations = alone->iterations, .parts = alone->parts};
		if (same && other && (status = alone_train(shell, &base)) == ST_OK)
			status = distance_to(shell, other, &base, worst);
		alone_release(&base);
		program_release(same);
		program_release(other);
	}
	return status;
}

/* Rank 0. The session's names are the same on all processes, so what it tries here has names of its own. */
static enum status rounding_of(struct shell *shell, const struct alone *alone, double *worst)
{
	struct program *other;
	struct names *names = names_create();
	enum status status = ST_OK;
	for (int way = 0; status == ST_OK && (other = otherwise(shell, alone, names, way, 0)); way++) {
		status = distance_to(shell, other, alone, worst);
		if (status == ST_RANGE || status == ST_SHAPE)
			status = ST_OK; /* the batch has not so many rows */
		program_release(other);
	}
	if (status == ST_OK && alone->half)
		status = other_beginnings(shell, alone, names, worst);
	names_free(names);
	return status;
}

/* What rounding does to one rank, and with it the limit; the same on all processes */
static enum status widen(struct shell *shell, const struct alone *alone, struct comparison *v)
{
	double rounding = 0;
	enum status status = ST_OK;
	if (transport_rank(shell->transport) == 0)
		status = rounding_of(shell, alone, &rounding);
	status = shell_spread(shell, status, &rounding, sizeof rounding);
	if (status == ST_OK) {
		v->rounding = rounding;
		v->limit = fmax(v->limit, fmin(times_of(alone) * rounding, FURTHEST));
	}
	return status;
}

/* ---- what is said ---- */

enum { TITLE_ROOM = 80 };

/* "w1", "w1's m" */
static const char *title_of(const struct whole *whole, char title[TITLE_ROOM])
{
	snprintf(title, TITLE_ROOM, "%s%s%s", whole->name, *whole->state ? "'s " : "", whole->state);
	return title;
}

static void say_parameters(struct shell *shell, const struct alone *alone, const struct difference *d,
        const struct comparison *v)
{
	out_say(shell->out, "   %-23s of its change    largest\n", "the difference");
	for (int i = 0; i < alone->count; i++) {
		const struct whole *whole = &alone->whole[i];
		char shape[48], title[TITLE_ROOM], share[16];
		bool off = !(v->share[i] <= v->limit);
		if (*whole->state &&
		        !off) /* optimizer state is compared with its parameter: it is said where it is off */
			continue;
		double largest = 0;
		for (int64_t k = 0; k < whole_count(whole); k++)
			largest = fmax(largest, fabs(alone->end[whole->first + k]));
		snprintf(shape, sizeof shape, "[%lld,%lld]", (long long)whole->rows, (long long)whole->cols);
		snprintf(share, sizeof share, "%.2g", v->share[i]);
		const char *of_change = isfinite(v->share[i]) ? share
		        : d[i].wrong                          ? "no number"
		                                              : "unchanged";
		out_say(shell->out, "   %-10s %-12s %13s   %8.2g%s\n", title_of(whole, title), shape,
		        of_change, d[i].most == 0 ? 0 : d[i].most / largest, off ? "   off" : "");
	}
}

/* The state of a dynamic loss scale, which strategies/parts/parameters.rsh declares: factor, good steps since, steps
 * taken. NULL: the scale is a number */
static const struct whole *scaler_of(const struct alone *alone)
{
	const struct whole *scaler = whole_of(alone, "scaler", "");
	return scaler && whole_count(scaler) == 3 ? scaler : NULL;
}

/* All steps of the one rank were left out by its loss scale: parameters are as they began */
static bool untrained(const struct alone *alone)
{
	const struct whole *scaler = scaler_of(alone);
	bool same = scaler && alone->end[scaler->first + 2] == 0;
	for (int i = 0; i < alone->count && same; i++) {
		const struct whole *whole = &alone->whole[i];
		size_t bytes = (size_t)whole_count(whole) * sizeof *alone->end;
		same = whole == scaler || *whole->state ||
		        memcmp(alone->end + whole->first, alone->begin + whole->first, bytes) == 0;
	}
	return same;
}

/* Why more, or no more, than usual is allowed */
static void say_rounding(struct shell *shell, const struct alone *alone, const struct comparison *v)
{
	const char *how = !alone->parts ? alone->half ? "in f32, or its batch in parts" : "its batch in parts"
	        : alone->half           ? "in f32"
	                                : "all its gradients with a factor";
	if (v->lost)
		out_say(shell->out, "   something is no number%s\n",
		        !alone->half               ? ""
		                : scaler_of(alone) ? ": f16 ends at 65504, and init_scale= may be too large"
		                                   : ": f16 ends at 65504, and loss_scale= may be too large");
	else if (v->wrong && scaler_of(alone))
		out_say(shell->out,
		        "   loss_scale=dynamic: ranks with a part of the batch may leave out other steps "
		        "than one rank; a lower init_scale=, at which nothing overflows, tells\n");
	else if (!isfinite(v->rounding))
		out_say(shell->out, "   one rank that rounds otherwise (%s) changes what this one does not\n",
		        how);
	else if (v->wrong && times_of(alone) * v->rounding > FURTHEST)
		out_say(shell->out,
		        "   but one rank that rounds otherwise (%s) is %.2g away too: rounding has grown so "
		        "far that only fewer iterations tell\n",
		        how, v->rounding);
	else if (v->rounding > 0)
		out_say(shell->out, "   one rank that rounds otherwise (%s) is %.2g away\n", how,
		        v->rounding);
}

static void say_verdict(
        struct shell *shell, const struct alone *alone, const struct comparison *v, const char *lossy)
{
	int iterations = alone->iterations;
	char title[TITLE_ROOM];
	const char *times = iterations == 1 ? "" : "s", *where = title_of(&alone->whole[v->worst], title);
	double most = v->share[v->worst];
	char amount[40] = ""; /* none, where one rank has changed nothing, or something is no number */
	if (isfinite(most))
		snprintf(amount, sizeof amount,
		        v->wrong && lossy ? "%.2g of what training changed " : "is %.2g, ", most);
	if (v->wrong && lossy) {
		out_say(shell->out, "   %s: after %d iteration%s it is %saway from one rank, in %s\n", lossy,
		        iterations, times, amount, where);
		return;
	}
	if (!v->wrong && untrained(alone)) {
		out_say(shell->out,
		        "   nothing was trained yet: the loss scale has left out every step so far (%d); a "
		        "lower "
		        "init_scale=, or more iterations\n",
		        iterations);
		return;
	}
	if (v->wrong)
		out_say(shell->out, "   %s%s%s from one rank", STYLED(shell->out, COLOUR_BAD, "differs"));
	else
		out_say(shell->out, "   %s%s%s", STYLED(shell->out, COLOUR_GOOD, "as one rank"));
	out_say(shell->out, " after %d iteration%s: ", iterations, times);
	if (v->wrong)
		out_say(shell->out,
		        "%d of %d tensors by more than %.2g of what training changed; the most %sin %s\n",
		        v->wrong, alone->count, v->limit, amount, where);
	else if (most <= 0)
		out_say(shell->out, "no difference but the rounding of the parameters themselves\n");
	else
		out_say(shell->out,
		        "largest difference %.2g of what training changed, in %s (%.2g is allowed)\n", most,
		        where, v->limit);
}

/* ---- the verdict ---- */

static void measure(const struct alone *alone, const struct difference *d, struct comparison *v)
{
	for (int i = 0; i < alone->count; i++) {
		v->share[i] = share_of(alone, i, &d[i]);
		v->worst = v->share[i] > v->share[v->worst] ? i : v->worst;
		v->lost = v->lost || d[i].wrong;
	}
}

static enum status judge(
        struct shell *shell, const struct alone *alone, const struct difference *d, struct comparison *v)
{
	struct text lossy = {0};
	enum status status = program_loses(shell, &lossy);
	const char *why = lossy.count ? text_string(&lossy) : NULL;
	v->limit = alone->half ? 2e-2 : 1e-5;
	measure(alone, d, v);
	if (status == ST_OK && v->share[v->worst] > v->limit && !v->lost && !why)
		status = widen(shell, alone, v);
	for (int i = 0; i < alone->count && status == ST_OK; i++)
		v->wrong += !(v->share[i] <= v->limit);
	if (status == ST_OK) {
		say_parameters(shell, alone, d, v);
		say_verdict(shell, alone, v, why);
		say_rounding(shell, alone, v);
		shell->expects_failed += v->wrong > 0 && !why;
	}
	text_release(&lossy);
	return status;
}

static enum status compare(struct shell *shell, const struct alone *alone)
{
	struct difference *d = mem_alloc((size_t)alone->count * sizeof *d);
	struct comparison v = {.share = mem_alloc((size_t)alone->count * sizeof *v.share)};
	enum status status = compare_parts(shell, alone, d);
	if (status == ST_OK)
		status = judge(shell, alone, d, &v);
	mem_free(d);
	mem_free(v.share);
	return status;
}

/* ---- verify ---- */

static enum status wants(const struct shell *shell, const struct training *t)
{
	if (!t->now.program)
		return fail(ST_ARGUMENT, "verify compares what a strategy trains: `strategy ddp` first");
	if (!t->now.program->loops)
		return fail(ST_ARGUMENT, "verify compares after whole iterations: %s has no `for it in` loop",
		        t->now.program->name);
	if (shell->dry)
		return fail(ST_ARGUMENT, "--dry keeps no data: there is nothing to compare");
	return ST_OK;
}

/* Rank 0 */
static enum status train_in_parts(struct shell *shell, struct alone *alone)
{
	const struct program *whole = alone->program;
	struct names *names = names_create(); /* its own, as in rounding_of */
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
	enum status status = wants(shell, t);
	/* to the end of the iteration begun, and of as many as are asked for */
	if (status == ST_OK) {
		long more = iterations > t->iteration ? iterations - t->iteration
		                                      : t->at != 0 || t->iteration == t->now.program->first;
		status = program_iterations(shell, more, true);
	}
	if (status != ST_OK || (t->limit >= 0 && t->played >= t->limit))
		return status;
	/* a script is its own model: it is run on one rank as it is */
	const struct program *program = t->now.program;
	struct alone alone = {
	        .program = program->alone ? program->alone : program, .iterations = t->iteration};
	program_parts(shell, &alone.parts);
	if (transport_rank(shell->transport) == 0)
		status = train_in_parts(shell, &alone);
	status = alone_spread(shell, status, &alone);
	if (status == ST_OK)
		status = compare(shell, &alone);
	alone_release(&alone);
	return status;
}

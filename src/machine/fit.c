/* fit.c -- straight lines with a common latency, through noisy points.
 *
 * With weights w the sum of w (t - f a - x b)^2 is least if, for each line, b = (Sxt - a Sfx) /
 * Sxx over its own samples. Substituted into the equation for a, one unknown remains:
 *
 *      a = (sum of Sft - Sfx Sxt / Sxx) / (sum of Sff - Sfx^2 / Sxx)      sums over the lines
 *
 * Weights 1 / t^2 make errors relative. Dividing them by each sample's error in the previous round
 * turns least squares into least absolute errors (iteratively reweighted least squares:
 * Schlossmacher, JASA 68 (344), 1973), which tolerates outliers. */
#include "machine/fit.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 60 };
/* Relative errors below this count as zero: it bounds the weights. */
static const double EXACT = 1e-6;
/* A line's cost is known to 1 % only if its largest amount takes at least this long. */
static const double RESOLVED_NS = 100;
/* If the sum that remains without the slope is below this share, the samples have one amount. */
static const double FLAT = 1e-9;

struct sums {
	double ff, fx, xx, ft, xt;
};

static void add_up(const struct fit_sample *samples, const double *weight, size_t count, struct sums *sums)
{
	for (size_t i = 0; i < count; i++) {
		const struct fit_sample *s = &samples[i];
		struct sums *line = &sums[s->line];
		line->ff += weight[i] * s->fixed * s->fixed;
		line->fx += weight[i] * s->fixed * s->amount;
		line->xx += weight[i] * s->amount * s->amount;
		line->ft += weight[i] * s->fixed * s->ns;
		line->xt += weight[i] * s->amount * s->ns;
	}
}

static void solve(const struct sums *sums, struct fit *fit)
{
	double above = 0, below = 0, all = 0;
	for (int i = 0; i < FIT_LINES; i++) {
		const struct sums *line = &sums[i];
		double slope = line->xx > 0 ? line->fx / line->xx : 0;
		above += line->ft - slope * line->xt;
		below += line->ff - slope * line->fx;
		all += line->ff;
	}
	fit->found_latency = below > FLAT * all;
	if (fit->found_latency)
		fit->latency_ns = fmax(above / below, 0);
	for (int i = 0; i < FIT_LINES; i++) {
		double cost = sums[i].xx > 0 ? (sums[i].xt - fit->latency_ns * sums[i].fx) / sums[i].xx : 0;
		fit->found[i] = cost > 0;
		if (fit->found[i])
			fit->cost_ns[i] = cost;
	}
}

static double error_of(const struct fit *fit, const struct fit_sample *sample)
{
	double time = sample->fixed * fit->latency_ns + sample->amount * fit->cost_ns[sample->line];
	return fabs(time - sample->ns) / sample->ns;
}

void fit_lines(const struct fit_sample *samples, size_t count, struct fit *fit)
{
	const struct fit before = *fit;
	double *weight = mem_alloc(count * sizeof *weight);
	for (size_t i = 0; i < count; i++)
		weight[i] = 1 / (samples[i].ns * samples[i].ns);
	for (int round = 0; round < ROUNDS; round++) {
		struct sums sums[FIT_LINES] = {0};
		add_up(samples, weight, count, sums);
		solve(sums, fit);
		for (size_t i = 0; i < count; i++)
			weight[i] =
			        1 / (samples[i].ns * samples[i].ns * fmax(error_of(fit, &samples[i]), EXACT));
	}
	double most[FIT_LINES] = {0};
	for (size_t i = 0; i < count; i++)
		most[samples[i].line] = fmax(most[samples[i].line], samples[i].amount);
	for (int i = 0; i < FIT_LINES; i++)
		if (fit->found[i] && most[i] * fit->cost_ns[i] < RESOLVED_NS) {
			fit->found[i] = false;
			fit->cost_ns[i] = before.cost_ns[i];
		}
	mem_free(weight);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double fit_median(double *values, size_t count)
{
	if (count == 0)
		return 0;
	qsort(values, count, sizeof *values, by_size);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

double fit_error(const struct fit *fit, const struct fit_sample *samples, size_t count)
{
	double *error = mem_alloc(count * sizeof *error);
	for (size_t i = 0; i < count; i++)
		error[i] = error_of(fit, &samples[i]);
	double median = fit_median(error, count);
	mem_free(error);
	return median;
}
